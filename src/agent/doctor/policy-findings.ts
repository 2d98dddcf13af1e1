import { HOST_POLICY } from '../paths.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import { type Finding, ok, warned } from './finding.ts'

/** What each rule says, with its name as a refusal has it. */
export function policyFindings({ maintenance, ...rules }: HostPolicy): Finding[] {
  const { kinds, paths, units, urlHosts, kubeletVersions, disruption } = rules
  const lists = { kinds, paths, units, urlHosts }
  const shown = [
    ...Object.entries(lists).flatMap(([rule, allowed]) => (allowed === undefined ? [] : [listed(rule, allowed)])),
    ...(kubeletVersions === undefined ? [] : [ok('rule kubeletVersions', rangeText(kubeletVersions))]),
    ...(disruption === undefined ? [] : [ok('rule disruption', `changes may need at most "${disruption}"`)]),
    ...(maintenance === undefined
      ? []
      : [warned('rule maintenance', `nothing is changed: ${maintenance}`, `take "maintenance" out of "${HOST_POLICY}"`)]),
  ]
  return shown.length > 0 ? shown : [ok('host policy', `"${HOST_POLICY}" limits nothing, or does not exist`)]
}

function listed(rule: string, allowed: readonly string[]): Finding {
  return ok(`rule ${rule}`, allowed.length === 0 ? 'allows none' : `allows only ${allowed.join(', ')}`)
}

function rangeText({ min, max }: NonNullable<HostPolicy['kubeletVersions']>): string {
  return [...(min === undefined ? [] : [`from ${min}`]), ...(max === undefined ? [] : [`up to ${max}`])].join(' ') || 'allows all'
}
