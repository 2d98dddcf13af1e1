import tables from './generated/knowledge.json' with { type: 'json' }
import { minorOf, NEWEST_MINOR, OLDEST_MINOR } from './versions.ts'

type Span = [first: number, last: number]
type FieldRow = [owner: string, name: string, type: string, ...Span]
type FlagRow = [name: string, type: string, deprecated: boolean, field: string, ...Span]
type GateRow = [name: string, value: boolean, locked: boolean, stage: string, ...Span]
type RangeRow = [place: string, least: number, most: number, ...Span]
type WordsRow = [place: string, words: string[], ...Span]

const FIELDS = tables.fields as FieldRow[]
const FLAGS = tables.flags as FlagRow[]
const GATES = tables.gates as GateRow[]
const GATE_NEEDS = tables.gateNeeds as [name: string, other: string, ...Span][]
const RANGES = tables.ranges as RangeRow[]
const WORDS = tables.enums as WordsRow[]

/** What one kubelet minor knows, or, for pools that leave the version to others, what any of them knows. */
export interface Knowledge {
  /** For messages: `kubelet 1.36.3`. */
  readonly subject: string
  /** undefined: any that we know. */
  readonly minor: number | undefined
  /** Struct name → field → type: `string`, `bool`, `int`, `number`, `duration`, `interval`, `quantity`, `[]T`, `{}T`, or a struct's name. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly flags: ReadonlyMap<string, KnownFlag>
  readonly gates: ReadonlyMap<string, KnownGate>
  /** `Struct.field` → the smallest and the largest whole number that is taken. */
  readonly ranges: ReadonlyMap<string, readonly [least: number, most: number]>
  /** `Struct.field` → the words that are taken, where it takes nothing else. */
  readonly words: ReadonlyMap<string, readonly string[]>
}

export interface KnownFlag {
  /** In pflag's words. */
  readonly type: string
  /** Path of the configuration field that it sets: `authentication.anonymous.enabled`; empty when it sets none. */
  readonly field: string
}

export interface KnownGate {
  readonly value: boolean
  /** It can be given no other value. */
  readonly locked: boolean
  /** `ALPHA`, `BETA`, `DEPRECATED`, or empty when it is settled. */
  readonly stage: string
  /** Gates without which it cannot be on. */
  readonly needs: readonly string[]
}

export const ROOT_TYPE = 'KubeletConfiguration'

const byMinor = new Map<number | undefined, Omit<Knowledge, 'subject'>>()

/** The nearest minor that we know, when the version is newer or older than all of them. */
export function knowledgeOf(version: string | undefined): Knowledge {
  const minor = version === undefined ? undefined : Math.min(NEWEST_MINOR, Math.max(OLDEST_MINOR, minorOf(version)))
  const known = byMinor.get(minor) ?? collect(minor)
  byMinor.set(minor, known)
  return {
    subject: version === undefined ? `any kubelet from 1.${OLDEST_MINOR} to 1.${NEWEST_MINOR}` : `kubelet ${version}`,
    ...known,
  }
}

/** `removed in 1.35`, `known from 1.34 on`; undefined when no minor of ours ever had it. */
export function fieldLifetime(owner: string, name: string, version: string | undefined): string | undefined {
  return lifetime(
    FIELDS.filter((row) => row[0] === owner && row[1] === name).map((row) => [row[3], row[4]]),
    version,
  )
}

export function flagLifetime(name: string, version: string | undefined): string | undefined {
  return lifetime(
    FLAGS.filter((row) => row[0] === name).map((row) => [row[4], row[5]]),
    version,
  )
}

export function gateLifetime(name: string, version: string | undefined): string | undefined {
  return lifetime(
    GATES.filter((row) => row[0] === name).map((row) => [row[4], row[5]]),
    version,
  )
}

function lifetime(spans: readonly (readonly [number, number])[], version: string | undefined): string | undefined {
  if (version === undefined) return undefined
  const minor = minorOf(version)
  const ended = spans.map(([, last]) => last).filter((last) => last < minor)
  if (ended.length > 0) return `removed in 1.${Math.max(...ended) + 1}`
  const begun = spans.map(([first]) => first).filter((first) => first > minor)
  return begun.length > 0 ? `known from 1.${Math.min(...begun)} on` : undefined
}

function collect(minor: number | undefined): Omit<Knowledge, 'subject'> {
  const within = (first: number, last: number) => minor === undefined || (first <= minor && minor <= last)
  const fields = new Map<string, Map<string, string>>()
  for (const [owner, name, type, first, last] of FIELDS) {
    if (!within(first, last)) continue
    const known = fields.get(owner) ?? new Map<string, string>()
    fields.set(owner, known.set(name, type))
  }
  return {
    minor,
    fields,
    flags: new Map(FLAGS.filter((row) => within(row[4], row[5])).map(([name, type, , field]) => [name, { type, field }])),
    gates: merged(
      GATES.filter((row) => within(row[4], row[5])).map(([name, value, locked, stage]) => {
        const needs = GATE_NEEDS.filter((row) => row[0] === name && within(row[2], row[3])).map((row) => row[1])
        return [name, { value, locked, stage, needs: [...new Set(needs)] }]
      }),
      (a, b) => ({ ...a, value: a.value && b.value, locked: a.locked && b.locked && a.value === b.value }),
    ),
    ranges: merged(
      RANGES.filter((row) => within(row[3], row[4])).map(([place, least, most]) => [place, [least, most] as const]),
      (a, b) => [Math.min(a[0], b[0]), Math.max(a[1], b[1])] as const,
    ),
    words: merged(
      WORDS.filter((row) => within(row[2], row[3])).map(([place, words]) => [place, words]),
      (a, b) => [...new Set([...a, ...b])],
    ),
  }
}

/** Of several minors: what any of them takes. */
function merged<T>(entries: readonly (readonly [string, T])[], merge: (a: T, b: T) => T): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  for (const [key, value] of entries) {
    const known = found.get(key)
    found.set(key, known === undefined ? value : merge(known, value))
  }
  return found
}
