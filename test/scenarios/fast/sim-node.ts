import {
  type AgentPhase,
  type AgentStatus,
  ASSIGNMENT_LOST,
  ASSIGNMENT_REPLAYED,
  REBOOT_REFUSED,
  REBOOTING,
} from '../../../src/protocol/agent-status.ts'
import type { CordonMark } from '../../../src/protocol/cordon-mark.ts'
import { atMost } from '../../../src/protocol/desired-config.ts'
import type { NodeProof } from '../../../src/protocol/node-proof.ts'
import type { RebootRequest } from '../../../src/protocol/reboot-order.ts'
import { isOurCordon } from '../../../src/rollout/model/cordon.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { Assignment, NodeView, Pressure } from '../../../src/rollout/model/node-view.ts'
import { contentOf, type Labels, USUAL_VERSION, versionFor } from './content.ts'
import { type Effect, WILTS_AFTER } from './effect.ts'
import { stampOf } from './stamp.ts'
import { noteAssignment } from './when-assigned.ts'

/** What the API server keeps of the node; everything else is on the machine. */
interface Shown {
  readonly ready: boolean
  readonly readySince: Instant
  readonly unschedulable: boolean
  /** It is about to be deleted: something waits for its finalizers. */
  readonly leaving: boolean | undefined
  readonly hold: string | undefined
  readonly mark: CordonMark | undefined
  readonly assigned: Assignment | undefined
  readonly status: AgentStatus | undefined
  readonly proof: NodeProof | undefined
  /** Another one after each boot. */
  readonly bootId: string
  readonly rebootRequest: RebootRequest | undefined
  readonly pressures: readonly Pressure[] | undefined
  readonly kubeletVersion: string
}

const NOTHING_SHOWN = {
  leaving: undefined,
  hold: undefined,
  mark: undefined,
  assigned: undefined,
  status: undefined,
  proof: undefined,
  rebootRequest: undefined,
  pressures: undefined,
  kubeletVersion: USUAL_VERSION,
} as const

const NO_LABELS: Labels = {}

/** What an agent says whose Node has no assignment any more. */
const REVERTED = { phase: 'Reverted' } as const
const LOST = { phase: 'RolledBack', error: { reason: ASSIGNMENT_LOST, message: 'the Node has none' } } as const

/** A machine with a kubelet and an agent, as a state machine: each `step` is one thing that happens on it. */
export class SimNode {
  readonly name: string
  /** Labels may change: then another pool selects it. */
  pool: string
  zone: string
  /** How far its clock is off, in milliseconds. */
  clockOff = 0
  /** No power: nothing happens on it until it comes back. */
  dead = false
  /** No network: it works on with what it knows, and nobody hears of it. */
  offline = false
  /** What its host runs. */
  active = 'factory'
  /** Taken while it was available, and not yet done: unavailable through us. */
  disturbed = false
  /** A tool has written our cordon, which the controller may not have heard of. */
  cordonedByTool = false
  /** Somebody blocks that it reboots. */
  refusesReboot = false
  /** Counts up with each change that the API server shows. */
  version = 1
  readonly #uid: string
  readonly #createdAt: Instant
  #labels: Labels
  readonly #onChange: (node: SimNode) => void
  #shown: Shown
  #viewed: { readonly of: Shown; readonly view: NodeView } | undefined
  /** What the agent knows and says, whether or not it gets through. */
  #known: Assignment | undefined
  /** What it took up last: nothing older is. */
  #accepted: Assignment | undefined
  #said: AgentStatus | undefined
  #works = true
  #wiltsAt: Instant | undefined
  #boots = 1

  constructor(
    name: string,
    options: {
      readonly pool: string
      readonly zone: string
      readonly labels?: Labels
      readonly now: Instant
      /** Default: now. */
      readonly createdAt?: Instant
      readonly onChange: (node: SimNode) => void
    },
  ) {
    this.name = name
    this.pool = options.pool
    this.zone = options.zone
    this.#labels = options.labels ?? NO_LABELS
    this.#uid = `${name} of ${options.now}`
    this.#createdAt = Math.floor((options.createdAt ?? options.now) / 1000) * 1000
    this.#onChange = options.onChange
    const readySince = options.createdAt ?? options.now
    this.#shown = { ...NOTHING_SHOWN, ready: true, readySince, unschedulable: false, bootId: 'boot-1' }
  }

  get shown(): Shown {
    return this.#shown
  }

  get labels(): Labels {
    return this.#labels
  }

  /** People or an autoscaler change its labels: pool and zone follow from labels, too. */
  relabel({ labels, pool, zone }: { readonly labels?: Labels; readonly pool?: string; readonly zone?: string }): void {
    this.#labels = labels ?? this.#labels
    this.pool = pool ?? this.pool
    this.zone = zone ?? this.zone
    this.show({})
  }

