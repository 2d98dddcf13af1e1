import type { ChannelFilter } from '../../notify/channel-filter.ts'

/** By pool, marks of what was sent or need not be, the newest at the end. */
export type SentMarks = ReadonlyMap<string, readonly string[]>

/** What was sent to a channel, and which messages it wanted then. */
export interface SentRecord {
  readonly told: SentMarks
  /** Absent: an earlier release wrote it. */
  readonly filter?: ChannelFilter | undefined
}

/** Digits of an id: enough to tell a few dozen of one pool apart, and few enough for thousands of pools in one object. */
const MARK = 8

export function markOf({ id }: { readonly id: string }): string {
  return id.slice(0, MARK)
}

export function textOf(told: SentMarks): string {
  return JSON.stringify(Object.fromEntries([...told].map(([pool, marks]) => [pool, marks.join('')])))
}

/** What cannot be read counts as nothing sent: a second message is better than none. */
export function sentIn(text = ''): SentMarks {
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    return new Map(entries.map(([pool, marks]) => [pool, marksIn(marks)]))
  } catch {
    return new Map()
  }
}

/** An earlier release wrote a list of ids. */
function marksIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map((id) => markOf({ id: String(id) }))
  return typeof value === 'string' ? (value.match(/.{8}/g) ?? []) : []
}

/** @returns undefined for what cannot be read, too: then nothing is known to have been unwanted */
export function filterIn(text = ''): ChannelFilter | undefined {
  try {
    const { pools, reasons } = JSON.parse(text) as Record<string, unknown>
    if (!Array.isArray(pools)) return undefined
    return { pools: pools.map(String), ...(Array.isArray(reasons) && { reasons: reasons.map(String) }) }
  } catch {
    return undefined
  }
}
