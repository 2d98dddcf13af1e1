import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { RunGateCheck } from './gate-check.ts'
import { judgeLacks, type Lack, lackOf, WORKLOAD_KINDS } from './workload-lacks.ts'

type WorkloadsCheck = Extract<GateCheck, { kind: 'workloads' }>

/** Looks at whole namespaces, not only at the nodes of the wave: pods that were drained from there are elsewhere now, or nowhere. */
export function workloads(kube: Pick<KubeApi, 'list'>): RunGateCheck<WorkloadsCheck> {
  return async (check, asked, signal) => judgeLacks(await lackingWorkloads(check, { kube, signal }), asked)
}

interface Asking {
  readonly kube: Pick<KubeApi, 'list'>
  readonly signal: AbortSignal
}

async function lackingWorkloads({ namespaces }: WorkloadsCheck, asking: Asking): Promise<readonly Lack[]> {
  const found: Lack[] = []
  for (const namespace of namespaces ?? [undefined]) {
    const workloadsThere = await listWorkloads(namespace, asking)
    // One that is misspelt, or was removed, would let every commit pass.
    if (namespace !== undefined && workloadsThere.length === 0)
      throw new Error(`namespace "${namespace}" has no Deployment, StatefulSet or DaemonSet; correct the namespaces of the gate`)
    found.push(...workloadsThere.filter(({ missing }) => missing > 0))
  }
  return found
}

/** Of one namespace, or of all. */
async function listWorkloads(namespace: string | undefined, { kube, signal }: Asking): Promise<readonly Lack[]> {
  const place = namespace === undefined ? '/apis/apps/v1' : `/apis/apps/v1/namespaces/${namespace}`
  const found: Lack[] = []
  for (const kind of WORKLOAD_KINDS) {
    const { items } = await kube.list(`${place}/${kind.plural}`, {
      project: (object: KubeObject) => lackOf(object, kind),
      signal,
    })
    found.push(...items)
  }
  return found
}
