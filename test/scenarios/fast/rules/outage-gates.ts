import type { GatePolicy, RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'
import { MAIL } from '../apps.ts'
import { slo } from './gates.ts'

const MINUTE = 60_000

/** Each pool looks at its own workloads, and at some that no content breaks. */
export function outageGates(pool: string, random: Random): Partial<RolloutPolicy> {
  const namespaces = random.pick([[pool], [pool], [pool, MAIL]])
  return { gates: random.pick([[appsIn(namespaces)], [slo, appsIn(namespaces)]]) }
}

export function appsIn(namespaces: readonly string[]): GatePolicy {
  return { name: 'apps', timeout: 3 * MINUTE, interval: MINUTE / 2, check: { kind: 'workloads', namespaces } }
}
