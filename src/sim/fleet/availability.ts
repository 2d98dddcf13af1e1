import type { KubeObject } from '../../kube/kube-api.ts'
import { type AgentStatus, parseAgentStatus } from '../../protocol/agent-status.ts'
import { namesFor } from '../../protocol/names.ts'
import { readOnce } from '../../protocol/read-once.ts'
import type { Store } from '../apiserver/storage/store.ts'

/** The most nodes that were unavailable at one time, and since when they were that many. */
export interface Peak {
  readonly nodes: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

const names = namesFor()
const ZONE = 'topology.kubernetes.io/zone'
const EVERYWHERE = ''

/** Counts unavailable nodes with every write: not Ready, cordoned, or at work on an assignment that changes them. */
export class Availability {
  readonly #now: () => number
  readonly #down = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #peaks = new Map<string, Peak>()
  readonly #zones = new Set<string>()
  readonly #assignment = readOnce(assignmentOf)
  readonly #answer = readOnce(answerOf)

  constructor(store: Store, now: () => number) {
    this.#now = now
    for (const node of store.list('nodes')) this.#look(node as unknown as KubeObject)
    store.collection('nodes').listen(({ entry }) => this.#look(entry.object as unknown as KubeObject))
  }

  get peak(): Peak {
    return this.#peaks.get(EVERYWHERE) ?? { nodes: 0, at: this.#now() }
  }

  /** By zone, for those that nodes name; by name. */
  get peakByZone(): ReadonlyMap<string, Peak> {
    const none = { nodes: 0, at: this.#now() }
    return new Map([...this.#zones].sort().map((zone) => [zone, this.#peaks.get(zone) ?? none]))
  }

  #look(node: KubeObject): void {
    const zone = node.metadata.labels?.[ZONE]
    if (zone !== undefined) this.#zones.add(zone)
    const { name } = node.metadata
    const wasDown = this.#down.has(name)
    if (this.#isDown(node) === wasDown) return
    if (wasDown) this.#down.delete(name)
    else this.#down.set(name, zone ?? EVERYWHERE)
    for (const place of new Set([EVERYWHERE, zone ?? EVERYWHERE])) this.#count(place, wasDown ? -1 : 1)
  }

  #count(place: string, by: number): void {
    const nodes = (this.#counts.get(place) ?? 0) + by
    this.#counts.set(place, nodes)
    if (nodes > (this.#peaks.get(place)?.nodes ?? 0)) this.#peaks.set(place, { nodes, at: this.#now() })
  }

  #isDown({ metadata, spec, status }: KubeObject): boolean {
    const { unschedulable } = (spec ?? {}) as { readonly unschedulable?: boolean }
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly { type: string; status: string }[] }
    const isReady = conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')
    return unschedulable === true || !isReady || this.#isAtWork(metadata.annotations ?? {})
  }

  #isAtWork(annotations: Readonly<Record<string, string>>): boolean {
    const desired = annotations[names.desiredConfig]
    if (desired === undefined || desired === annotations[names.currentConfig]) return false
    const answer = this.#answer(annotations[names.status] ?? '')
    const { at, digest } = this.#assignment(desired)
    return !answer.hasEnded || (answer.assignedAt !== at && answer.active !== digest)
  }
}

function assignmentOf(desired: string): { readonly at: string | undefined; readonly digest: string | undefined } {
  const { ASSIGNED, DIGEST } = JSON.parse(desired) as { readonly ASSIGNED?: string; readonly DIGEST?: string }
  return { at: ASSIGNED, digest: DIGEST }
}

interface Answer extends Pick<AgentStatus, 'assignedAt' | 'active'> {
  readonly hasEnded: boolean
}

function answerOf(annotation: string): Answer {
  const { assignedAt, active, phase } = parseAgentStatus(annotation) ?? {}
  return { assignedAt, active, hasEnded: phase === 'Applied' || phase === 'RolledBack' }
}
