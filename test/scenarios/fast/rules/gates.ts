import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import type { Random } from '../../random.ts'

const MINUTE = 60_000
export const slo = {
  name: 'slo',
  timeout: 3 * MINUTE,
  interval: MINUTE / 2,
  check: { kind: 'nodeConditions', require: [], forbid: ['DiskPressure'] },
} as const
const apps = { name: 'apps', timeout: 3 * MINUTE, interval: MINUTE / 2, check: { kind: 'workloads' } } as const

export function gates(random: Random): Partial<RolloutPolicy> {
  return random.pick([{ gates: [slo] }, { gates: [slo, apps] }])
}
