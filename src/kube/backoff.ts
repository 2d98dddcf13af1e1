/** Milliseconds: the pause after the first failure, and the one that no number of failures exceeds; both before they are spread. */
export interface Pauses {
  readonly first: number
  readonly longest: number
}

const OF_REQUESTS: Pauses = { first: 800, longest: 30_000 }

/**
 * Milliseconds to wait after so many failures in a row: doubling from the first pause to the longest, spread over half to one and
 * a half of that, so that a fleet that lost its server together does not come back together.
 * @param random from 0 to less than 1, a new one at each call
 */
export function backoff(failures: number, random: () => number, { first, longest }: Pauses = OF_REQUESTS): number {
  const base = Math.min(longest, first * 2 ** Math.max(0, failures - 1))
  return Math.round(base * (0.5 + random()))
}
