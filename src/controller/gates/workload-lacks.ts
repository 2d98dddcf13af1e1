import type { KubeObject } from '../../kube/kube-api.ts'
import type { AskGate } from '../../rollout/model/decision.ts'
import type { GateResult } from './gate-check.ts'

/** What is noted stands in the pool's status. */
const MAX_NOTED = { workloads: 200, characters: 20_000 }
const TOLD = 3

/** How much of a workload is missing; of most that are looked at, nothing. */
export interface Lack {
  /** `DaemonSet kube-system/cni` */
  readonly name: string
  readonly missing: number
  readonly createdAt: number
}

/** Kinds of workloads that are looked at. */
export const WORKLOAD_KINDS = [
  { plural: 'deployments', kind: 'Deployment', missing: ofDeployment },
  { plural: 'statefulsets', kind: 'StatefulSet', missing: ofStatefulSet },
  { plural: 'daemonsets', kind: 'DaemonSet', missing: ofDaemonSet },
] as const

export function lackOf(object: KubeObject, { kind, missing }: (typeof WORKLOAD_KINDS)[number]): Lack {
  const { namespace, name, creationTimestamp = '' } = object.metadata
  return {
    name: `${kind} ${namespace}/${name}`,
    createdAt: Date.parse(creationTimestamp),
    missing: missing(object as Workload),
  }
}

/**
 * Compares what is unavailable after a wave with what was before it. What was made since then has not been available before, and counts
 * for nothing.
 * @throws when more is unavailable before the wave than can be recorded
 */
export function judgeLacks(
  found: readonly Lack[],
  { question, before, recordedAt = '' }: Pick<AskGate, 'question' | 'before' | 'recordedAt'>,
): GateResult {
  const lacking = found.filter(({ missing }) => missing > 0)
  if (question === 'before') return note(before === undefined ? lacking : stillLacking(lacking, before))
  return compare(lacking, { before: before ?? [], recordedAt: Date.parse(recordedAt) })
}

/** What was so before counts for as much of it as has not been repaired since. */
function stillLacking(lacking: readonly Lack[], before: readonly string[]): readonly Lack[] {
  const noted = countsOf(before)
  return lacking
    .map((lack) => ({ ...lack, missing: Math.min(lack.missing, noted.get(lack.name) ?? 0) }))
    .filter(({ missing }) => missing > 0)
}

/** By name, as a record has them. */
function countsOf(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

function note(lacking: readonly Lack[]): GateResult {
  const unavailable = lacking.map(({ name, missing }) => `${name} ${missing}`).sort()
  if (lacking.length > MAX_NOTED.workloads || unavailable.join().length > MAX_NOTED.characters)
    throw new Error(
      `${lacking.length} workloads are already unavailable, more than can be recorded; name the namespaces to check`,
    )
  return { verdict: 'Passed', message: `${lacking.length} workloads are already unavailable`, unavailable }
}

function compare(
  lacking: readonly Lack[],
  { before, recordedAt }: { readonly before: readonly string[]; readonly recordedAt: number },
): GateResult {
  const noted = countsOf(before)
  const worse = lacking.filter(({ name, missing, createdAt }) => !(createdAt > recordedAt) && missing > (noted.get(name) ?? 0))
  if (worse.length === 0) return { verdict: 'Passed', message: 'every workload that was available before is still available' }
  const unnoted = Number.isNaN(recordedAt) ? 'unknown' : '0'
  const shown = worse.slice(0, TOLD).map(({ name, missing }) => `${name} lacks ${missing}, ${noted.get(name) ?? unnoted} before`)
  const more = worse.length > TOLD ? `; and ${worse.length - TOLD} more` : ''
  return { verdict: 'NotPassed', value: worse.length, message: `${shown.sort().join('; ')}${more}` }
}

interface Workload {
  readonly spec?: { readonly replicas?: number }
  readonly status?: {
    readonly availableReplicas?: number
    readonly numberUnavailable?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

/** Its own word counts, which bears as many missing pods as its update strategy does. */
function ofDeployment({ spec, status }: Workload): number {
  const available = status?.conditions?.some(({ type, status: holds }) => type === 'Available' && holds === 'True')
  return available ? 0 : Math.max(1, (spec?.replicas ?? 1) - (status?.availableReplicas ?? 0))
}

function ofStatefulSet({ spec, status }: Workload): number {
  return Math.max(0, (spec?.replicas ?? 1) - (status?.availableReplicas ?? 0))
}

function ofDaemonSet({ status }: Workload): number {
  return status?.numberUnavailable ?? 0
}
