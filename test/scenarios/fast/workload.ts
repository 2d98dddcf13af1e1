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

/** One ReplicaSet over all nodes behind one PodDisruptionBudget, a DaemonSet, and pods that nobody makes again; with scheduler and kubelets. */
export class Workload {
  readonly pods = new Map<string, SimPod>()
  /** Nothing to do since then: the version, and what nodes showed. */
  #rested: { readonly version: number; readonly shown: number } | undefined
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
    const pods: SimPod[] = []
    for (const pod of this.pods.values()) if (pod.node === node) pods.push(pod)
    return pods
  }

  /** A person deletes it. */
  end(pod: SimPod): void {
    pod.terminating = true
    this.version += 1
  }

  /** Kubelets end what was told to go, the ReplicaSet makes what is missing, the scheduler finds it a node. @param shown changes with the nodes */
  step(nodes: Nodes, shown: number): void {
    const { version } = this
    if (this.#rested?.version === version && this.#rested.shown === shown) return
    this.#goOn(nodes)
    if (this.version === version) this.#rested = { version, shown }
  }

  #goOn(nodes: Nodes): void {
    let replicas = 0
    let isWaiting = false
    for (const pod of this.pods.values()) {
      if (hasEnded(pod, nodes)) this.#remove(pod)
      else if (pod.kind === 'ReplicaSet' && !pod.terminating) replicas += 1
      isWaiting ||= pod.node === undefined
    }
    for (let i = replicas; i < this.replicas; i++) this.add('ReplicaSet')
    if (isWaiting || replicas < this.replicas) this.#schedule(nodes)
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

  /** Each where there are the fewest. */
  #schedule(nodes: Nodes): void {
    const free = [...nodes.values()].filter(({ shown }) => shown.ready && !shown.unschedulable).map(({ name }) => name)
    if (free.length === 0) return
    const loads = new Map(free.sort().map((name) => [name, this.on(name).length]))
    for (const pod of this.pods.values()) {
      if (pod.node !== undefined) continue
      const node = leastOf(loads)
      loads.set(node, (loads.get(node) ?? 0) + 1)
      pod.node = node
      this.version += 1
    }
  }
}

function leastOf(loads: ReadonlyMap<string, number>): string {
  const least = Math.min(...loads.values())
  for (const [name, load] of loads) if (load === least) return name
  throw new Error('there is no node')
}

function hasEnded({ node, terminating }: SimPod, nodes: Nodes): boolean {
  if (node === undefined) return terminating
  const host = nodes.get(node)
  return host === undefined || (terminating && host.shown.ready)
}

function isHealthy({ kind, node, terminating }: SimPod, nodes: Nodes): boolean {
  return kind === 'ReplicaSet' && !terminating && node !== undefined && nodes.get(node)?.shown.ready === true
}
