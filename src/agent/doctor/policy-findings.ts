import { HOST_POLICY } from '../paths.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import { type Finding, failed, ok, warned } from './finding.ts'

/** What each rule says, with its name as a refusal has it. */
export function policyFindings({ maintenance, ...rules }: HostPolicy, missing: readonly string[]): Finding[] {
  const { kinds, paths, units, packages, urlHosts, kubeletVersions, disruption, steps } = rules
  const lists = { kinds, paths, units, packages, urlHosts }
  const shown = [
    ...Object.entries(lists).flatMap(([rule, allowed]) => (allowed === undefined ? [] : [listed(rule, allowed)])),
    ...(kubeletVersions === undefined ? [] : [ok('rule kubeletVersions', rangeText(kubeletVersions))]),
    ...(disruption === undefined ? [] : [ok('rule disruption', `changes may need at most "${disruption}"`)]),
    ...(steps === undefined ? [] : [stepsOf(Object.keys(steps), missing)]),
    ...(maintenance === undefined
      ? []
      : [warned('rule maintenance', `nothing is changed: ${maintenance}`, `take "maintenance" out of "${HOST_POLICY}"`)]),
  ]
  return shown.length > 0 ? shown : [ok('host policy', `"${HOST_POLICY}" limits nothing, or does not exist`)]
}

function stepsOf(names: readonly string[], missing: readonly string[]): Finding {
  if (missing.length === 0) return ok('rule steps', `Git may name ${names.join(', ') || 'none'}`)
  const why = `no program that can be run: ${missing.map((path) => `"${path}"`).join(', ')}`
  return failed('rule steps', why, 'install it, or take the step out: each change that names it fails')
}

function listed(rule: string, allowed: readonly string[]): Finding {
  return ok(`rule ${rule}`, allowed.length === 0 ? 'allows none' : `allows only ${allowed.join(', ')}`)
}

function rangeText({ min, max }: NonNullable<HostPolicy['kubeletVersions']>): string {
  return [...(min === undefined ? [] : [`from ${min}`]), ...(max === undefined ? [] : [`up to ${max}`])].join(' ') || 'allows all'
}