  /** The same object while it shows the same, as the real controller has it. */
  view(): NodeView {
    if (this.#viewed?.of !== this.#shown) this.#viewed = { of: this.#shown, view: this.#viewOf(this.#shown) }
    return this.#viewed.view
  }

  #viewOf(shown: Shown): NodeView {
    return {
      ...shown,
      name: this.name,
      uid: this.#uid,
      labels: this.#labels,
      zone: this.zone,
      createdAt: this.#createdAt,
      assignedByHand: false,
      pauseImage: 'registry.k8s.io/pause:3.10',
      readySince: Math.floor(shown.readySince / 1000) * 1000,
    }
  }

  /** @param patience how long an agent may be silent, in milliseconds */
  assign(
    assigned: Assignment,
    { wantsProof, patience, now }: { readonly wantsProof: boolean; readonly patience: number; readonly now: Instant },
  ): void {
    noteAssignment(assigned, { node: this.#shown, labels: this.#labels, patience, now })
    const { digest, at: assignedAt = 0 } = assigned
    this.show({ assigned, proof: wantsProof ? { digest, assignedAt, state: 'Wanted' } : undefined })
  }

  /** Something that a person or the controller writes. */
  show(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change }
    this.version += 1
    this.#onChange(this)
  }

  /** What the controller writes of a cordon: both at once. */
  showCordon({
    mark,
    unschedulable = this.#shown.unschedulable,
  }: {
    mark?: CordonMark | undefined
    unschedulable?: boolean
  }): void {
    this.show({ unschedulable, mark })
  }

  unhold(): void {
    this.show({ hold: undefined })
  }

  /** The controller takes the request of a person away. */
  clearReboot(): void {
    this.show({ rebootRequest: undefined })
  }

  die(now: Instant): void {
    this.dead = true
    this.#setReady(now)
  }

  goOffline(now: Instant): void {
    this.offline = true
    this.#setReady(now)
  }

  /** Power and network are back. */
  revive(now: Instant): void {
    if (this.dead) this.#boot()
    this.dead = false
    this.offline = false
    this.#setReady(now)
    this.#publish()
  }

  /** Its kubelet stamps it, in whole seconds. */
  press(type: string, now: Instant): void {
    this.show({ pressures: [{ type, since: Math.floor((now + this.clockOff) / 1000) * 1000 }] })
  }

  relieve(): void {
    this.show({ pressures: undefined })
  }

  /** A person repairs the host: what it was assigned last works now. */
  repair(now: Instant): void {
    this.#wiltsAt = undefined
    this.#runKubelet(this.active, 'good')
    this.#work(true, now)
    this.show({})
  }

  /** Its agent has been told of something that it has not ended. */
  get isBusy(): boolean {
    const { assigned } = this.#shown
    if (this.dead || assigned === undefined) return false
    const { assigned: at, assignedAt, phase } = this.#said ?? {}
    return at !== assigned.digest || assignedAt !== stampOf(assigned) || phase === 'Fetching' || phase === 'Applying'
  }

  /** The next thing that happens on it, if anything does. */
  step(effectOf: (digest: string) => Effect, now: Instant): void {
    if (this.dead) return
    if (this.#wiltsAt !== undefined && now >= this.#wiltsAt) this.#work(false, now)
    if (!this.offline) this.#known = this.#shown.assigned
    if (this.#known) this.#goOnWith(this.#known, { effectOf, now })
    else this.#goOnWithout(now)
  }

  #goOnWith(
    known: Assignment,
    { effectOf, now }: { readonly effectOf: (digest: string) => Effect; readonly now: Instant },
  ): void {
    // Somebody else may have changed what it reported.
    this.#publish()
    if (this.#isReplayed(known)) {
      this.#refuse(known, now)
      return
    }
    this.#accepted = known
    const { assigned, assignedAt, phase } = this.#said ?? {}
    if (assigned !== known.digest || assignedAt !== stampOf(known)) this.#begin(known, { effect: effectOf(known.digest), now })
    else if (phase === 'Fetching') this.#say('Applying', { assigned: known, now })
    else if (phase === 'Applying' && this.#isToReboot(known)) this.#reboot(known, now)
    else if (phase === 'Applying') this.#finish(known, { effect: effectOf(known.digest), now })
  }

  /** Who removes an assignment and leaves the report wants the host back as it was; where both are gone, they were lost. */
  #goOnWithout(now: Instant): void {
    if (this.#said?.assigned !== undefined) {
      const { status } = this.#shown
      const isRemoved = status?.assigned !== undefined && status.error?.reason !== ASSIGNMENT_LOST
      if (isRemoved) this.#giveBack(now)
      const ended = isRemoved ? REVERTED : { ...LOST, active: this.active }
      this.#said = { ...ended, ...this.#counted(), since: new Date(now + this.clockOff).toISOString() }
    }
    this.#publish()
  }

  #giveBack(now: Instant): void {
    this.active = 'factory'
    this.#wiltsAt = undefined
    this.#runKubelet(this.active, 'good')
    this.#work(true, now)
  }

  #isReplayed({ counter = 0 }: Assignment): boolean {
    return counter < (this.#accepted?.counter ?? 0)
  }

  #refuse(assigned: Assignment, now: Instant): void {
    const { error, assignedAt } = this.#said ?? {}
    if (error?.reason === ASSIGNMENT_REPLAYED && assignedAt === stampOf(assigned)) return
    this.#say('RolledBack', { assigned, now, error: { reason: ASSIGNMENT_REPLAYED, message: 'a later one was accepted before' } })
  }

