import type { Instant } from '../../src/rollout/model/instant.ts'

const MINUTE = 60_000
/** Longer than every timeout of a scope: an hour ago is as good as a day ago. */
export const LONGEST_AGE = 8 * MINUTE
/** Longer than every soak. */
export const LONGEST_SOAK = 3 * MINUTE

export interface Instants {
  /** Timeouts count from them. */
  readonly exact: readonly Instant[]
  /** It is only read what came before what. */
  readonly ordered: readonly Instant[]
}

/** Rollouts that begin in the same moment are stamped a millisecond apart; which was first is read from their order. */
function wholeSeconds(age: number): number {
  return Math.ceil(age / 1000) * 1000
}

/** An instant of which only the order is read is a moment before the one that it follows, counted back from now; so are those of long ago. */
export function agesOf(now: Instant, { exact, ordered }: Instants): ReadonlyMap<Instant, number> {
  const ages = new Map<Instant, number>()
  let age = 0
  for (const at of [...new Set([now, ...exact, ...ordered])].sort((a, b) => b - a)) {
    const isCounted = at === now || (now - at < LONGEST_AGE && exact.includes(at))
    age = isCounted ? wholeSeconds(now - at) : age + 1
    ages.set(at, age)
  }
  return ages
}
