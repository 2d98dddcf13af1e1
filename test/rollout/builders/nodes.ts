import { type AgentStatus, ASSIGNMENT_LOST } from '../../../src/protocol/agent-status.ts'
import type { CordonMark } from '../../../src/protocol/cordon-mark.ts'
import type { NodeWas } from '../../../src/protocol/desired-config.ts'
import type { NodeProof } from '../../../src/protocol/node-proof.ts'
import type { RebootOrder, RebootRequest } from '../../../src/protocol/reboot-order.ts'
import type { RequestedBy } from '../../../src/protocol/requested-by.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { Assignment, NodeView, Pressure } from '../../../src/rollout/model/node-view.ts'
import { hour, minute, noon, stamp } from './instants.ts'

/** A Ready node that nobody ever assigned anything. Each method gives a new node. */
export function aNode(name: string): NodeDraft {
  return new NodeDraft({
    name,
    labels: {},
    zone: 'zone-a',
    createdAt: noon - 24 * hour,
    ready: true,
    readySince: noon - 24 * hour,
    unschedulable: false,
    kubeletVersion: '1.36.3',
    assignedByHand: false,
  })
}

/** Created right now: it serves nobody yet. */
export function aYoungNode(name: string): NodeDraft {
  return aNode(name).createdAtInstant(noon)
}

export function nodes(...names: string[]): NodeDraft[] {
  return names.map(aNode)
}

interface When {
  readonly at?: Instant
  /** Who assigned it, and which commit. */
  readonly pool?: string
  readonly revision?: string
  readonly counter?: number | undefined
}

export class NodeDraft implements NodeView {
  declare readonly name: string
  declare readonly uid?: string
  declare readonly labels: Readonly<Record<string, string>>
  declare readonly zone: string
  declare readonly createdAt: Instant
  declare readonly ready: boolean
  declare readonly readySince: Instant
  declare readonly unschedulable: boolean
  declare readonly silent?: true
  declare readonly shutDown?: true
  declare readonly leaving?: boolean
  declare readonly pressures?: readonly Pressure[]
  declare readonly kubeletVersion: string
  declare readonly hold?: string
  declare readonly mark?: CordonMark
  declare readonly assigned?: Assignment
  declare readonly assignedByHand: boolean
  declare readonly bootId?: string
  declare readonly rebootRequest?: RebootRequest
  declare readonly rebootBy?: RequestedBy
  declare readonly status?: AgentStatus
  declare readonly proof?: NodeProof
  declare readonly pauseImage?: string
  declare readonly podCapacity?: number

  constructor(view: NodeView) {
    Object.assign(this, view)
  }

  /** Assigned and proved, two hours ago unless told otherwise. */
  on(digest: string, { at = noon - 2 * hour, since = at, ...by }: When & { readonly since?: Instant } = {}): NodeDraft {
    return this.assignedTo(digest, { at, ...by }).reporting('Applied', { since })
  }

  /** The annotation is written, and the agent has not said anything about it. */
  assignedTo(digest: string, { at = noon, pool = 'workers', revision = digest, counter }: When = {}): NodeDraft {
    const assigned = { digest, revision, pool, grant: 'restart', at, ...(counter !== undefined && { counter }) } as const
    return this.#with({ assigned }).#notedIfDown()
  }

  /** As the controller wrote it. */
  assignedBy(action: Action | undefined): NodeDraft {
    if (action?.kind !== 'assign') throw new Error('it was assigned nothing')
    const { digest, revision, grant, at, nodeWas } = action
    return this.#with({ assigned: { digest, revision, pool: 'workers', grant, at, ...(nodeWas && { nodeWas }) } })
  }

  /** An earlier assignment of the same rollout had taken it down. */
  takenDown(): NodeDraft {
    return this.assignedWhile('Disturbed')
  }

  /** It was not Ready when it was assigned. */
  assignedWhileDown(): NodeDraft {
    return this.assignedWhile('Down')
  }

  /** The controller saw it Ready when it assigned it, whatever stamps say. */
  seemingSound(): NodeDraft {
    const { assigned } = this
    if (!assigned) return this
    const { nodeWas: _, ...seen } = assigned
    return this.#with({ assigned: seen })
  }

  /** How it was when it was assigned. */
  assignedWhile(nodeWas: NodeWas): NodeDraft {
    const { assigned } = this
    return assigned ? this.#with({ assigned: { ...assigned, nodeWas } }) : this
  }

  /** The agent speaks of the present assignment. */
  reporting(
    phase: AgentStatus['phase'],
    { since, ...more }: Partial<Omit<AgentStatus, 'since'>> & { since?: Instant } = {},
  ): NodeDraft {
    const { digest = '', at = noon } = this.assigned ?? {}
    const active = phase === 'Applied' ? digest : this.status?.active
    const report = {
      phase,
      digest,
      assigned: digest,
      assignedAt: stamp(at),
      since: stamp(since ?? at),
      ...(active && { active }),
    }
    return this.#with({ status: { ...report, ...more } })
  }

