import type { World } from '../world.ts'
import { commitArrives } from './commit-arrives.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Mostly amid a rollout: the leader ends or dies, and one that has stood by takes over; later another one begins, whose clock differs. */
export async function leaderReplaced(world: World): Promise<void> {
  const { random, clock } = world
  if (random.chance(0.7)) commitArrives(world)
  await clock.advance(random.pick([2, 10, 30, 60]) * SECOND)
  const ahead = random.pick([0, -1, 1, -5, 5, -15, -15, 15, 15]) * MINUTE
  const dies = random.chance(0.3)
  if (await world.replaceLeader({ ahead, dies }))
    world.tell(`the leader ${dies ? 'dies' : 'hands over'}; one begins whose clock is ${ahead} ahead`)
}
