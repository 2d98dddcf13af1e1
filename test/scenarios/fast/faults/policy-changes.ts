import type { Random } from '../../random.ts'
import { budget } from '../rules/budget.ts'
import { cordoned } from '../rules/cordoned.ts'
import { dependenciesFor } from '../rules/dependencies.ts'
import { drain } from '../rules/drain.ts'
import { failures } from '../rules/failures.ts'
import { fleetBudget } from '../rules/fleet-budget.ts'
import { fleetFailures } from '../rules/fleet-failures.ts'
import { timeouts } from '../rules/timeouts.ts'
import { waves } from '../rules/waves.ts'
import { windows } from '../rules/windows.ts'
import type { DrawPoolRule } from '../rules.ts'
import type { World } from '../world.ts'

const POOL_RULES: readonly DrawPoolRule[] = [waves, budget, failures, windows, cordoned, drain, timeouts]

/** A commit changes the policy of a pool, what it depends on, or the limits of the fleet, whatever is under way. */
export function policyChanges(world: World, random: Random): void {
  const kind = random.next()
  if (kind < 0.15) fleetChanges(world, random)
  else if (kind < 0.4) dependenciesChange(world, random)
  else poolChanges(world, random)
}

function poolChanges(world: World, random: Random): void {
  const pool = random.pick([...world.rules.pools.keys()])
  const policy = world.rules.pools.get(pool)
  if (!policy) return
  const changed = random.pick(POOL_RULES)(random)
  world.rules.pools.set(pool, { ...policy, ...changed })
  world.tell(() => `${pool} policy: ${JSON.stringify(changed)}`)
}

function fleetChanges(world: World, random: Random): void {
  const { maxUnavailable: _, maxFailures: __, ...policy } = world.fleetPolicy
  world.fleetPolicy = { ...policy, ...fleetBudget(random), ...fleetFailures(random) }
  world.tell(() => `fleet policy: ${JSON.stringify(world.fleetPolicy)}`)
}

/** In whichever order: what depended on another pool may be what that depends on now. */
function dependenciesChange(world: World, random: Random): void {
  const names = [...world.rules.pools.keys()]
  if (random.chance(0.5)) names.reverse()
  for (const [index, name] of names.entries()) {
    const policy = world.rules.pools.get(name)
    const changed = dependenciesFor(names.slice(0, index))(random)
    if (policy) world.rules.pools.set(name, { ...policy, ...changed })
    world.tell(() => `${name} ${JSON.stringify(changed)}`)
  }
}
