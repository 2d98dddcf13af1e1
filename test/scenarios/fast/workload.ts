import type { SimNode } from './sim-node.ts'

export interface SimPod {
  readonly uid: string
  readonly kind: 'ReplicaSet' | 'DaemonSet' | 'bare'
  node?: string
  terminating: boolean
}

/** What the eviction API answers. */
export type Evicted = 'taken' | 'gone' | 'refused'

type Nodes = ReadonlyMap<string, SimNode>

/** One ReplicaSet over all nodes behind one PodDisruptionBudget, a DaemonSet, and pods that nobody makes anew; with scheduler and kubelets. */
export class Workload {
  readonly pods = new Map<string, SimPod>()
  /** Nothing to do since then: the version, and what nodes showed. */
  #rested = ''
  replicas = 0
  minAvailable = 0
  /** Counts up with each change. */
  version = 0
  #made = 0

  add(kind: SimPod['kind'], node?: string): void {
    const uid = `${kind}-${this.#made++}`
    this.pods.set(uid, { uid, kind, terminating: false, ...(node !== undefined && { node }) })
    this.version += 1
  }

  on(node: string): SimPod[] {
    return [...this.pods.values()].filter((pod) => pod.node === node)
  }

  /** A person deletes it. */
  end(pod: SimPod): void {
    pod.terminating = true
    this.version += 1
  }

  /** Kubelets end what was told to go, the ReplicaSet makes what is missing, the scheduler finds it a node. @param shown changes with the nodes */
  step(nodes: Nodes, shown: number): void {
    const state = `${this.version} ${shown}`
    if (state === this.#rested) return
    this.#goOn(nodes)
    if (state === `${this.version} ${shown}`) this.#rested = state
  }

  #goOn(nodes: Nodes): void {
    for (const pod of this.pods.values()) if (hasEnded(pod, nodes)) this.#remove(pod)
    const replicas = [...this.pods.values()].filter(({ kind, terminating }) => kind === 'ReplicaSet' && !terminating)
    for (let i = replicas.length; i < this.replicas; i++) this.add('ReplicaSet')
    for (const pod of this.pods.values()) if (pod.node === undefined) this.#schedule(pod, nodes)
  }

  /** As the API server does it, by the budget as the disruption controller would see it now. */
  evict(uid: string, nodes: Nodes): Evicted {
    const pod = this.pods.get(uid)
    if (!pod || pod.terminating) return pod ? 'taken' : 'gone'
    const healthy = [...this.pods.values()].filter((other) => isHealthy(other, nodes)).length
    const left = isHealthy(pod, nodes) ? healthy - 1 : healthy
    if (pod.kind === 'ReplicaSet' && left < this.minAvailable) return 'refused'
    pod.terminating = true
    this.version += 1
    return 'taken'
  }

  #remove({ uid }: SimPod): void {
    this.pods.delete(uid)
    this.version += 1
  }

  #schedule(pod: SimPod, nodes: Nodes): void {
    const free = [...nodes.values()].filter(({ shown }) => shown.ready && !shown.unschedulable)
    const [node] = free.sort((a, b) => this.on(a.name).length - this.on(b.name).length || (a.name < b.name ? -1 : 1))
    if (!node) return
    pod.node = node.name
    this.version += 1
  }
}

function hasEnded({ node, terminating }: SimPod, nodes: Nodes): boolean {
  if (node === undefined) return terminating
  const host = nodes.get(node)
  return host === undefined || (terminating && host.shown.ready)
}

function isHealthy({ kind, node, terminating }: SimPod, nodes: Nodes): boolean {
  return kind === 'ReplicaSet' && !terminating && node !== undefined && nodes.get(node)?.shown.ready === true
}
