import { parse } from 'yaml'
import * as z from 'zod/mini'
import { atMost, DISRUPTIONS, type Disruption } from '../../protocol/desired-config.ts'
import { ABSOLUTE_PATH, STEP_NAME } from '../../protocol/host-document.ts'

const prefix = z.string().check(z.regex(ABSOLUTE_PATH, 'expected an absolute path without a "/" at its end'))
const version = z
  .string()
  .check(z.regex(/^\d{1,4}\.\d{1,4}(?:\.\d{1,4})?$/, 'expected a quoted version such as "1.36" or "1.36.3"'))

const argv = z
  .array(z.string())
  .check(z.refine(([program = '']) => ABSOLUTE_PATH.test(program), 'expected the absolute path of a program, and its arguments'))

/** Seconds. */
const LONGEST_STEP = 3600

const step = z.strictObject({
  command: argv,
  /** Takes back what the command did. Missing: nothing has to. */
  undo: z.optional(argv),
  timeoutSeconds: z.optional(z.number().check(z.int(), z.gte(1), z.lte(LONGEST_STEP))),
})
export type PolicyStep = z.infer<typeof step>

/** What the owner of a host allows nodewave on it. What is absent is not limited; an empty list allows nothing. */
export const hostPolicy = z.strictObject({
  kinds: z.optional(z.array(z.string())),
  paths: z.optional(z.array(prefix)),
  units: z.optional(z.array(z.string())),
  packages: z.optional(z.array(z.string())),
  urlHosts: z.optional(z.array(z.string())),
  kubeletVersions: z.optional(z.strictObject({ min: z.optional(version), max: z.optional(version) })),
  disruption: z.optional(z.enum(DISRUPTIONS)),
  /** Commands that Git may name. Nothing is allowed that is not here. */
  steps: z.optional(z.record(z.string().check(z.regex(STEP_NAME)), step)),
  /** Nothing is changed as long as this is here; it says why. */
  maintenance: z.optional(z.string()),
})
export type HostPolicy = z.infer<typeof hostPolicy>

/** What is asked of the host, as far as a policy has a say in it. */
export interface Requested {
  readonly version: string | undefined
  /** The host document as it came, every section of it. */
  readonly document: Readonly<Record<string, unknown>>
  /** Paths that sections write without naming them. */
  readonly unnamed?: readonly string[]
}

/** Which rule forbids something, and what. */
export interface Violation {
  readonly rule: keyof HostPolicy
  readonly message: string
}

/** @throws {Error} saying what is wrong in it */
export function parseHostPolicy(text: string): HostPolicy {
  const result = hostPolicy.safeParse(parse(text, { logLevel: 'error' }) ?? {})
  if (result.success) return result.data
  const [issue] = result.error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? `there is no rule "${issue.keys.join('", "')}"` : issue?.message
  throw new Error(`${issue?.path.join('.') || 'the file'}: ${unknown}`)
}

/** Pure: the first rule that forbids any of it. */
export function violationIn(policy: HostPolicy, { version, document, unnamed = [] }: Requested): Violation | undefined {
  const { kinds, paths, units, urlHosts } = policy
  // A package writes wherever it wants.
  const packages = policy.packages ?? (paths && [])
  const kubelet = policy.packages && packageOf(document.kubelet)
  const found = (rule: keyof HostPolicy, what: string, value: string | undefined): Violation | undefined =>
    value === undefined ? undefined : { rule, message: `${what} "${value}" is not allowed` }
  return (
    found('kinds', 'section', kinds && Object.keys(document).find((section) => !kinds.includes(section))) ??
    found(
      'paths',
      'path',
      paths &&
        [...valuesOf(document, ['path', 'directory', 'target']), ...unnamed].find(
          (path) => !paths.some((at) => isBelow(path, at)),
        ),
    ) ??
    found('units', 'unit', units && namesOf(document.units).find((name) => !units.some((pattern) => matches(name, pattern)))) ??
    found(
      'packages',
      'package',
      packages &&
        [...namesOf(document.packages), ...(kubelet ?? [])].find((name) => !packages.some((pattern) => matches(name, pattern))),
    ) ??
    found('urlHosts', 'address', urlHosts && valuesOf(document, ['url']).find((url) => !isOf(url, urlHosts))) ??
    found('kubeletVersions', 'version', outOfRange(version, policy.kubeletVersions))
  )
}

/** Pure: whether the host may be disturbed as much as the change needs. */
export function disruptionViolation({ disruption }: HostPolicy, needs: Disruption): Violation | undefined {
  if (disruption === undefined || atMost(needs, disruption)) return undefined
  return { rule: 'disruption', message: `the change needs "${needs}", and at most "${disruption}" is allowed` }
}

/** Pure: whether the owner of the host named it as one to download from. */
export function allowsHost({ urlHosts = [] }: { readonly urlHosts?: readonly string[] | undefined }, hostname: string): boolean {
  return urlHosts.some((pattern) => matches(hostname, pattern))
}

/** Every text below one of these keys, wherever in the document it stands: sections that come later are covered too. */
function valuesOf(value: unknown, keys: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    typeof member === 'string' ? (keys.includes(key) ? [member] : []) : valuesOf(member, keys),
  )
}

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.map((item) => String(item?.name)) : []
}

/** The kubelet itself, if a package brings it. */
function packageOf(kubelet: unknown): string[] {
  const { package: found } = (kubelet ?? {}) as { readonly package?: { readonly name?: unknown } }
  return found === undefined ? [] : [String(found.name)]
}

function isBelow(path: string, at: string): boolean {
  return path === at || path.startsWith(`${at}/`)
}

/** `*` stands for anything. */
function matches(name: string, pattern: string): boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${source}$`, 's').test(name)
}

function isOf(url: string, urlHosts: readonly string[]): boolean {
  return URL.canParse(url) && allowsHost({ urlHosts }, new URL(url).hostname)
}

function outOfRange(version: string | undefined, range: HostPolicy['kubeletVersions']): string | undefined {
  if (version === undefined || range === undefined) return undefined
  const isOld = range.min !== undefined && compare(version, range.min) < 0
  const isNew = range.max !== undefined && compare(version, range.max) > 0
  return isOld || isNew ? version : undefined
}

/** As far as the limit is written out: every 1.36.x is within a `max` of 1.36. */
function compare(version: string, limit: string): number {
  const numbers = (text: string) => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number)
  const actual = numbers(version)
  for (const [index, part] of numbers(limit).entries()) {
    const difference = (actual[index] ?? 0) - part
    if (difference !== 0) return difference
  }
  return 0
}
