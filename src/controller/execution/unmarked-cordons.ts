import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { Action } from '../../rollout/model/decision.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
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

/** Cordons of ours whose mark the API server does not keep: they would count as somebody else's, and stay for ever. */
export class UnmarkedCordons {
  readonly #options: UnmarkedCordonsOptions
  /** Nodes that could not be uncordoned yet. */
  readonly #left = new Set<string>()

  constructor(options: UnmarkedCordonsOptions) {
    this.#options = options
  }

  /** Others write to a node that was cordoned a moment ago: Kubernetes adds a taint to it. */
  async lift(name: string): Promise<void> {
    const { log } = this.#options
    try {
      for (let attempt = 1; !(await this.#liftOnce(name)); attempt += 1) {
        if (attempt === MOST_LIFTS) throw new Error(`others wrote to the node each of ${MOST_LIFTS} times`)
        await refreshNode(name, this.#options)
      }
    } catch (error) {
      this.#left.add(name)
      log('warn', `uncordon "${name}", whose mark the API server does not keep: ${(error as Error).message}`)
    }
  }

  /** What is still to be lifted: the API server was away, say. */
  left(): readonly Extract<Action, { kind: 'uncordon' }>[] {
    for (const name of this.#left) if (!this.#isUnmarked(name)) this.#left.delete(name)
    return [...this.#left].map((node) => ({ kind: 'uncordon', node, lifts: true }))
  }

  #isUnmarked(name: string): boolean {
    const view = this.#options.cluster.nodes.get(name)?.view
    return view?.unschedulable === true && view.mark === undefined
  }

  /** @returns false when another has written to the node meanwhile */
  async #liftOnce(name: string): Promise<boolean> {
    const { kube, cluster, settings } = this.#options
    const node = cluster.nodes.get(name)
    if (node === undefined || !this.#isUnmarked(name)) return true
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
