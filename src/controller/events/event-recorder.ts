import { createHash } from 'node:crypto'
import type { KubeApi } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { API_GROUP, CONTROLLER_LEASE } from '../../protocol/names.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { NODEPOOL_API_VERSION } from '../cache/node-pool-view.ts'
import type { Log } from '../log/log.ts'
import { EventLimit } from './event-limit.ts'

/** Something to tell people on an object. */
export interface ObjectEvent {
  readonly object:
    | { readonly kind: 'Node' | 'Namespace'; readonly name: string }
    | { readonly kind: 'NodePool'; readonly name: string; readonly uid: string }
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Events about objects without a namespace live here; `kubectl describe` looks nowhere else. */
const EVENTS = '/api/v1/namespaces/default/events'
const MAX_MESSAGE = 1024
/** A pass with more to tell than this tells the first ones; the status has them all. */
const MAX_A_PASS = 50

/**
 * Writes Events. What the last pass reported is not reported again; what a former process reported is found by its name. A
 * failure to tell is logged and costs nothing else.
 */
export class EventRecorder {
  readonly #kube: KubeApi
  readonly #log: Log
  readonly #limit = new EventLimit()
  #told: ReadonlySet<string> = new Set()

  constructor({ kube, log }: { readonly kube: KubeApi; readonly log: Log }) {
    this.#kube = kube
    this.#log = log
  }

  /** @param events everything that happened in this pass */
  async record(events: readonly ObjectEvent[], now: Instant): Promise<void> {
    const named = new Map(events.map((event) => [nameOf(event), event]))
    this.#limit.tidy(now)
    const fresh = [...named]
      .filter(([name]) => !this.#told.has(name))
      .filter(([, event]) => this.#mayTell(event, now))
      .slice(0, MAX_A_PASS)
    this.#told = new Set(named.keys())
    await Promise.all(fresh.map(([name, event]) => this.#tell(name, event, new Date(now).toISOString())))
  }

  /** Writes again what was reported before: a server forgets events after an hour, and does nothing with one that it still has. */
  async recordAgain(events: readonly ObjectEvent[], now: Instant): Promise<void> {
    this.#told = new Set()
    await this.record(events, now)
  }

  #mayTell({ object: { kind, name } }: ObjectEvent, now: Instant): boolean {
    const answer = kind === 'Node' ? this.#limit.take(name, now) : 'Told'
    if (answer === 'LeftOutFirst')
      this.#log('warn', `leave out Events on Node "${name}": it has too many; its status has the last one`)
    return answer === 'Told'
  }

  /** What happened once, and will not be among what there is to tell in the next pass. */
  async recordOnce(events: readonly ObjectEvent[], now: Instant): Promise<void> {
    const stamp = new Date(now).toISOString()
    await Promise.all(events.slice(0, MAX_A_PASS).map((event) => this.#tell(nameOf(event), event, stamp)))
  }

  async #tell(name: string, event: ObjectEvent, stamp: string): Promise<void> {
    try {
      await this.#kube.create(EVENTS, eventObject(name, event, stamp))
    } catch (error) {
      if (error instanceof KubeError && error.reason === 'AlreadyExists') return
      this.#log('warn', `create Event "${event.reason}" on ${event.object.kind} "${event.object.name}": ${String(error)}`)
    }
  }
}

function eventObject(name: string, event: ObjectEvent, stamp: string): object {
  const { object, type, reason } = event
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: {
      apiVersion: object.kind === 'NodePool' ? NODEPOOL_API_VERSION : 'v1',
      kind: object.kind,
      name: object.name,
      uid: uidOf(event),
    },
    type,
    reason,
    message: event.message.slice(0, MAX_MESSAGE),
    source: { component: CONTROLLER_LEASE },
    reportingComponent: `${API_GROUP}/controller`,
    reportingInstance: CONTROLLER_LEASE,
    firstTimestamp: stamp,
    lastTimestamp: stamp,
    count: 1,
  }
}

/** As the kubelet does: the uid of a Node in events is its name. */
function uidOf({ object }: ObjectEvent): string {
  return object.kind === 'NodePool' ? object.uid : object.name
}

function nameOf(event: ObjectEvent): string {
  const { object, reason, message } = event
  const hash = createHash('sha256')
    .update([object.kind, uidOf(event), reason, message].join('\0'))
    .digest('hex')
    .slice(0, 16)
  return `${object.name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${hash}`
}
