import type { World } from '../world.ts'

/** A commit that renders the same for every pool, as one of a README. */
export function nothingChanges(world: World): void {
  world.push({})
}
