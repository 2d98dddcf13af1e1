/** Templates of Jobs for gates, and what becomes of the Jobs. */
import { stringify } from 'yaml'
import { TEST_IMAGE } from '../build/images.ts'
import type { Cluster } from '../cluster/cluster.ts'

const namespace = 'nodewave-gates'
const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`

export interface GateTemplate {
  readonly name: string
  /** For `sh -c`. */
  readonly script: string
  /** Whether Jobs wait for `startJobs` before they run. */
  readonly held?: boolean
}

/** As docs/rollouts.md shows it: pods of this namespace keep to the Pod Security Standard "restricted". */
export async function applyTemplate(cluster: Cluster, { name, script, held = false }: GateTemplate): Promise<void> {
  const container = {
    name,
    image: TEST_IMAGE,
    imagePullPolicy: 'Never',
    command: ['sh', '-c', script],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  }
  const securityContext = { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: 'RuntimeDefault' } }
  const pod = { restartPolicy: 'Never', automountServiceAccountToken: false, securityContext, containers: [container] }
  const jobTemplate = { spec: { suspend: held, backoffLimit: 0, template: { spec: pod } } }
  const spec = { suspend: true, schedule: '0 0 1 1 *', jobTemplate }
  const manifest = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name, namespace }, spec }
  await cluster.kubectl(['apply', '--warnings-as-errors', '-f', '-'], { input: stringify(manifest) })
}

/** Lets the Jobs of a held template run; gives how many there were. */
export async function startJobs({ api }: Cluster): Promise<number> {
  const { items } = await api.ask<{ items: readonly { metadata: { name: string }; spec: { suspend?: boolean } }[] }>(jobs)
  const held = items.filter(({ spec }) => spec.suspend)
  const start = { method: 'PATCH', body: { spec: { suspend: false } } } as const
  await Promise.all(held.map(({ metadata }) => api.ask(`${jobs}/${metadata.name}`, start)))
  return held.length
}
