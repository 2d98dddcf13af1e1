import { type Assessment, assess, conclude } from '../../../../src/rollout/decide.ts'
import { decideFleet } from '../../../../src/rollout/decide-fleet.ts'
import type { Decision } from '../../../../src/rollout/model/decision.ts'
import { snapshotOf } from './snapshot.ts'
import type { Fate } from './steps.ts'
import { diff } from './told.ts'
import type { World } from './world.ts'

/** (8): assessments that take over from the last ones decide the same. */
export function takesOver(world: World, decisions: ReadonlyMap<string, Decision>, fate: Fate): void {
  if (fate === 'late') {
    world.last.clear()
    return
  }
  const found = new Map<string, Assessment>()
  const again = decideFleet(snapshotOf(world, world.nodes), world.now, {
    assess: (pool, facts, now) => {
      const assessment = assess({ ...pool, fleet: facts }, now, found.get(pool.name) ?? world.last.get(pool.name))
      found.set(pool.name, assessment)
      return assessment
    },
    conclude,
  })
  for (const [name, assessment] of found) world.last.set(name, assessment)
  for (const [name, decision] of decisions) {
    const [fresh, reused] = [JSON.stringify(decision), JSON.stringify(again.get(name))]
    if (fresh !== reused) world.wrong.push(`(8) ${name} decided otherwise: ${diff(fresh, reused)}`)
  }
}
