import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** A person pauses a pool, or the fleet, so that drains under way stop as well; or ends that. */
export function adminStopsDrains(world: World, random: Random): void {
  if (random.chance(0.3)) stopInFleet(world)
  else stopInPool(world, random)
}

function stopInFleet(world: World): void {
  world.fleetControls = world.fleetControls.stopDrains ? {} : { paused: 'a drain hurts', stopDrains: true }
  world.tell(`fleet: ${JSON.stringify(world.fleetControls)}`)
}

/** Mostly of a pool that drains. */
function stopInPool(world: World, random: Random): void {
  const pools = [...world.pools.values()]
  const draining = pools.filter(({ name }) => world.membersOf(name).some(({ shown }) => shown.mark?.state === 'Ours'))
  const pool = random.pick(draining.length > 0 ? draining : pools)
  const { paused, stopDrains, ...others } = pool.controls
  world.control(pool, stopDrains ? others : { ...others, paused: paused ?? '', stopDrains: true })
}
