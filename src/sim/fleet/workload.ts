import type { Clock } from '../../agent/ports.ts'
import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import type { StoredChange } from '../apiserver/storage/change.ts'
import type { Store } from '../apiserver/storage/store.ts'

export interface WorkloadOptions {
  readonly store: Store
  readonly kube: KubeApi
  readonly clock: Clock
  /** Milliseconds from when a pod is to be created again until it is Ready. */
  readonly startTime: number
  readonly signal: AbortSignal
}

/** Owners whose pods are bound to their node, and end with it. */
const OF_THE_NODE = new Set(['DaemonSet', 'Node'])

/**
 * Stands in for the controllers of workloads and the scheduler: a pod that is gone is created again on a node that takes pods, the one
 * with the fewest; while there is none it waits.
 */
export class Workload {
  readonly #options: WorkloadOptions
  readonly #pods = new Map<string, number>()
  #waiting: KubeObject[] = []
  #made = 0

  constructor(options: WorkloadOptions) {
    this.#options = options
    const { store } = options
    for (const pod of store.list('pods')) this.#count(pod as unknown as KubeObject, 1)
    store.collection('pods').listen((change) => this.#lookAtPod(change))
    store.collection('nodes').listen(() => this.#place())
  }

  #lookAtPod({ type, entry, previous }: StoredChange): void {
    const pod = entry.object as unknown as KubeObject
    if (type === 'ADDED') this.#count(pod, 1)
    if (type === 'MODIFIED' && nodeOf(previous?.object as unknown as KubeObject) === undefined) this.#count(pod, 1)
    if (type !== 'DELETED') return
    this.#count(pod, -1)
    const owner = ownerOf(pod)
    if (owner === undefined || OF_THE_NODE.has(owner) || hasEnded(pod)) return
    this.#waiting.push(pod)
    this.#place()
  }

  #place(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const pod of waiting) {
      const node = this.#emptiestNode()
      if (node === undefined) this.#waiting.push(pod)
      else void this.#start(pod, node)
    }
  }

  #emptiestNode(): string | undefined {
    let best: string | undefined
    for (const node of this.#options.store.list('nodes') as unknown as KubeObject[]) {
      const { name } = node.metadata
      if (takesPods(node) && (best === undefined || this.#podsOn(name) < this.#podsOn(best))) best = name
    }
    return best
  }

  async #start(pod: KubeObject, nodeName: string): Promise<void> {
    const { kube, clock, startTime, signal } = this.#options
    const { namespace = 'default', labels, ownerReferences } = pod.metadata
    const name = `${pod.metadata.name.replace(/\.\d+$/, '')}.${++this.#made}`
    const path = `/api/v1/namespaces/${namespace}/pods`
    const metadata = { name, ...(labels && { labels }), ...(ownerReferences !== undefined && { ownerReferences }) }
    await kube.create(path, { metadata, spec: { ...(pod.spec as object), nodeName } })
    await clock.sleep(startTime, signal)
    if (signal.aborted || this.#options.store.get('pods', `${namespace}/${name}`) === undefined) return
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await kube.patch(`${path}/${name}/status`, { status })
  }

  #podsOn(node: string): number {
    return this.#pods.get(node) ?? 0
  }

  #count(pod: KubeObject, by: number): void {
    const node = nodeOf(pod)
    if (node !== undefined) this.#pods.set(node, this.#podsOn(node) + by)
  }
}

function nodeOf(pod: KubeObject | undefined): string | undefined {
  return (pod?.spec as { readonly nodeName?: string } | undefined)?.nodeName
}

/** The kind of what would create it again. */
function ownerOf({ metadata }: KubeObject): string | undefined {
  const owners = (metadata.ownerReferences ?? []) as readonly { readonly kind: string; readonly controller?: boolean }[]
  return owners.find(({ controller }) => controller === true)?.kind
}

function hasEnded({ status }: KubeObject): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string }
  return phase === 'Succeeded' || phase === 'Failed'
}

function takesPods({ spec, status }: KubeObject): boolean {
  const { unschedulable } = (spec ?? {}) as { readonly unschedulable?: boolean }
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly { type: string; status: string }[] }
  return unschedulable !== true && conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')
}
