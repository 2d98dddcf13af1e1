import type { GateSettings } from '../../repo/rollout-settings.ts'
import type { GateCheck, GatePolicy } from '../../rollout/model/policy.ts'

/** A gate as the decision knows it. */
export function gatePolicy({ name, after, timeout, interval, ...kinds }: GateSettings): GatePolicy {
  return { name, after, timeout, interval, check: checkOf(kinds) }
}

function checkOf({ nodeConditions, prometheus, job, workloads }: Omit<GateSettings, 'name' | 'timeout' | 'interval'>): GateCheck {
  if (prometheus) return { kind: 'prometheus', ...prometheus }
  if (job) return { kind: 'job', ...job }
  if (workloads) return { kind: 'workloads', ...workloads }
  return { kind: 'nodeConditions', require: nodeConditions?.require ?? [], forbid: nodeConditions?.forbid ?? [] }
}
