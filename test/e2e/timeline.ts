/** What happened to the nodes, and when: every change of a Node that matters to a roll-out, with its time. */
import type { ApiClient } from './cluster/api-client.ts'
import type { ApiNode } from './cluster/node.ts'
import { waitUntil } from './cluster/wait.ts'

export interface Moment {
  /** As `performance.now()` tells it. */
  readonly at: number
  readonly node: string
  readonly kubelet: string
  readonly ready: boolean
  readonly cordoned: boolean
  /** All annotations with the prefix, without it. */
  readonly annotations: Readonly<Record<string, string>>
}

export interface Timeline extends Disposable {
  readonly moments: readonly Moment[]
  /** The first moment that fits, past or to come. */
  first(fits: (moment: Moment) => boolean, what: string, timeoutMs?: number): Promise<Moment>
}

export interface TimelineOptions {
  /** Of the annotations to follow. */
  readonly prefix?: string
}

export function startTimeline(api: ApiClient, { prefix = 'nodewave.io' }: TimelineOptions = {}): Timeline {
  const abort = new AbortController()
  const moments: Moment[] = []
  const seen = new Map<string, string>()

  /** Heartbeats change a Node too; they are no moments. */
  function take(node: ApiNode): void {
    const moment = momentOf(node, prefix)
    const text = JSON.stringify(moment)
    if (seen.get(moment.node) === text) return
    seen.set(moment.node, text)
    moments.push({ at: performance.now(), ...moment })
  }
  api.watch<ApiNode>(
    '/api/v1/nodes',
    ({ type, object }) => (type === 'ADDED' || type === 'MODIFIED') && take(object),
    abort.signal,
  )
  return {
    moments,
    first: (fits, what, timeoutMs = 60_000) => waitUntil(() => moments.find(fits), { for: what, timeoutMs, everyMs: 10 }),
    [Symbol.dispose]: () => abort.abort(),
  }
}

function momentOf({ metadata, spec, status }: ApiNode, prefix: string): Omit<Moment, 'at'> {
  const ours = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(`${prefix}/`))
  return {
    node: metadata.name,
    kubelet: status.nodeInfo.kubeletVersion.replace(/^v/, ''),
    ready: status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    cordoned: spec.unschedulable ?? false,
    annotations: Object.fromEntries(ours.map(([key, value]) => [key.slice(prefix.length + 1), value])),
  }
}
