import { patchEnvironmentFile, readEnvironmentFile } from '../../protocol/environment-file.ts'
import { own } from '../../protocol/own.ts'
import { joinFlags } from '../kubelet/kubelet-flags.ts'
import type { HostFiles } from '../ports.ts'
import { defineKind } from './define-kind.ts'
import { contentOf, type FileBaseline, fileBaselines, keepContent } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { CaptureContext, Kind, Resource } from './kind.ts'
import { readRegular } from './regular-file.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export interface EnvironmentSpec {
  readonly path: string
  /** Our variables as they should be; undefined: not in the file. The rest of the file belongs to others. */
  readonly variables: Variables
  /** What of each value is ours; flags of others may stand in front of it. */
  readonly ours?: Variables
  /** The file as it was before we first touched it; undefined: there was none. */
  readonly original: Uint8Array | undefined
  /** That go with the file, should nothing be left in it. */
  readonly directories?: readonly string[] | undefined
}

export const kubeletEnvironment: Kind<EnvironmentSpec> = defineKind({
  name: 'kubelet-environment',
  ...fileHands,
  subject: ({ path }: EnvironmentSpec) => path,
  observe: ({ path }, { files }) => readRegular(files, path),
  differ: (spec, actual) => environmentChange(spec, actual?.bytes),
  baseline: { ...fileBaselines, giveBack: giveBackVariables, recapture: recaptureVariables },
})

/** Pure. @param now undefined when there is no file */
export function environmentChange(
  { path, variables, original, directories }: EnvironmentSpec,
  now: Uint8Array | undefined,
): FileChange | undefined {
  const text = now ?? new Uint8Array()
  if (hasVariables(text, variables)) return undefined
  const bytes = patchEnvironmentFile(withTheirEdits(text, { original, ours: Object.keys(variables) }), variables)
  if (bytes.length === 0 && original === undefined) return now && { do: 'remove', path, directories }
  return { do: 'write', path, bytes, ...(now ? {} : { mode: 0o644 }) }
}

/** Only our variables go back: the rest of the file belongs to others. */
async function giveBackVariables(base: FileBaseline, files: HostFiles): Promise<Resource> {
  const { path, variables = [], directories } = base
  const original = await contentOf(base, files)
  const before = readEnvironmentFile(original ?? new Uint8Array())
  const values = Object.fromEntries(variables.map((name) => [name, before.get(name)]))
  return kubeletEnvironment.of({ path, variables: values, original, directories })
}

/** Our flags stand after theirs in one variable: without them, what is left is theirs. */
async function recaptureVariables(
  base: FileBaseline,
  { spec, context }: { readonly spec: EnvironmentSpec; readonly context: CaptureContext },
): Promise<FileBaseline> {
  const { files } = context.host
  const actual = await readRegular(files, base.path)
  if (actual === undefined) return base
  const before = (await contentOf(base, files)) ?? new Uint8Array()
  const theirs = withTheirEdits(actual.bytes, { original: before, ours: base.variables ?? [] })
  const bytes = patchEnvironmentFile(theirs, theirValues(spec, { now: actual.bytes, before }))
  if (Buffer.compare(bytes, before) === 0) return base
  return { ...base, saved: await keepContent(base.path, { bytes, stat: actual.stat, context }) }
}

function theirValues(
  { ours = {}, variables }: EnvironmentSpec,
  { now, before }: { readonly now: Uint8Array; readonly before: Uint8Array },
): Variables {
  const found = readEnvironmentFile(now)
  const then = readEnvironmentFile(before)
  return Object.fromEntries(
    Object.keys(variables).map((name) => {
      const [value, added = '', old] = [found.get(name), own(ours, name), then.get(name)]
      if (value === variables[name] || value === added || value === joinFlags(old, added)) return [name, old]
      return [name, added !== '' && value?.endsWith(added) ? value.slice(0, -added.length).trim() : value]
    }),
  )
}

function hasVariables(bytes: Uint8Array, variables: Variables): boolean {
  const now = readEnvironmentFile(bytes)
  return Object.entries(variables).every(([name, value]) => now.get(name) === value)
}

/**
 * The original, unless somebody else edited the file since: then the file as it is. Made from the original, local values come back as
 * the local bytes, with the quotes and spaces that stood there; and nobody's edit is lost.
 */
export function withTheirEdits(
  now: Uint8Array,
  { original = new Uint8Array(), ours }: { readonly original: Uint8Array | undefined; readonly ours: readonly string[] },
): Uint8Array {
  const found = readEnvironmentFile(now)
  const values = Object.fromEntries(ours.map((name) => [name, found.get(name)]))
  return Buffer.compare(patchEnvironmentFile(original, values), now) === 0 ? original : now
}
