import { desiredOf, hasEnded } from '../assignment.ts'
import type { World } from '../world.ts'
import { commitArrives } from './commit-arrives.ts'

const SECOND = 1000
/** Seconds that the first node may take. */
const PATIENCE = 40

/** A commit arrives, and as soon as a first node has it, no controller sees any more what becomes of the Nodes. */
export async function newsHeldBack(world: World): Promise<void> {
  const { clock, random } = world
  const known = new Set(world.commits.keys())
  commitArrives(world)
  const commit = [...world.commits.keys()].find((name) => !known.has(name))
  const isThere = (): boolean => world.nodes().some((node) => desiredOf(node)?.REVISION === commit && hasEnded(node))
  for (let waited = 0; waited < PATIENCE && !isThere(); waited++) await clock.advance(SECOND)
  const seconds = random.pick([100, 400])
  const from = clock.elapsed()
  for (const { lateWatches } of world.controllerTroubles) lateWatches.delay('nodes', { from, until: from + seconds * SECOND })
  world.tell(`the watch of Nodes is late for ${seconds} s everywhere`)
  for (let passed = 0; passed < seconds; passed += 20) {
    await clock.advance(20 * SECOND)
    await world.showNodes()
  }
}
