import { decide } from '../../src/rollout/decide.ts'
import type { Action, Decision } from '../../src/rollout/decision.ts'
import {
  type Instant,
  type Memory,
  NO_MEMORY,
  type PoolSnapshot,
  type Revision,
  type RolloutPolicy,
} from '../../src/rollout/snapshot.ts'
import type { Random } from './random.ts'
import { type Effect, SimNode } from './sim-node.ts'

/** A decision, and what it was drawn from. */
export interface Observed {
  readonly pool: PoolSnapshot
  readonly decision: Decision
  readonly at: Instant
}

export interface Commit {
  readonly revision: string
  readonly content: string
}

export const START: Instant = Date.parse('2026-11-21T08:00:00.000Z')

/**
 * One pool in virtual time: its nodes, its repository, what its NodePool object says, and a controller that may die at
 * any write.
 */
export class World {
  readonly policy: RolloutPolicy
  readonly commits: Commit[] = []
  readonly effects = new Map<string, Effect>()
  nodes: SimNode[] = []
  memory: Memory = NO_MEMORY
  controls: PoolSnapshot['controls'] = {}
  now = START
  /** How far the controller's clock is off. */
  clockOff = 0
  /** What happened, for the message of a failure. */
  readonly told: string[] = []

  constructor(policy: RolloutPolicy) {
    this.policy = policy
  }

  push(content: string, effect: Effect = this.effects.get(content) ?? 'good'): void {
    this.effects.set(content, effect)
    this.commits.push({ revision: `${this.commits.length}-${content}`, content })
  }

  join(name: string, zone: string): void {
    this.nodes.push(new SimNode(name, { zone, now: this.now }))
  }

  snapshot(): PoolSnapshot {
    const revisions = this.commits.map((commit) => this.#revision(commit))
    const head = revisions.at(-1)
    if (!head) throw new Error('nothing was pushed')
    return {
      name: 'workers',
      policy: this.policy,
      nodes: this.nodes.map((node) => node.view()),
      head,
      known: new Map(revisions.map((revision) => [revision.revision, revision])),
      memory: this.memory,
      controls: this.controls,
    }
  }

  /** One pass of a controller. It dies before its nth write, if told so. */
  pass({ diesBefore = Number.POSITIVE_INFINITY }: { readonly diesBefore?: number } = {}): Observed {
    const pool = this.snapshot()
    const at = this.now + this.clockOff
    const decision = decide(pool, at)
    const writes = [() => this.#write(decision), ...decision.actions.map((action) => () => this.#execute(action))]
    for (const write of writes.slice(0, diesBefore)) write()
    return { pool, decision, at }
  }

  tell(event: string): void {
    this.told.push(`${new Date(this.now).toISOString()} ${event}`)
  }

  /** Ends every fault that people or machines brought about; what they did to hosts stays. */
  recover(): void {
    this.controls = {}
    this.clockOff = 0
    for (const node of this.nodes) {
      node.unschedulable = false
      node.hold = undefined
      node.clockOff = 0
      if (node.dead) node.revive(this.now)
    }
  }

  step(node: SimNode): void {
    node.step((content) => this.effects.get(content) ?? 'good', this.now)
  }

  /** Lets every agent and the controller do all they have to do, for as long as time brings something new. */
  quiesce(random: Random, check: (observed: Observed) => void): Decision {
    for (let round = 0; round < 400; round++) {
      const observed = this.pass()
      check(observed)
      const { decision, at } = observed
      const before = JSON.stringify(this.nodes.map((node) => node.view()))
      for (const node of random.shuffled(this.nodes)) for (let i = 0; i < 3; i++) this.step(node)
      const moved = decision.actions.length > 0 || before !== JSON.stringify(this.nodes.map((node) => node.view()))
      if (!moved && decision.wakeAt === undefined) return decision
      this.now += moved ? 1_000 : Math.max(1_000, (decision.wakeAt ?? at) - at)
    }
    throw new Error('the pool never comes to rest')
  }

  #write({ status }: Decision): void {
    this.memory = JSON.parse(JSON.stringify(status)) as Memory
  }

  #execute(action: Action): void {
    if (action.kind === 'assign') this.nodes.find(({ name }) => name === action.node)?.assign(action)
    if (action.kind === 'clearRetry') {
      const { retry, ...controls } = this.controls
      this.controls = controls
    }
  }

  #revision({ revision, content }: Commit): Revision {
    const wanted = new Map(
      this.nodes.map(({ name }) => [name, { kind: 'config', digest: content, disruption: 'restart' } as const]),
    )
    return { revision, fingerprint: `of ${content}`, wanted }
  }
}
