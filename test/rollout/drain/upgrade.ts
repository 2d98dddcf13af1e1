import { decide } from '../../../src/rollout/decide.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

/** `cordon a`, `evict a x`, `uncordon a`, `assign a new drain`. */
export function done({ actions }: Decision): string[] {
  return actions.map((action) => {
    if (action.kind === 'cordon') return `cordon ${action.node} ${action.mark.state}`
    if (action.kind === 'evict') return `evict ${action.node} ${action.pod.name}`
    if (action.kind === 'uncordon')
      return `${action.lifts ? 'uncordon' : 'unmark'} ${action.node} ${action.mark?.state ?? ''}`.trim()
    return action.kind === 'assign' ? `assign ${action.node} ${action.digest} ${action.grant}` : action.kind
  })
}

/** A pool on its way from `older` to `new`, which takes a drain, with room for one node. */
export function upgrade(options: PoolOptions, ...members: readonly NodeView[]): Decision {
  return decide(
    aPool({ stable: 'older', since: noon - minute, disruption: 'drain', maxUnavailable: 1, ...options }).with(...members),
    noon,
  )
}

export const a = aNode('a').on('older')
export const b = aNode('b').on('older')

/** The answer of an eviction that these budgets refuse. */
export const kept = (until: number, ...names: string[]) => ({
  until,
  message: 'cannot evict',
  budgets: names.map((name) => ({ name, desiredHealthy: 4, currentHealthy: 4 })),
})

/** Cordoned as long ago as a drain may take. */
export const overdue = { at: noon - 15 * minute }
export const stuck = { a: [aPod('x', { refusal: kept(noon, 'shop') })] }
