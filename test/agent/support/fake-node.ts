import type { ConnectionEvents, MirrorPod, NodeApi, OwnNode } from '../../../src/agent/ports.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import type { NodeStatus } from '../../../src/sim/host/simulated-host.ts'

/** One Node and the ConfigMaps it may read, in memory. */
export class FakeNode implements NodeApi {
  /** Every patch that was made, in order. */
  readonly patches: Readonly<Record<string, string | null>>[] = []
  /** When the kubelet renewed its Lease; undefined: there is none. */
  lease: number | undefined
  readonly configMaps = new Map<string, Record<string, string>>()
  readonly secrets = new Map<string, Record<string, string>>()
  /** What its kubelet shows for a static pod. */
  mirror: (namespace: string, name: string) => MirrorPod | undefined = () => undefined
  /** The connection broke, and stands again; nothing changed in between. */
  reconnect = (): void => {}
  #node: OwnNode
  #changed = Promise.withResolvers<void>()

  constructor(kubeletVersion: string) {
    this.#node = {
      name: 'a',
      uid: 'u1',
      version: '1',
      arch: 'amd64',
      annotations: {},
      labels: {},
      ready: true,
      heartbeat: undefined,
      kubeletVersion,
      endpoint: { address: '10.0.0.9', port: 10250 },
    }
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#node.annotations
  }

  /** As a person or the controller would write it; null removes it. */
  write(key: string, value: string | null): void {
    const rest = Object.entries(this.#node.annotations).filter(([name]) => name !== key)
    this.#set({ annotations: Object.fromEntries(value === null ? rest : [...rest, [key, value]]) })
  }

  /** As the controller labels the nodes of its pools. */
  label(key: string, value: string): void {
    this.#set({ labels: { ...this.#node.labels, [key]: value } })
  }

  /** Deleted by somebody and registered again by its kubelet: nothing that stood on it is left. */
  registerAgain(uid: string): void {
    this.#set({ uid, annotations: {}, labels: {} })
  }

  /** Etcd holds what it held before; the Node is the same. */
  restore(annotations: Readonly<Record<string, string>>): void {
    this.#set({ annotations })
  }

  kubeletTold({ ready, kubeletVersion, heartbeat, renewed }: NodeStatus): void {
    this.lease = renewed ?? this.lease
    const known = {
      ...(kubeletVersion === undefined ? {} : { kubeletVersion }),
      ...(heartbeat === undefined ? {} : { heartbeat }),
    }
    this.#set({ ready, ...known })
  }

  async *follow(signal: AbortSignal, { onOpen }: ConnectionEvents = {}): AsyncIterable<OwnNode> {
    this.reconnect = () => onOpen?.()
    this.reconnect()
    while (!signal.aborted) {
      const changed = this.#changed.promise
      yield this.#node
      if (!signal.aborted) await Promise.race([changed, aborted(signal)])
    }
  }

  async get(_options?: Parameters<NodeApi['get']>[0]): Promise<OwnNode> {
    return this.#node
  }

  async leaseRenewed(): Promise<number | undefined> {
    return this.lease
  }

  async annotate(annotations: Readonly<Record<string, string | null>>, version: string): Promise<OwnNode> {
    if (version !== this.#node.version) throw new KubeError('the object has been modified', { code: 409, reason: 'Conflict' })
    this.patches.push(annotations)
    const kept = Object.entries({ ...this.#node.annotations, ...annotations })
    this.#set({ annotations: Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== null)) })
    return this.#node
  }

  async configMap(namespace: string, name: string): Promise<Readonly<Record<string, string>>> {
    const data = this.configMaps.get(`${namespace}/${name}`)
    if (data) return data
    throw new KubeError(`configmaps "${name}" not found`, { code: 404, reason: 'NotFound' })
  }

  async secret(namespace: string, name: string): Promise<Readonly<Record<string, string>>> {
    const data = this.secrets.get(`${namespace}/${name}`)
    if (data) return data
    throw new KubeError(`secrets "${name}" not found`, { code: 404, reason: 'NotFound' })
  }

  async mirrorPod(namespace: string, name: string): Promise<MirrorPod | undefined> {
    return this.mirror(namespace, name)
  }

  #set(change: Partial<OwnNode>): void {
    this.#node = { ...this.#node, ...change, version: String(Number(this.#node.version) + 1) }
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