  rolledBackFrom(digest: string, { at = noon - minute, to = 'older', ...by }: When & { readonly to?: string } = {}): NodeDraft {
    return this.assignedTo(digest, { at, ...by }).reporting('RolledBack', {
      active: to,
      error: { reason: 'HealthCheckFailed', message: 'failed to validate config: unknown flag: --foo' },
    })
  }

  /** It has no assignment any more, and runs this. */
  lostAssignmentOf(active: string, { since = noon }: { readonly since?: Instant } = {}): NodeDraft {
    const { assigned: _, ...view } = this
    const error = { reason: ASSIGNMENT_LOST, message: 'the Node has no assignment' }
    return new NodeDraft({ ...view, status: { phase: 'RolledBack', active, error, since: stamp(since) } })
  }

  notReady(since: Instant = noon - minute): NodeDraft {
    return this.#with({ ready: false, readySince: since }).#notedIfDown()
  }

  /** Nothing is heard from its kubelet. */
  goneSilent(since: Instant = noon - minute): NodeDraft {
    return this.#with({ ready: false, readySince: since, silent: true })
  }

  poweredOff(since: Instant = noon - minute): NodeDraft {
    return this.#with({ ready: false, readySince: since, silent: true, shutDown: true })
  }

  readyAgain(since: Instant): NodeDraft {
    return this.#with({ ready: true, readySince: since })
  }

  cordoned(): NodeDraft {
    return this.#with({ unschedulable: true })
  }

  /** Cordoned by the controller for a drain, a minute ago unless told otherwise. */
  drainedFor(
    digest: string,
    { at = noon - minute, state = 'Ours' }: When & { readonly state?: CordonMark['state'] } = {},
  ): NodeDraft {
    return this.#with({ unschedulable: state === 'Ours' || state === 'Found', mark: { digest, at, state } })
  }

  /** Its drain for this content was given up before the one that its mark is of. */
  givenUpFor(digest: string): NodeDraft {
    const { mark } = this
    if (mark === undefined) throw new Error('it bears no mark')
    return this.#with({ mark: { ...mark, givenUp: digest } })
  }

  uncordoned(): NodeDraft {
    return this.#with({ unschedulable: false })
  }

  /** Somebody deletes it. */
  beingDeleted(): NodeDraft {
    return this.#with({ leaving: true })
  }

  under(type: string, since: Instant): NodeDraft {
    return this.#with({ pressures: [{ type, since }] })
  }

  /** It reports a pause image, and how many pods it takes. */
  withPause(podCapacity = 110): NodeDraft {
    return this.#with({ pauseImage: 'registry.k8s.io/pause:3.10', podCapacity })
  }

  /** What is noted of the proof of the present assignment. */
  noting(state: NodeProof['state'], more: Partial<NodeProof> = {}): NodeDraft {
    const { digest = '', at = noon } = this.assigned ?? {}
    return this.#with({ proof: { digest, assignedAt: at, state, ...more } })
  }

  /** Its machine runs with this boot. */
  booted(bootId: string): NodeDraft {
    return this.#with({ bootId })
  }

  /** An operator asked for the end of this boot. */
  toReboot(boot: string, { at = stamp(noon - minute), who = 'ada' } = {}): NodeDraft {
    return this.#with({ rebootRequest: { boot, at, reason: 'new firmware' }, rebootBy: { who, at } })
  }

  /** Its host says that this boot has to end. */
  requiringReboot(boot: string): NodeDraft {
    const { status } = this
    if (status === undefined) throw new Error('its agent has reported nothing')
    return this.#with({ status: { ...status, reboot: { boot, because: ['/run/reboot-required', 'libc6'] } } })
  }

  /** Assigned with the order to end this boot, a minute ago unless told otherwise. */
  orderedToReboot(digest: string, order: RebootOrder, { at = noon - minute }: When = {}): NodeDraft {
    const assigned = { digest, revision: digest, pool: 'workers', grant: 'reboot', reboot: order, at } as const
    return this.#with({ assigned }).#notedIfDown()
  }

  held(reason = 'under repair'): NodeDraft {
    return this.#with({ hold: reason })
  }

  released(): NodeDraft {
    const { hold: _, ...view } = this
    return new NodeDraft(view)
  }

  byHand(): NodeDraft {
    return this.#with({ assignedByHand: true })
  }

  withUid(uid: string): NodeDraft {
    return this.#with({ uid })
  }

  inZone(zone: string): NodeDraft {
    return this.#with({ zone })
  }

  labelled(labels: Readonly<Record<string, string>>): NodeDraft {
    return this.#with({ labels })
  }

  createdAtInstant(createdAt: Instant): NodeDraft {
    return this.#with({ createdAt })
  }

  running(kubeletVersion: string): NodeDraft {
    return this.#with({ kubeletVersion })
  }

  /** As the controller does that sees it so. */
  #notedIfDown(): NodeDraft {
    const { ready, readySince, assigned } = this
    const isDown = !ready && assigned?.at !== undefined && assigned.nodeWas === undefined && readySince < assigned.at
    return isDown ? this.assignedWhileDown() : this
  }

  #with(change: Partial<NodeView>): NodeDraft {
    return new NodeDraft({ ...this, ...change })
  }
}
