import { hour, minute } from '../../builders/instants.ts'
import { isAtRest, looksAhead } from './at-rest.ts'
import { tick } from './passes.ts'
import type { World } from './world.ts'

/** Passes until nothing happens by itself, jumping to wakes. Looks at the invariants at rest. */
export function rest(world: World): void {
  for (let pass = 0; pass < 40; pass++) {
    const before = fingerprint(world)
    tick(world)
    if (before !== fingerprint(world)) continue
    const wake = Math.min(...[...world.decisions.values()].map(({ wakeAt }) => wakeAt ?? Number.POSITIVE_INFINITY))
    looksAhead(world, wake)
    if (wake === Number.POSITIVE_INFINITY) {
      isAtRest(world)
      return
    }
    if (wake > world.now + 3 * hour) return
    world.now = Math.max(world.now, wake - minute)
  }
}

function fingerprint(world: World): string {
  return JSON.stringify([
    world.nodes,
    [...world.statuses],
    [...world.proofs],
    [...world.decisions].map(([, { actions }]) => actions.length),
  ])
}
