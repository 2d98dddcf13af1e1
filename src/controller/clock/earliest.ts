import type { Instant } from '../../rollout/model/instant.ts'

/** Undefined: never. */
export function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
