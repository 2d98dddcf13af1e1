/** Every YAML document of the documentation is one that the schemas take. Parts of documents are completed first. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { hostPolicy } from '../../src/agent/policy/host-policy.ts'
import { ceilingSpec } from '../../src/controller/cache/ceiling-schema.ts'
import { parseNotificationSettings } from '../../src/notify/channel-settings.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = ['README.md', ...globSync(['docs/**/*.md', 'examples/**/*.md'], { cwd: ROOT }).sort()]

type Part = Readonly<Record<string, unknown>>

interface Shown {
  readonly place: string
  readonly part: Part
}

/** Checksums and keys that a page abbreviates. */
function written(text: string): string {
  return text.replace(/"[0-9a-f]{4}…"/g, `"${'a'.repeat(64)}"`).replace(/Nz…/g, `Nz${'a'.repeat(24)}`)
}

function shownIn(page: string): Shown[] {
  const markdown = readFileSync(join(ROOT, page), 'utf8')
  return [...markdown.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].flatMap(({ 1: text = '', index }) => {
    const place = `${page}:${markdown.slice(0, index).split('\n').length}`
    return parseAllDocuments(written(text)).map((document) => {
      expect(document.errors, place).toEqual([])
      return { place, part: Object(document.toJSON()) as Part }
    })
  })
}

const anyKind = z.fromJSONSchema(JSON.parse(readFileSync(join(ROOT, 'schemas/nodewave.json'), 'utf8')))

/** What each kind requires beside what a page is about. */
const LEAST: Readonly<Record<string, Part>> = {
  NodePool: { nodeSelector: { matchLabels: { role: 'worker' } } },
  HostProfile: {},
  Fleet: {},
  KubeletRelease: {},
  KubeletConfig: {},
  FlagSet: {},
  NodeOverride: {},
}

function completed(kind: string, { spec, ...head }: Part): Part {
  const name = { apiVersion: 'nodewave.io/v1alpha1', kind, metadata: { name: 'x' } }
  return { ...name, ...head, spec: { ...LEAST[kind], ...Object(spec) } }
}

/** As it stands there, as one of the kind that it names, or as a part of some kind. */
function isTaken(part: Part): boolean {
  const kinds = 'kind' in part ? [String(part.kind)] : Object.keys(LEAST)
  const whole = 'spec' in part || 'kind' in part ? part : { spec: part }
  return [part, ...kinds.map((kind) => completed(kind, whole))].some((each) => anyKind.safeParse(each).success)
}

/** What a fleet does not have: its key or kind, and what reads it. Of other programs nothing is known. */
const OTHERS: Readonly<Record<string, (part: Part) => unknown>> = {
  Ceiling: ({ spec }) => ceilingSpec.parse(spec),
  channels: parseNotificationSettings,
  kinds: (part) => hostPolicy.parse(part),
  'docs/host-profile.md steps': (part) => hostPolicy.parse(part),
  'docs/git.md 0': ofAnotherProgram,
  'docs/install.md repository': ofAnotherProgram,
  'docs/webhooks.md patches': ofAnotherProgram,
  Config: ofAnotherProgram,
  Kustomization: ofAnotherProgram,
  CronJob: ofAnotherProgram,
}

function ofAnotherProgram(): void {}

function readerOf({ place, part }: Shown): ((part: Part) => unknown) | undefined {
  const first = Object.keys(part)[0] ?? ''
  return OTHERS[String(part.kind)] ?? OTHERS[first] ?? OTHERS[`${place.split(':')[0]} ${first}`]
}

const shown = PAGES.flatMap(shownIn)

test('the pages show documents', () => {
  expect(shown.length).toBeGreaterThan(60)
})

test.each(shown.filter((each) => readerOf(each) === undefined))(
  'the document at $place is one that the schemas take',
  ({ part }) => {
    expect(isTaken(part)).toBe(true)
  },
)

test.each(shown.filter((each) => readerOf(each) !== undefined))('the document at $place is one that its reader takes', (each) => {
  expect(() => readerOf(each)?.(each.part)).not.toThrow()
})

test('a part that no kind has is taken by none', () => {
  expect(isTaken({ rollout: { wave: [] } })).toBe(false)
  expect(isTaken({ kind: 'Fleet', spec: { windows: 1 } })).toBe(false)
})
