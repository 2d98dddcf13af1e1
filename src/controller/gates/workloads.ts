import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { GateResult, RunGateCheck } from './gate-check.ts'

type WorkloadsCheck = Extract<GateCheck, { kind: 'workloads' }>

/** What is noted stands in the pool's status. */
const MAX_NOTED = 200
const TOLD = 3

/** How much of a workload is missing; of most that are looked at, nothing. */
interface Lack {
  /** `DaemonSet kube-system/cni` */
  readonly name: string
  readonly missing: number
  readonly createdAt: number
}

/**
 * Compares what is unavailable after a wave with what was before it. In whole namespaces, not only on the nodes of the wave: pods that
 * were drained from there are elsewhere now, or nowhere. What was made since then has not been available before, and counts for nothing.
 */
export function workloads(kube: Pick<KubeApi, 'list'>): RunGateCheck<WorkloadsCheck> {
  return async (check, { question, before, recordedAt = '' }, signal) => {
    const lacking = await lackingWorkloads(kube, { check, signal })
    return question === 'before' ? note(lacking) : compare(lacking, { before, recordedAt: Date.parse(recordedAt) })
  }
}

function note(lacking: readonly Lack[]): GateResult {
  if (lacking.length > MAX_NOTED)
    throw new Error(
      `${lacking.length} workloads are already unavailable, more than can be recorded; name the namespaces to check`,
    )
  const unavailable = lacking.map(({ name, missing }) => `${name} ${missing}`).sort()
  return { verdict: 'Passed', message: `${lacking.length} workloads are already unavailable`, unavailable }
}

function compare(
  lacking: readonly Lack[],
  { before, recordedAt }: { readonly before: readonly string[]; readonly recordedAt: number },
): GateResult {
  const noted = new Map(
    before.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
  const worse = lacking.filter(({ name, missing, createdAt }) => !(createdAt > recordedAt) && missing > (noted.get(name) ?? 0))
  if (worse.length === 0) return { verdict: 'Passed', message: 'every workload that was available before is still available' }
  const shown = worse.slice(0, TOLD).map(({ name, missing }) => `${name} lacks ${missing}, ${noted.get(name) ?? 0} before`)
  const more = worse.length > TOLD ? `; and ${worse.length - TOLD} more` : ''
  return { verdict: 'NotPassed', value: worse.length, message: `${shown.sort().join('; ')}${more}` }
}

const KINDS = [
  { plural: 'deployments', kind: 'Deployment', missing: ofDeployment },
  { plural: 'statefulsets', kind: 'StatefulSet', missing: ofStatefulSet },
  { plural: 'daemonsets', kind: 'DaemonSet', missing: ofDaemonSet },
] as const

async function lackingWorkloads(
  kube: Pick<KubeApi, 'list'>,
  { check, signal }: { readonly check: WorkloadsCheck; readonly signal: AbortSignal },
): Promise<readonly Lack[]> {
  const places = check.namespaces?.map((namespace) => `/apis/apps/v1/namespaces/${namespace}`) ?? ['/apis/apps/v1']
  const lists = places.flatMap((place) => KINDS.map((kind) => ({ path: `${place}/${kind.plural}`, ...kind })))
  const found: Lack[] = []
  for (const { path, kind, missing } of lists) {
    const project = (object: KubeObject): Lack => ({ ...about(kind, object), missing: missing(object as Workload) })
    const { items } = await kube.list(path, { project, signal })
    found.push(...items.filter((item) => item.missing > 0))
  }
  return found
}

function about(kind: string, { metadata }: KubeObject): Omit<Lack, 'missing'> {
  return {
    name: `${kind} ${metadata.namespace}/${metadata.name}`,
    createdAt: Date.parse(metadata.creationTimestamp ?? ''),
  }
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
