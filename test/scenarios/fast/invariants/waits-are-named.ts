import type { NodePhase } from '../../../../src/protocol/node-pool.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

/** Something goes on at these nodes, or time will bring it on. */
const UNDER_WAY: readonly NodePhase[] = [
  'Assigned',
  'Applying',
  'Proving',
  'Soaking',
  'Draining',
  'Cordoned',
  'Unreachable',
  'Joining',
]

/** An operator who looks at a pool that stands still finds out what it waits for. */
export const waitsAreNamed: Invariant = {
  claim: 'a pool that does nothing, and is not done, says what it waits for',
  ofDecision: (observed) => decidedPools(observed).every((decided) => !standsStill(decided) || namesWait(decided)),
}

function standsStill({ decision: { actions, status } }: Decided): boolean {
  const isUnderWay = UNDER_WAY.some((phase) => (status.nodes.byPhase[phase] ?? 0) > 0)
  return actions.length === 0 && !isUnderWay && conditionOf(status.conditions, 'Ready')?.status === 'False'
}

function namesWait({ decision: { status } }: Decided): boolean {
  const { reason, message = '' } = conditionOf(status.conditions, 'Ready') ?? {}
  // An agent refuses an assignment that came back from a backup.
  if (message.includes('assigned again until')) return true
  return reason !== 'RollingOut' && reason !== 'RollingBack' && reason !== 'Soaking' && reason !== 'Completed'
}

function conditionOf<T extends { readonly type: string }>(conditions: readonly T[], type: T['type']): T | undefined {
  return conditions.find((condition) => condition.type === type)
}
