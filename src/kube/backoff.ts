const FIRST = 800
const LONGEST = 30_000

/**
 * Milliseconds to wait after so many failures in a row: 0.8 s doubling to 30 s, spread over half to one and a half of that,
 * so that a fleet that lost its server together does not come back together.
 */
export function backoff(failures: number, random: () => number): number {
  const base = Math.min(LONGEST, FIRST * 2 ** Math.max(0, failures - 1))
  return Math.round(base * (0.5 + random()))
}
