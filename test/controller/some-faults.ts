import type { Replicas } from './replicas.ts'
import { assignedRevision, NODES, POOLS, readyOf } from './stage.ts'

export const A = 'a'.repeat(40)

export const B = 'b'.repeat(40)

export const SECOND = 1000

export const MINUTE = 60 * SECOND

export async function atRevision(replicas: Replicas, revision: string): Promise<string[]> {
  const nodes = await replicas.list(NODES)
  return nodes.filter((node) => assignedRevision(node) === revision).map(({ metadata }) => metadata.name)
}

export async function readiness(replicas: Replicas): Promise<string> {
  const [pool] = await replicas.list(POOLS)
  return readyOf(pool)
}

/** Reasons of the events that tell of a refused write. */
export async function refusals(replicas: Replicas): Promise<unknown[]> {
  const events = await replicas.list('/api/v1/namespaces/default/events')
  return events.map(({ reason }) => reason).filter((reason) => String(reason).endsWith('Refused'))
}

/** A pool without nodes. */
export const SPARE = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: spare}
spec: {nodeSelector: {matchLabels: {role: spare}}}
`
