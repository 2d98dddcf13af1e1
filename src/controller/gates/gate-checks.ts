import type { KubeApi } from '../../kube/kube-api.ts'
import { DEFAULT_GATES_NAMESPACE } from '../../protocol/names.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { GateChecks } from './gate-check.ts'
import { job } from './job.ts'
import { nodeConditions } from './node-conditions.ts'
import { type PrometheusAccess, prometheus } from './prometheus.ts'
import { workloads } from './workloads.ts'

/** Each kind, asked for real. */
export function gateChecks({
  ports,
  settings,
  cluster,
}: {
  readonly ports: { readonly kube: KubeApi; readonly prometheus?: PrometheusAccess }
  readonly settings: { readonly gatesNamespace?: string }
  readonly cluster: Pick<ClusterCache, 'nodes'>
}): GateChecks {
  return {
    nodeConditions: nodeConditions(cluster.nodes),
    prometheus: prometheus(ports.prometheus),
    job: job({ kube: ports.kube, namespace: settings.gatesNamespace ?? DEFAULT_GATES_NAMESPACE }),
    workloads: workloads(ports.kube),
  }
}
