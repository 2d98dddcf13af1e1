import * as z from 'zod'
import type { KubeApi } from '../kube/kube-api.ts'

const metadata = z.object({
  name: z.string(),
  namespace: z.string().default('default'),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  ownerReferences: z.array(z.record(z.string(), z.json())).default([]),
})

const volume = z.object({ name: z.string(), emptyDir: z.object({}).optional() })

/** What a drain looks at; the rest of a pod is left out. */
const pod = z.object({
  kind: z.literal('Pod'),
  metadata,
  spec: z.object({ nodeName: z.string().optional(), volumes: z.array(volume).default([]) }),
  status: z.object({
    phase: z.string().default('Running'),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
  }),
})

const budget = z.object({ kind: z.literal('PodDisruptionBudget'), metadata, spec: z.record(z.string(), z.json()) })

export const podObjects = z.object({ items: z.array(z.discriminatedUnion('kind', [pod, budget])) })
export type PodObjects = z.output<typeof podObjects>['items']

/** Budgets last: until then their pods may go as they come. */
export async function putPods(kube: KubeApi, items: PodObjects): Promise<void> {
  for (const name of new Set(items.map((item) => item.metadata.namespace)))
    if (!BUILT_IN.has(name)) await kube.create('/api/v1/namespaces', { metadata: { name } })
  for (const item of items) if (item.kind === 'Pod' && item.spec.nodeName !== undefined) await putPod(kube, item)
  for (const item of items)
    if (item.kind === 'PodDisruptionBudget')
      await kube.create(`/apis/policy/v1/namespaces/${item.metadata.namespace}/poddisruptionbudgets`, {
        metadata: item.metadata,
        spec: item.spec,
      })
}

/** Namespaces that the embedded server begins with, or that the simulation makes. */
const BUILT_IN = new Set(['default', 'kube-node-lease', 'kube-public', 'kube-system', 'nodewave-system', 'nodewave-revisions'])

async function putPod(
  kube: KubeApi,
  { metadata: about, spec, status }: Extract<PodObjects[number], { kind: 'Pod' }>,
): Promise<void> {
  const path = `/api/v1/namespaces/${about.namespace}/pods`
  const containers = [{ name: 'main', image: 'simulated' }]
  await kube.create(path, { metadata: about, spec: { ...spec, containers } })
  await kube.patch(`${path}/${about.name}/status`, { status })
}
