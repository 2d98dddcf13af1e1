import { atMost, type Disruption } from '../../protocol/desired-config.ts'
import type { RolloutPolicy } from '../model/policy.ts'

/** Whether the pods go before the node is granted a change that disturbs it so much. */
export function mustDrain({ drain: { mode } }: Pick<RolloutPolicy, 'drain'>, disruption: Disruption): boolean {
  if (mode === 'Never') return false
  return !atMost(disruption, mode === 'Always' ? 'none' : 'restart')
}
