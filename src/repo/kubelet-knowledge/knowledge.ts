import tables from './generated/knowledge.json' with { type: 'json' }
import { minorOf, NEWEST_MINOR, OLDEST_MINOR } from './versions.ts'

type FieldRow = [owner: string, name: string, type: string, first: number, last: number]
type FlagRow = [name: string, type: string, deprecated: boolean, first: number, last: number]
type GateRow = [name: string, first: number, last: number]

const FIELDS = tables.fields as FieldRow[]
const FLAGS = tables.flags as FlagRow[]
const GATES = tables.gates as GateRow[]

/** What one kubelet minor knows, or, for pools that leave the version to others, what any of them knows. */
export interface Knowledge {
  /** For messages: `kubelet 1.36.3`. */
  readonly subject: string
  /** Struct name → field → type: `string`, `bool`, `int`, `number`, `duration`, `interval`, `quantity`, `[]T`, `{}T`, or a struct's name. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Flag → type, in pflag's words. */
  readonly flags: ReadonlyMap<string, string>
  readonly gates: ReadonlySet<string>
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
    FLAGS.filter((row) => row[0] === name).map((row) => [row[3], row[4]]),
    version,
  )
}

export function gateLifetime(name: string, version: string | undefined): string | undefined {
  return lifetime(
    GATES.filter((row) => row[0] === name).map((row) => [row[1], row[2]]),
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
    fields,
    flags: new Map(FLAGS.filter((row) => within(row[3], row[4])).map(([name, type]) => [name, type])),
    gates: new Set(GATES.filter((row) => within(row[1], row[2])).map(([name]) => name)),
  }
}
