import type { FollowEvent, KubeApi, KubeObject } from '../kube/kube-api.ts'
import { type AgentStatus, parseAgentStatus } from '../protocol/agent-status.ts'
import { API_GROUP, API_VERSION, NODEPOOLS, namesFor } from '../protocol/names.ts'
import type { NodePoolStatus } from '../protocol/node-pool.ts'

export interface DemoNode {
  readonly name: string
  readonly pool: string | undefined
  readonly zone: string
  readonly ready: boolean
  readonly kubeletVersion: string
  readonly desired: string | undefined
  readonly status: AgentStatus | undefined
}

export interface PoolSight {
  readonly name: string
  readonly status: NodePoolStatus | undefined
}

/** What `kubectl get nodes,nodepools --watch` would show: the demo checks itself only by this, never by asking its own parts. */
export class FleetView {
  readonly nodes = new Map<string, DemoNode>()
  readonly pools = new Map<string, PoolSight>()
  readonly #listeners = new Set<() => void>()
  #failure: unknown

  /** Follows the cluster until the signal; rejects when the API server refuses. */
  async follow(api: KubeApi, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#keep(this.nodes, api.follow('/api/v1/nodes', { project: toNode, signal })),
      this.#keep(this.pools, api.follow(`/apis/${API_GROUP}/${API_VERSION}/${NODEPOOLS}`, { project: toPool, signal })),
    ])
  }

  /** Whoever waits for something learns that it will never be seen. */
  fail(reason: unknown): void {
    this.#failure = reason
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits until the fleet looks so. @throws when it does not within `timeout` milliseconds, saying what was awaited. */
  until(what: string, { when, timeout }: { when: (view: FleetView) => boolean; timeout: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer)
        stop()
        settle()
      }
      const check = (): void => {
        if (this.#failure !== undefined) finish(() => reject(this.#failure))
        else if (when(this)) finish(resolve)
      }
      const timer = setTimeout(() => finish(() => reject(new Error(`not seen within ${timeout / 1000} s: ${what}`))), timeout)
      const stop = this.onChange(check)
      check()
    })
  }

  async #keep<T extends { name: string }>(known: Map<string, T>, events: AsyncIterable<FollowEvent<T>>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'sync') {
        known.clear()
        for (const item of event.items) known.set(item.name, item)
      } else if (event.type === 'upsert') known.set(event.item.name, event.item)
      else known.delete(event.name)
      for (const listener of this.#listeners) listener()
    }
  }
}

const NAMES = namesFor()

function toNode(object: KubeObject): DemoNode {
  const { labels = {}, annotations = {} } = object.metadata
  const status = object.status as
    | { conditions?: { type: string; status: string }[]; nodeInfo?: { kubeletVersion?: string } }
    | undefined
  return {
    name: object.metadata.name,
    pool: labels[NAMES.pool],
    zone: labels['topology.kubernetes.io/zone'] ?? '',
    ready: status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false,
    kubeletVersion: status?.nodeInfo?.kubeletVersion ?? '',
    desired: annotations[NAMES.desiredConfig],
    status: parseAgentStatus(annotations[NAMES.status]),
  }
}

function toPool(object: KubeObject): PoolSight {
  return { name: object.metadata.name, status: object.status as NodePoolStatus | undefined }
}
