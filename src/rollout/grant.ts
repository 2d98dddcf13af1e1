import { atMost, type Disruption } from '../protocol/desired-config.ts'
import type { RolloutPolicy } from './snapshot.ts'

/**
 * What a node may be granted for a change; undefined when its pods would have to be drained first, which nothing here does. Only
 * a pool that says `drain: {mode: Never}` accepts that they are disturbed.
 */
export function grantFor({ drain }: RolloutPolicy, disruption: Disruption): Disruption | undefined {
  const undrained: Disruption = drain.mode === 'Always' ? 'none' : 'restart'
  return drain.mode === 'Never' || atMost(disruption, undrained) ? disruption : undefined
}
