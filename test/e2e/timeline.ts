/** What happened to the nodes, and when: every change of a Node that matters to a rollout, with its time. */
import type { ApiClient } from './cluster/api-client.ts'
import type { ApiNode } from './cluster/node.ts'
import { waitUntil } from './cluster/wait.ts'

const PREFIX = 'nodewave.io/'

export interface Moment {
  /** As `performance.now()` tells it. */
  readonly at: number
  readonly node: string
  readonly kubelet: string
  /** Id of the boot in which its kubelet reports. */
  readonly boot: string
  readonly ready: boolean
  readonly cordoned: boolean
  /** All of nodewave's, without the prefix. */
  readonly annotations: Readonly<Record<string, string>>
}

export interface Timeline extends Disposable {
  /**
   * Everything until now, in order: what the API server has accepted before the question is in it. Its watch is a connection of its
   * own, and behind what a scenario was told on another one; so there is no other way to ask what has happened so far.
   */
  upToNow(): Promise<readonly Moment[]>
  /** The first moment that fits, past or to come. */
  first(fits: (moment: Moment) => boolean, what: string): Promise<Moment>
}

/** Resolves when it has begun: nothing that is done after that is missed. */
export async function startTimeline(api: ApiClient): Promise<Timeline> {
  const abort = new AbortController()
  const moments: Moment[] = []
  const seen = new Map<string, { readonly version: number; readonly text: string }>()

  /** Heartbeats change a Node too; they are no moments. A watch that begins again tells again what is known. */
  function take(node: ApiNode): void {
    const { name } = node.metadata
    const last = seen.get(name)
    const version = versionOf(node)
    if (last !== undefined && version <= last.version) return
    const moment = momentOf(node)
    const text = JSON.stringify(moment)
    seen.set(name, { version, text })
    if (text !== last?.text) moments.push({ at: performance.now(), ...moment })
  }
  async function upToNow(): Promise<readonly Moment[]> {
    const { items } = await api.ask<{ items: readonly ApiNode[] }>('/api/v1/nodes')
    const known = (node: ApiNode) => (seen.get(node.metadata.name)?.version ?? 0) >= versionOf(node)
    await waitUntil(() => items.every(known), { for: 'the timeline to catch up', everyMs: 5 })
    return [...moments]
  }
  api.watch<ApiNode>(
    '/api/v1/nodes',
    ({ type, object }) => (type === 'ADDED' || type === 'MODIFIED') && take(object),
    abort.signal,
  )
  await upToNow()
  return {
    upToNow,
    first: (fits, what) => waitUntil(() => moments.find(fits), { for: what, everyMs: 10 }),
    [Symbol.dispose]: () => abort.abort(),
  }
}

/** It grows with every write; clients may compare those of one kind. */
function versionOf({ metadata }: ApiNode): number {
  return Number(metadata.resourceVersion)
}

function momentOf({ metadata, spec, status }: ApiNode): Omit<Moment, 'at'> {
  const ours = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(PREFIX))
  return {
    node: metadata.name,
    boot: status.nodeInfo.bootID,
    kubelet: status.nodeInfo.kubeletVersion.replace(/^v/, ''),
    ready: (status.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    cordoned: spec.unschedulable ?? false,
    annotations: Object.fromEntries(ours.map(([key, value]) => [key.slice(PREFIX.length), value])),
  }
}
