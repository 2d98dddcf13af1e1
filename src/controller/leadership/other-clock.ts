import type { LeaseObservation } from './election.ts'

/** Milliseconds. What differs by less makes no work overdue. */
const TOLERATED = 20_000

/**
 * By how many milliseconds the clock that renewed the Lease is ahead of ours, or behind it; undefined: by few, or nobody can tell. A renewal that
 * is read for the first time may be old; one that replaces another was written since, and is heard of within a lease duration.
 * @param found.wall time of our clock when it was read
 */
export function clockDifference(
  { record, version }: Omit<LeaseObservation, 'since'>,
  { wall, before }: { readonly wall: number; readonly before: LeaseObservation | undefined },
): number | undefined {
  if (!record || (before !== undefined && before.version === version)) return undefined
  const ahead = record.renewedAt - wall
  if (ahead > TOLERATED) return ahead
  const isBehind = before?.record !== undefined && record.renewedAt > 0 && -ahead > TOLERATED + record.leaseDuration
  return isBehind ? ahead : undefined
}
