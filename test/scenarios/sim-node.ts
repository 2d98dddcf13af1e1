import type { AgentPhase, AgentStatus } from '../../src/protocol/agent-status.ts'
import type { Action } from '../../src/rollout/decision.ts'
import type { Assignment, Instant, NodeView } from '../../src/rollout/snapshot.ts'

/**
 * What a content does to a host that applies it. good: it works. crash: the kubelet dies at start, and the agent puts it
 * back. ruin: putting it back fails too. hang: the work never ends. wilt: it works, and the node goes down a minute later.
 */
export type Effect = 'good' | 'crash' | 'ruin' | 'hang' | 'wilt'

const WILTS_AFTER = 60_000

type Assign = Extract<Action, { kind: 'assign' }>

/** A machine with a kubelet and an agent, as a state machine: each `step` is one thing that happens on it. */
export class SimNode {
  readonly name: string
  readonly zone: string
  /** How far its clock is off, in milliseconds. */
  clockOff = 0
  /** No power, or no network: nothing happens on it until it comes back. */
  dead = false
  hold: string | undefined
  unschedulable = false
  active = 'factory'
  assigned: Assignment | undefined
  status: AgentStatus | undefined
  ready = true
  #readySince: Instant
  #wiltsAt: Instant | undefined

  constructor(name: string, { zone, now }: { readonly zone: string; readonly now: Instant }) {
    this.name = name
    this.zone = zone
    this.#readySince = now
  }

  assign({ digest, revision, grant, at }: Assign): void {
    this.assigned = { digest, revision, grant, at, pool: 'workers' }
  }

  view(): NodeView {
    return {
      name: this.name,
      labels: {},
      zone: this.zone,
      createdAt: 0,
      ready: this.ready,
      readySince: Math.floor(this.#readySince / 1000) * 1000,
      unschedulable: this.unschedulable,
      kubeletVersion: '1.36.3',
      assignedByHand: false,
      ...(this.hold !== undefined && { hold: this.hold }),
      ...(this.assigned && { assigned: this.assigned }),
      ...(this.status && { status: this.status }),
    }
  }

  setReady(ready: boolean, now: Instant): void {
    if (ready === this.ready) return
    this.ready = ready
    this.#readySince = now
  }

  die(now: Instant): void {
    this.dead = true
    this.setReady(false, now)
  }

  revive(now: Instant): void {
    this.dead = false
    this.setReady(this.status?.phase !== 'Failed', now)
  }

  /** The agent's next step, if it has one. */
  step(effectOf: (digest: string) => Effect, now: Instant): void {
    if (this.dead) return
    if (this.#wiltsAt !== undefined && now >= this.#wiltsAt) this.setReady(false, now)
    const { assigned } = this
    if (!assigned) return
    if (this.status?.assigned !== assigned.digest || this.status.assignedAt !== stampOf(assigned)) this.#begin(assigned, now)
    else if (this.status.phase === 'Fetching') this.#report('Applying', { assigned, now })
    else if (this.status.phase === 'Applying') this.#finish(assigned, { effect: effectOf(assigned.digest), now })
  }

  #begin(assigned: Assignment, now: Instant): void {
    this.#report(this.active === assigned.digest && this.ready ? 'Applied' : 'Fetching', { assigned, now })
  }

  #finish(assigned: Assignment, { effect, now }: { readonly effect: Effect; readonly now: Instant }): void {
    if (effect === 'hang') return
    if (effect === 'ruin') this.setReady(false, now)
    if (effect === 'good' || effect === 'wilt') this.#succeed(assigned, { effect, now })
    else this.#report(effect === 'ruin' ? 'Failed' : 'RolledBack', { assigned, now })
  }

  #succeed(assigned: Assignment, { effect, now }: { readonly effect: Effect; readonly now: Instant }): void {
    this.active = assigned.digest
    this.#wiltsAt = effect === 'wilt' ? now + WILTS_AFTER : undefined
    this.setReady(true, now)
    this.#report('Applied', { assigned, now })
  }

  #report(phase: AgentPhase, { assigned, now }: { readonly assigned: Assignment; readonly now: Instant }): void {
    this.status = {
      phase,
      digest: assigned.digest,
      assigned: assigned.digest,
      assignedAt: stampOf(assigned),
      active: this.active,
      since: new Date(now + this.clockOff).toISOString(),
    }
  }
}

function stampOf({ at = 0 }: Assignment): string {
  return new Date(at).toISOString()
}
