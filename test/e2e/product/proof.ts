/** Pods that prove nodes, and what is noted of them. */
import type { Cluster } from '../cluster/cluster.ts'
import type { ApiNode } from '../cluster/node.ts'

/** Names of those that are there. */
export async function proofPods({ api }: Cluster): Promise<readonly string[]> {
  const { items } = await api.ask<{ items: { metadata: { name: string } }[] }>('/api/v1/namespaces/nodewave-proof/pods')
  return items.map(({ metadata }) => metadata.name)
}

/** Names of nodes on which a pod has run for their present assignment. */
export async function provedNodes({ api }: Cluster): Promise<readonly string[]> {
  const { items } = await api.ask<{ items: ApiNode[] }>('/api/v1/nodes')
  return items.flatMap(({ metadata: { name, annotations = {} } }) =>
    annotations['nodewave.io/proof']?.includes('"state":"Passed"') ? [name] : [],
  )
}
