import type { NodeView } from '../model/node-view.ts'
import type { Revision } from '../model/snapshot.ts'
import type { Rollout } from '../target/rollout.ts'

/**
 * What is proven, for a node that was assigned nothing yet. Where that cannot be rendered, or a person uncordoned the node rather than have
 * it drained for that, it takes its turn with the others: else no later commit could reach it.
 */
export function joinedAt({ name, assigned, mark }: NodeView, { stable, target }: Rollout): Revision | undefined {
  const [proven, next] = [stable?.wanted.get(name), target.wanted.get(name)]
  if (assigned !== undefined || proven?.kind !== 'config') return undefined
  const isOnItsWay = next?.kind === 'config' && next.digest !== proven.digest && mark?.digest === next.digest
  return isOnItsWay || mark?.state === 'Released' ? undefined : stable
}
