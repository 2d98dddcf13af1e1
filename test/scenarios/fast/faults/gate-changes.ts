import type { Random } from '../../random.ts'
import { outageGates } from '../rules/outage-gates.ts'
import type { World } from '../world.ts'

/** A commit changes which namespaces the gate of a pool looks at, or adds or removes another gate, whatever is under way. */
export function gateChanges(world: World, random: Random): void {
  const pool = random.pick([...world.rules.pools.keys()])
  const policy = world.rules.pools.get(pool)
  if (!policy) return
  const changed = { ...policy, ...outageGates(pool, random) }
  world.rules.pools.set(pool, changed)
  world.tell(() => `${pool} gates: ${JSON.stringify(changed.gates)}`)
}
