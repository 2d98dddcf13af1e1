import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { RunGateCheck } from './gate-check.ts'
import { judgeLacks, type Lack, lackOf, WORKLOAD_KINDS } from './workload-lacks.ts'

type WorkloadsCheck = Extract<GateCheck, { kind: 'workloads' }>

/** Looks at whole namespaces, not only at the nodes of the wave: pods that were drained from there are elsewhere now, or nowhere. */
export function workloads(kube: Pick<KubeApi, 'list'>): RunGateCheck<WorkloadsCheck> {
  return async (check, asked, signal) => judgeLacks(await lackingWorkloads(kube, { check, signal }), asked)
}

async function lackingWorkloads(
  kube: Pick<KubeApi, 'list'>,
  { check, signal }: { readonly check: WorkloadsCheck; readonly signal: AbortSignal },
): Promise<readonly Lack[]> {
  const places = check.namespaces?.map((namespace) => `/apis/apps/v1/namespaces/${namespace}`) ?? ['/apis/apps/v1']
  const lists = places.flatMap((place) => WORKLOAD_KINDS.map((kind) => ({ path: `${place}/${kind.plural}`, kind })))
  const found: Lack[] = []
  for (const { path, kind } of lists) {
    const { items } = await kube.list(path, { project: (object: KubeObject) => lackOf(object, kind), signal })
    found.push(...items.filter(({ missing }) => missing > 0))
  }
  return found
}
