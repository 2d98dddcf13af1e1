import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { refreshNode } from '../cache/refresh-nodes.ts'
import type { Log } from '../log/log.ts'
import { uncordonPatch } from './node-patch.ts'

/** Attempts to lift a cordon at once. */
const MOST_LIFTS = 5

export interface UnmarkedCordonsOptions {
  readonly kube: KubeApi
  readonly log: Log
  readonly settings: { readonly names: Names }
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode'>
}

/** Another Node with its name has another uid, and its cordon is somebody else's. */
type Cordoned = Pick<ClusterNode, 'name' | 'uid'>

/** Cordons of ours whose mark the API server does not keep: they would count as somebody else's, and stay for ever. */
export class UnmarkedCordons {
  readonly #options: UnmarkedCordonsOptions
  /** Nodes that could not be uncordoned yet. */
  readonly #left = new Map<string, Cordoned>()

  constructor(options: UnmarkedCordonsOptions) {
    this.#options = options
  }

  /** Others write to a node that was cordoned a moment ago: Kubernetes adds a taint to it. */
  async lift(node: Cordoned): Promise<void> {
    const { log } = this.#options
    try {
      await this.#lift(node)
    } catch (error) {
      this.#left.set(node.name, node)
      log('warn', `uncordon "${node.name}", whose mark the API server does not keep: ${(error as Error).message}`)
    }
  }

  /** Nodes whose cordon is still to be lifted: the API server was away, say. */
  left(): readonly Cordoned[] {
    for (const node of this.#left.values()) if (!this.#unmarked(node)) this.#left.delete(node.name)
    return [...this.#left.values()]
  }

  /** Apart from what else is written to the node: that it can be uncordoned does not say that a mark is kept now. */
  async liftLeft(node: Cordoned): Promise<{ readonly isDone: boolean }> {
    await this.#lift(node)
    this.#left.delete(node.name)
    return { isDone: false }
  }

  async #lift(node: Cordoned): Promise<void> {
    for (let attempt = 1; !(await this.#liftOnce(node)); attempt += 1) {
      if (attempt === MOST_LIFTS) throw new Error(`others wrote to the node each of ${MOST_LIFTS} times`)
      await refreshNode(node.name, this.#options)
    }
  }

  /** As it is known now; undefined when it is uncordoned, marked or gone. */
  #unmarked({ name, uid }: Cordoned): ClusterNode | undefined {
    const node = this.#options.cluster.nodes.get(name)
    return node?.uid === uid && node.view.unschedulable && node.view.mark === undefined ? node : undefined
  }

  /** @returns false when another has written to the node meanwhile */
  async #liftOnce(cordoned: Cordoned): Promise<boolean> {
    const { kube, cluster, settings } = this.#options
    const node = this.#unmarked(cordoned)
    if (node === undefined) return true
    const { name } = node
    const context = { names: settings.names, resourceVersion: node.resourceVersion }
    const body = uncordonPatch({ kind: 'uncordon', node: name, lifts: true }, context)
    try {
      cluster.nodes.wrote(cluster.readNode(await kube.patch<KubeObject>(`/api/v1/nodes/${name}`, body)))
      return true
    } catch (error) {
      if (error instanceof KubeError && error.reaction === 'conflict') return false
      throw error
    }
  }
}
