/** Pods to look after while nodes change under them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'yaml'
import { TEST_IMAGE } from './build/images.ts'
import type { Cluster } from './cluster/cluster.ts'
import { waitUntil } from './cluster/wait.ts'

export interface WorkloadOptions {
  readonly name: string
  readonly replicas: number
  /** With it there is a PodDisruptionBudget too. */
  readonly minAvailable?: number
}

/** A Deployment spread over the nodes; resolves when all of it is ready. */
export async function deploy(cluster: Cluster, { name, replicas, minAvailable }: WorkloadOptions): Promise<void> {
  const labels = { app: name }
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  }
  // Process 1 ignores SIGTERM until it asks for it, and an eviction then takes the whole grace period.
  const command = ['sh', '-c', 'trap "exit 0" TERM; httpd -h /www -p 8080; sleep 86400 & wait']
  const spec = { terminationGracePeriodSeconds: 1, topologySpreadConstraints: [spread] }
  const container = { name, image: TEST_IMAGE, imagePullPolicy: 'Never', command }
  const template = { metadata: { labels }, spec: { ...spec, containers: [container] } }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template },
  }
  await cluster.apply(stringify(deployment))
  if (minAvailable !== undefined) {
    const budget = { minAvailable, selector: { matchLabels: labels } }
    await cluster.apply(stringify({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec: budget }))
  }
  await waitPodsReady(cluster, { name, replicas })
}

/** Until the Deployment has all of its pods, and no others, and they are ready: none is going or still to come. */
export async function waitPodsReady(cluster: Cluster, { name, replicas }: WorkloadOptions): Promise<void> {
  const ready = async () => {
    const pods = await podsOf(cluster, name)
    return pods.length === replicas && pods.every(isReady)
  }
  await waitUntil(ready, { for: `${replicas} pods of "${name}" to be ready` })
}

export interface ApiPod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
  readonly spec: { readonly nodeName?: string }
  readonly status: {
    readonly phase?: string
    readonly podIP?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly containerStatuses?: readonly { readonly containerID?: string; readonly ready: boolean }[]
  }
}

export async function podsOf(cluster: Cluster, name: string): Promise<readonly ApiPod[]> {
  const list = await cluster.api.ask<{ items: readonly ApiPod[] }>(`/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`)
  return list.items
}

/** Pod → its container; two equal answers mean that nothing was restarted in between. */
export async function containersOf(cluster: Cluster, name: string): Promise<Readonly<Record<string, string>>> {
  const pods = await podsOf(cluster, name)
  return Object.fromEntries(
    pods.map(({ metadata, status }) => [metadata.name, status.containerStatuses?.[0]?.containerID ?? '']).sort(),
  )
}

export interface AvailabilitySampler extends AsyncDisposable {
  /** The fewest pods that were seen to work at once. */
  fewest(): number
  samples(): number
}

/**
 * Count the pods that work again and again until disposed; while the API server is away nothing is counted.
 *
 * Their containers are asked: a kubelet that was just started may say for ten seconds that its node is not ready ("CSINode is not yet
 * initialized"), and the controller-manager then says the same of pods to which nothing has happened.
 */
export function sampleAvailability(cluster: Cluster, name: string, everyMs = 100): AvailabilitySampler {
  const counts: number[] = []
  const stop = new AbortController()
  const loop = (async () => {
    while (!stop.signal.aborted) {
      await podsOf(cluster, name).then(
        (pods) => counts.push(pods.filter(works).length),
        () => undefined,
      )
      await sleep(everyMs)
    }
  })()
  return {
    fewest: () => Math.min(...counts),
    samples: () => counts.length,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await loop
    },
  }
}

function works({ metadata, status }: ApiPod): boolean {
  const { containerStatuses = [] } = status
  return metadata.deletionTimestamp === undefined && containerStatuses.length > 0 && containerStatuses.every(({ ready }) => ready)
}

function isReady({ metadata, status }: ApiPod): boolean {
  const ready = status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
  return ready && metadata.deletionTimestamp === undefined
}