  #counted(): Pick<AgentStatus, 'counter'> {
    const { counter } = this.#accepted ?? {}
    return counter === undefined ? {} : { counter }
  }

  #isToReboot({ reboot }: Assignment): boolean {
    return reboot?.boot === `boot-${this.#boots}`
  }

  /** It goes down in one step, and is back in the next; or somebody blocks that. */
  #reboot(assigned: Assignment, now: Instant): void {
    const isDown = this.#said?.error?.reason === REBOOTING
    const reason = this.refusesReboot && !isDown ? REBOOT_REFUSED : REBOOTING
    if (isDown) {
      this.#boot()
      this.show({})
    } else {
      const phase = reason === REBOOTING ? 'Applying' : 'RolledBack'
      this.#say(phase, { assigned, now, error: { reason, message: 'systemctl reboot' } })
      this.#work(reason === REBOOT_REFUSED, now)
    }
  }

  /** Seen when its kubelet reports again. */
  #boot(): void {
    this.#boots += 1
    this.#shown = { ...this.#shown, bootId: `boot-${this.#boots}` }
  }

  #begin(assigned: Assignment, { effect, now }: { readonly effect: Effect; readonly now: Instant }): void {
    const runs = this.active === assigned.digest && this.#works && !this.#isToReboot(assigned)
    if (effect === 'silent' && !runs) return
    if (this.active !== assigned.digest && assigned.grant === 'none') this.#say('Blocked', { assigned, now, needs: 'restart' })
    else if (effect === 'asks' && !runs && !atMost('drain', assigned.grant))
      this.#say('Blocked', { assigned, now, needs: 'drain' })
    else this.#say(runs ? 'Applied' : 'Fetching', { assigned, now })
  }

  #finish(assigned: Assignment, { effect, now }: { readonly effect: Effect; readonly now: Instant }): void {
    if (effect === 'hang' || effect === 'silent') return
    if (effect === 'ruin') this.#work(false, now)
    if (effect === 'ruin') this.#say('Failed', { assigned, now })
    else if (effect === 'crash') this.#say('RolledBack', { assigned, now })
    else this.#succeed(assigned, { effect, now })
  }

  #succeed(assigned: Assignment, { effect, now }: { readonly effect: Effect; readonly now: Instant }): void {
    this.active = assigned.digest
    this.#wiltsAt = effect === 'wilt' ? now + WILTS_AFTER : undefined
    this.#runKubelet(assigned.digest, effect)
    this.#work(true, now)
    this.#say('Applied', { assigned, now })
  }

  /** Seen when its kubelet reports again. */
  #runKubelet(digest: string, effect: Effect): void {
    const wanted = effect === 'stale' ? undefined : versionFor(contentOf(digest))
    this.#shown = { ...this.#shown, kubeletVersion: wanted ?? USUAL_VERSION }
  }

  #work(works: boolean, now: Instant): void {
    this.#works = works
    this.#setReady(now)
  }

  #setReady(now: Instant): void {
    const ready = this.#works && !this.dead && !this.offline
    if (ready !== this.#shown.ready) this.show({ ready, readySince: now })
  }

  #say(
    phase: AgentPhase,
    { assigned, now, ...more }: { readonly assigned: Assignment; readonly now: Instant } & Pick<AgentStatus, 'needs' | 'error'>,
  ): void {
    const about = { digest: assigned.digest, assigned: assigned.digest, assignedAt: stampOf(assigned), active: this.active }
    this.#said = { phase, ...about, ...more, ...this.#counted(), since: new Date(now + this.clockOff).toISOString() }
    this.#publish()
  }

  #publish(): void {
    if (this.offline || this.#said === undefined || this.#said === this.#shown.status) return
    const hasEnded = ['Applied', 'RolledBack', 'Blocked', 'Reverted'].includes(this.#said.phase)
    if (hasEnded) this.disturbed = isOurCordon(this.#shown) && !this.cordonedByTool
    this.show({ status: this.#said })
  }
}
