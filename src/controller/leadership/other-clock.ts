import type { LeaseObservation, LeaseRecord } from './election.ts'

/** Milliseconds. What differs by less makes no work overdue. */
const TOLERATED = 20_000

/**
 * By how many milliseconds the clock that renewed the Lease is ahead of ours, or behind it; undefined: by few, or nobody can tell. A renewal that
 * is read for the first time may be old; one that replaces another was written since that was seen first.
 * @param found.wall time of our clock when it was read
 */
export function clockDifference(
  { record, version, since }: LeaseObservation,
  { wall, before }: { readonly wall: number; readonly before: LeaseObservation | undefined },
): number | undefined {
  if (!record || (before !== undefined && before.version === version)) return undefined
  const ahead = record.renewedAt - wall
  if (ahead > TOLERATED) return ahead
  if (before?.record === undefined || !isRenewed(record, before.record)) return undefined
  return -ahead > TOLERATED + since - before.since ? ahead : undefined
}

/** Not by somebody else, who leaves its times as they were, and not brought back from a backup. */
function isRenewed(record: LeaseRecord, before: LeaseRecord): boolean {
  if (record.renewedAt === 0) return false
  if (record.transitions !== before.transitions) return record.transitions > before.transitions
  // Who hands it over writes the time of a clock that may have been put back.
  return record.renewedAt > before.renewedAt || (record.holder === '' && before.holder !== '')
}
