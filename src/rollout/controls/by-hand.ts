import type { Action } from '../model/decision.ts'
import type { NodeView } from '../model/node-view.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'

/** The admission policy reads who may assign a node on the Node itself: it can look at nothing else. */
export function byHandChanges({
  nodes,
  policy,
}: Pick<PoolSnapshot, 'policy'> & { readonly nodes: readonly NodeView[] }): Action[] {
  const allowed = policy.byHand === 'Allow'
  return nodes
    .filter(({ byHandAllowed = false }) => byHandAllowed !== allowed)
    .map(({ name }) => ({ kind: 'allowByHand', node: name, allowed }))
}
