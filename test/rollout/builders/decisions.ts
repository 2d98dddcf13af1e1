import type { PoolCondition, PoolConditionType } from '../../../src/protocol/node-pool.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'

/** Names of the nodes that are assigned something, in order. */
export function selected({ actions }: Decision): string[] {
  return actions.flatMap((action) => (action.kind === 'assign' ? [action.node] : []))
}

/** `a → new` */
export function assignments({ actions }: Decision): string[] {
  return actions.flatMap((action) => (action.kind === 'assign' ? [`${action.node} → ${action.digest}`] : []))
}

export function phases({ status }: Decision): Decision['status']['nodes']['byPhase'] {
  return status.nodes.byPhase
}

export function condition({ status }: Decision, type: PoolConditionType): PoolCondition {
  const found = status.conditions.find((candidate) => candidate.type === type)
  if (!found) throw new Error(`status has no condition "${type}"`)
  return found
}

/** `True Completed` of Ready, Reconciling and Stalled. */
export function verdict(decision: Decision): Record<PoolConditionType, string> {
  const told = (type: PoolConditionType) => `${condition(decision, type).status} ${condition(decision, type).reason}`
  return { Ready: told('Ready'), Reconciling: told('Reconciling'), Stalled: told('Stalled') }
}

/** What the next pass sees when the status was written, and nothing else happened. */
export function remembering(pool: PoolSnapshot, { status }: Decision): PoolSnapshot {
  return { ...pool, memory: status }
}
