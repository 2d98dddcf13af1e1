import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** A person changes the PodDisruptionBudget; at its tightest, no pod of it may go. */
export function budgetChanges(world: World, random: Random): void {
  const { workload } = world
  workload.minAvailable = random.pick([0, workload.replicas - 1, workload.replicas])
  world.tell(`the budget needs ${workload.minAvailable} of ${workload.replicas}`)
}
