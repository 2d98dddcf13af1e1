import type { NodePhase } from '../../protocol/node-pool.ts'
import type { NodePoolView } from './node-pool-view.ts'

const UNDER_WAY: readonly NodePhase[] = ['Cordoned', 'Draining', 'Assigned', 'Applying', 'Rebooting', 'Proving', 'Soaking']

/** Whether nodes are under change: then a watch that has stalled keeps them waiting, or hides that they fail. */
export function areChangesAwaited(pools: Iterable<NodePoolView>): boolean {
  for (const { status } of pools) if (UNDER_WAY.some((phase) => (status.nodes?.byPhase[phase] ?? 0) > 0)) return true
  return false
}
