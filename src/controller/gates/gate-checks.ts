import type { KubeApi } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import { DEFAULT_GATES_NAMESPACE } from '../../protocol/names.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import { refreshPool } from '../cache/refresh-nodes.ts'
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
  readonly settings: { readonly gatesNamespace?: string; readonly names: Names }
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode'>
}): GateChecks {
  const { kube } = ports
  return {
    nodeConditions: nodeConditions({
      nodes: cluster.nodes,
      refresh: (pool) => refreshPool(pool, settings.names, { kube, cluster }),
    }),
    prometheus: prometheus(ports.prometheus),
    job: job({ kube, namespace: settings.gatesNamespace ?? DEFAULT_GATES_NAMESPACE }),
    workloads: workloads(kube),
  }
}
