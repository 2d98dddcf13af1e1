import type { Disruption } from '../../../src/protocol/desired-config.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import type { NodeProof } from '../../../src/protocol/node-proof.ts'
import { type Assessment, assess, conclude } from '../../../src/rollout/decide.ts'
import { decideFleet, type FleetSnapshot } from '../../../src/rollout/decide-fleet.ts'
import { uncordonStrays } from '../../../src/rollout/drain/strays.ts'
import { isAtWork, reportOf } from '../../../src/rollout/model/agent-report.ts'
import type { Action, Decision } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { NodeView, ProofPod } from '../../../src/rollout/model/node-view.ts'
import type { RolloutPolicy } from '../../../src/rollout/model/policy.ts'
import { type GateAnswer, type Memory, NO_MEMORY, type PoolSnapshot, type Revision } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from './instants.ts'
import { aNode, NodeDraft } from './nodes.ts'
import { aPod } from './pods.ts'
import { type PolicyOptions, policyOf, shareOf } from './policies.ts'
import { aRollout, wantedConfig } from './revisions.ts'

/** What the host of a node does with it. */
export const CONTENTS = {
  first: { disruption: 'restart', effect: 'good' },
  second: { disruption: 'restart', effect: 'good' },
  drained: { disruption: 'drain', effect: 'good' },
  bad: { disruption: 'restart', effect: 'fails' },
  'bad drained': { disruption: 'drain', effect: 'fails' },
  'bad on one': { disruption: 'restart', effect: 'fails on one' },
  ruin: { disruption: 'drain', effect: 'ruins' },
  unproved: { disruption: 'restart', effect: 'unproved' },
  fix: { disruption: 'restart', effect: 'good' },
} as const satisfies Record<string, { readonly disruption: Disruption; readonly effect: string }>
export type Content = keyof typeof CONTENTS

const TARGETS = new Map(
  Object.entries(CONTENTS).map(([digest, { disruption }]) => [digest, wantedConfig({ digest, disruption })]),
)

export const TO_POOLS = ['rollback', 'resume', 'retry', 'promote', 'pause', 'status lost'] as const
export const TO_NODES = [
  'goes down',
  'comes back',
  'is replaced',
  'moves on',
  'leaves all pools',
  'is held',
  'is released',
  'falls silent',
  'speaks again',
  'is cordoned',
  'is uncordoned',
  'keeps its pods',
  'is labelled',
] as const
export const TO_FLEET = [
  'clock ahead',
  'clock back',
  'restart',
  'fleet pause',
  'fleet resume',
  'fleet retry',
  'gates fail',
  'gates pass',
  'an hour',
] as const

export interface FleetOptions {
  readonly pools: readonly { readonly nodes: number; readonly policy: PolicyOptions }[]
  readonly maxUnavailable?: number
  readonly maxFailures?: number
  readonly isControlPlane?: boolean
}

/**
 * How a pass goes. answers lost: every second write of a node does not arrive. late: it sees the nodes as they were a minute ago.
 * refused: the writes for pool a are refused.
 */
export type Fate = 'sound' | 'answers lost' | 'late' | 'refused'

export interface Step {
  readonly what: string
  readonly content: Content
  readonly pool: number
  readonly node: number
  readonly passes: number
  readonly fate: Fate
}

interface Commit {
  readonly revision: string
  readonly contents: ReadonlyMap<string, Content>
}

interface SimNode {
  readonly view: NodeDraft
  readonly pool: string | undefined
  readonly isSilent: boolean
  readonly hasPods: boolean
  readonly isDown: boolean
  /** What it was assigned keeps it from being Ready, until it gets other content. */
  readonly isRuined: boolean
  /** When it was assigned what it has. */
  readonly wasSound: boolean
  readonly keepsPods: boolean
}

/** Reasons that say that something moves: none of them is true at rest. */
const MOVES: ReadonlySet<string> = new Set(['RollingOut', 'RollingBack', 'Soaking', 'Uncordoning', 'Draining', 'Rebooting'])

const POOLS = ['a', 'b', 'c'] as const

/** What is known of a pool from outside: what the promises are checked against. */
interface Shown {
  /** Proven contents, the last one last. */
  completed: Content[]
  /** Completed, and the pool went back from it. */
  left: Set<Content>
  rejected: Set<Content>
  /** What the pool left last: known to work where the way back fails. */
  spare: Content | undefined
}

/**
 * Pools with their nodes, agents, pods, Git and operators around the real decision. It collects broken promises of docs/rollouts.md:
 * (1) no more sound nodes get an unproven content than the open waves have; (2) the budgets hold when the controller disturbs a node;
 * (3) a node gets the target, or what the pool has proved; (4) no node gets what failed in its pool; (5) after all help every pool completes
 * a good commit; (6) a pool at rest names its blocker, and has a wake where time helps; (7) a node that is well stays cordoned by us no
 * longer than needed; (8) an assessment that takes over from the last one is the same.
 */
export class SimulatedFleet {
  readonly #options: FleetOptions
  readonly #policies: readonly RolloutPolicy[]
  readonly #last = new Map<string, Assessment>()
  now = noon
  #commits: Commit[] = []
  #nodes: SimNode[]
  #before: SimNode[]
  readonly #statuses = new Map<string, Memory>()
  readonly #controls = new Map<string, PoolSnapshot['controls']>()
  #fleetControls: { paused?: string; retry?: string } = {}
  #steadySince: Instant | undefined
  #watchedSince: Instant | undefined
  #proofs = new Map<string, ProofPod>()
  readonly #answers = new Map<string, readonly GateAnswer[]>()
  #areGatesGood = true
  readonly #records = new Map<string, Shown>()
  readonly wrong: string[] = []
  #decisions: ReadonlyMap<string, Decision> = new Map()
  #uids = 0

  constructor(options: FleetOptions) {
    this.#options = options
    this.#policies = options.pools.map(({ policy }) =>
      policyOf({ drain: { mode: 'Auto' }, applyTimeout: 10 * minute, ...policy }),
    )
    this.#nodes = options.pools.flatMap(({ nodes }, index) => {
      const pool = POOLS[index] ?? ''
      return Array.from({ length: nodes }, (_, each) => ({
        view: new NodeDraft({
          ...aNode(`${pool}${each + 1}`)
            .on('first', { at: noon - 2 * hour, since: noon - hour, pool, revision: 'commit-0' })
            .withUid(`uid-${this.#uids++}`)
            .withPause(),
          ...(this.#options.isControlPlane && { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
        } as NodeView),
        pool,
        isSilent: false,
        hasPods: true,
        isDown: false,
        isRuined: false,
        wasSound: true,
        keepsPods: false,
      }))
    })
    this.#before = this.#nodes
    this.#push('first')
    for (const name of this.names) {
      this.#statuses.set(name, {
        ...NO_MEMORY,
        target: { revision: 'commit-0', fingerprint: 'of first' },
        stable: { revision: 'commit-0', fingerprint: 'of first' },
        history: [{ ...aRollout('first', { result: 'Completed', startedAt: noon - 3 * hour }), revision: 'commit-0' }],
      })
      this.#records.set(name, { completed: ['first'], left: new Set(), rejected: new Set(), spare: undefined })
    }
    this.pass('sound')
  }

  get names(): readonly string[] {
    return this.#options.pools.map((_, index) => POOLS[index] ?? '')
  }

  happens({ what, content, pool, node, passes, fate }: Step): void {
    const name = this.names[pool % this.names.length] ?? ''
    if (what === 'push') this.#push(content)
    if (what === 'push to one') this.#push(content, name)
    this.#toPool(name, what)
    this.#toFleet(what)
    this.#nodes = this.#nodes.map((each, index) => (index === node % this.#nodes.length ? this.#changed(each, what) : each))
    this.pass(fate)
    for (let pass = 0; pass < passes; pass++) this.tick(fate)
  }

  tick(fate: Fate = 'sound'): void {
    this.now += minute
    this.#before = this.#nodes
    this.#nodes = this.#nodes.map((node) => this.#worked(node))
    this.#proofs = new Map([...this.#proofs].map(([name, pod]) => [name, this.#ran(pod)]))
    this.pass(fate)
  }

  /** Everybody is up, nobody keeps anything, and a good commit comes. */
  helped(content: Content): void {
    this.#nodes = this.#nodes.map((node) => ({
      ...node,
      isSilent: false,
      isDown: false,
      keepsPods: false,
      pool: node.pool ?? 'a',
      view: ready(clean(node.view), !node.isRuined, this.now),
    }))
    this.#areGatesGood = true
    this.#fleetControls = {}
    for (const name of this.names) this.#controls.set(name, {})
    this.#push(content)
    for (const name of this.names) this.#controls.set(name, { promoted: this.#head.revision })
    this.pass('sound')
    for (let pass = 0; pass < 150 && !this.#isDone(content); pass++) {
      this.tick()
      if (pass % 20 === 19) this.#asTold()
    }
    if (!this.#isDone(content)) this.wrong.push(`(5) not completed after help: ${this.told()}`)
    for (let pass = 0; pass < 3; pass++) this.tick()
    const left = this.#nodes.filter(({ view }) => view.unschedulable || view.mark !== undefined)
    if (left.length > 0) this.wrong.push(`(7) left cordoned: ${left.map(({ view }) => view.name)}`)
  }

  /** Two pools that block each other tell which one to roll back, and it follows the repository again when the other one has completed. */
  #asTold(): void {
    for (const [name] of this.#controls) this.#controls.set(name, { promoted: this.#head.revision })
    for (const [name, { status }] of this.#decisions) {
      const { reason, message } = readyOf(status)
      const [, told] = /nodewave rollback (\w)/.exec(message) ?? []
      const pool = told ?? (reason === 'Halted' && message.includes('waits for "') ? name : undefined)
      const [, broken] =
        /used up by "(\w+)".*repair them, or raise|control-plane node "(\w+)" can run no pod/.exec(message)?.filter(Boolean) ?? []
      this.#nodes = this.#nodes.map((node) => (node.view.name === broken ? this.#changed(node, 'is replaced') : node))
      if (pool !== undefined) this.#controls.set(pool, { promoted: this.#head.revision, rollback: '' })
    }
  }

  #isDone(content: Content): boolean {
    return (
      [...this.#decisions.values()].every(({ status }) => readyOf(status).status === 'True') &&
      this.#nodes.every(({ view }) => view.assigned?.digest === content && view.status?.active === content)
    )
  }

  told(): string {
    return [...this.#decisions]
      .map(([name, { status }]) => `${name}: ${readyOf(status).reason}: ${readyOf(status).message}`)
      .concat(
        this.#nodes.map(
          ({ view, pool }) =>
            `${view.name}@${pool} ${view.ready ? '' : 'down '}${view.unschedulable ? 'cordoned ' : ''}${view.assigned?.digest}/${view.status?.phase}/${view.status?.active}`,
        ),
      )
      .join('\n  ')
  }

  /** Passes until nothing happens by itself, jumping to wakes. Looks at the invariants at rest. */
  rest(): void {
    for (let pass = 0; pass < 40; pass++) {
      const before = this.#fingerprint()
      this.tick()
      if (before !== this.#fingerprint()) continue
      const wake = Math.min(...[...this.#decisions.values()].map(({ wakeAt }) => wakeAt ?? Number.POSITIVE_INFINITY))
      this.#looksAhead(wake)
      if (wake === Number.POSITIVE_INFINITY) {
        this.#isAtRest()
        return
      }
      if (wake > this.now + 3 * hour) return
      this.now = Math.max(this.now, wake - minute)
    }
  }

  #isAtRest(): void {
    for (const [name, { status }] of this.#decisions) {
      const { reason, message, status: isReady } = readyOf(status)
      if (isReady === 'False' && MOVES.has(reason)) this.wrong.push(`(6) ${name} at rest: ${reason} ${message}\n  ${this.told()}`)
      if (isReady === 'True') {
        const commit = this.#head.contents.get(name)
        const lagging = this.#nodes.filter(
          ({ view, pool, isSilent }) =>
            pool === name &&
            view.ready &&
            !view.hold &&
            !view.unschedulable &&
            !view.mark &&
            !isSilent &&
            view.status?.active !== commit,
        )
        if (lagging.length > 0 && reason === 'Completed')
          this.wrong.push(`(6) ${name} Ready at rest, but ${lagging.map(({ view }) => view.name)} lacks ${commit}`)
        const cordoned = this.#nodes.filter(
          ({ view, pool }) => pool === name && view.ready && view.mark?.state === 'Ours' && view.unschedulable,
        )
        if (cordoned.length > 0)
          this.wrong.push(`(7) ${name} Ready at rest, but cordoned: ${cordoned.map(({ view }) => view.name)}`)
      }
    }
  }

  /** (6): before the wake nothing changes by time alone. */
  #looksAhead(wake: Instant): void {
    const decided = (at: Instant): string =>
      JSON.stringify(
        [...decideFleet(this.#snapshot(this.#nodes), at)].map(([name, { actions, status }]) => [
          name,
          actions.map(bare),
          bareStatus(status),
        ]),
      )
    const here = decided(this.now)
    const at = [this.now + 1000, Math.min(wake, this.now + 24 * hour) - 1]
    for (const each of at) {
      if (each < this.now || each >= wake) continue
      const there = decided(each)
      if (there !== here)
        this.wrong.push(
          `(6) no wake at or before ${new Date(each).toISOString()} from ${new Date(this.now).toISOString()} (wake ${wake}): ${diff(here, there)}`,
        )
    }
  }

  #fingerprint(): string {
    return JSON.stringify([
      this.#nodes,
      [...this.#statuses],
      [...this.#proofs],
      [...this.#decisions].map(([, { actions }]) => actions.length),
    ])
  }

  #push(content: Content, only?: string): void {
    const before = this.#commits.at(-1)
    const contents = new Map(
      this.names.map((name) => [name, only === undefined || name === only ? content : (before?.contents.get(name) ?? content)]),
    )
    this.#commits.push({ revision: `commit-${this.#commits.length}`, contents })
  }

  get #head(): Commit {
    const head = this.#commits.at(-1)
    if (!head) throw new Error('nothing was pushed')
    return head
  }

  #toPool(name: string, what: string): void {
    const controls = this.#controls.get(name) ?? {}
    const record = this.#records.get(name)
    if (what === 'rollback') this.#controls.set(name, { ...controls, rollback: '' })
    if (what === 'resume') {
      const { rollback: _, paused: __, ...rest } = controls
      this.#controls.set(name, rest)
    }
    if (what === 'pause') this.#controls.set(name, { ...controls, paused: '' })
    if (what === 'promote') this.#controls.set(name, { ...controls, promoted: this.#head.revision })
    if (what === 'retry') {
      this.#controls.set(name, { ...controls, retry: this.#head.revision })
      const content = this.#head.contents.get(name)
      if (content) record?.rejected.delete(content)
    }
    if (what === 'status lost' && record) {
      const { rejected } = this.#statuses.get(name) ?? NO_MEMORY
      this.#statuses.set(name, { ...NO_MEMORY, rejected })
      record.completed = []
      record.left = new Set()
    }
  }

  #toFleet(what: string): void {
    if (what === 'clock ahead') this.now += 25 * minute
    if (what === 'clock back') this.now -= 12 * minute
    if (what.startsWith('clock')) this.#steadySince = this.now
    if (what === 'restart') {
      this.#watchedSince = this.now
      this.#steadySince = undefined
      this.#answers.clear()
    }
    if (what === 'fleet pause') this.#fleetControls = { ...this.#fleetControls, paused: 'x' }
    if (what === 'fleet resume') {
      const { paused: _, ...rest } = this.#fleetControls
      this.#fleetControls = rest
    }
    if (what === 'fleet retry') this.#fleetControls = { ...this.#fleetControls, retry: this.#head.revision }
    if (what === 'gates fail') this.#areGatesGood = false
    if (what === 'gates pass') this.#areGatesGood = true
    if (what === 'an hour') this.now += hour
  }

  #changed(node: SimNode, what: string): SimNode {
    const { view } = node
    if (what === 'goes down') return { ...node, isDown: true, view: ready(view, false, this.now) }
    if (what === 'comes back') return { ...node, isDown: false, view: ready(view, !node.isRuined, this.now) }
    if (what === 'is replaced')
      return {
        ...node,
        isDown: false,
        isRuined: false,
        isSilent: false,
        hasPods: false,
        view: new NodeDraft({
          ...aNode(view.name)
            .withUid(`uid-${this.#uids++}`)
            .createdAtInstant(this.now)
            .readyAgain(this.now)
            .withPause(),
          labels: view.labels,
        } as NodeView),
      }
    if (what === 'moves on') {
      const index = this.names.indexOf(node.pool ?? '')
      return { ...node, pool: this.names[(index + 1) % this.names.length] }
    }
    if (what === 'leaves all pools') return { ...node, pool: undefined }
    if (what === 'is held') return { ...node, view: view.held() }
    if (what === 'is released') return { ...node, view: view.released() }
    if (what === 'falls silent') return { ...node, isSilent: true }
    if (what === 'speaks again') return { ...node, isSilent: false }
    if (what === 'is cordoned') return { ...node, view: view.cordoned() }
    if (what === 'keeps its pods') return { ...node, keepsPods: !node.keepsPods }
    if (what === 'is labelled') return { ...node, view: view.labelled('tier' in view.labels ? {} : { tier: 'test' }) }
    if (what === 'is uncordoned') return { ...node, hasPods: true, view: view.uncordoned() }
    return node
  }

  #worked(node: SimNode): SimNode {
    const { view, isDown, isSilent } = node
    const { assigned } = view
    if (!assigned || isDown || isSilent) return node
    const report = reportOf(view)
    if (report?.phase === 'Applied' && view.ready && report.lastKnownGood !== assigned.digest)
      return { ...node, view: new NodeDraft({ ...view, status: { ...report, lastKnownGood: assigned.digest } }) }
    if (report !== undefined) return node
    const lastKnownGood = view.status?.lastKnownGood ?? 'first'
    const content = CONTENTS[assigned.digest as Content]
    const since = this.now
    if (content.effect === 'ruins')
      return { ...node, isRuined: true, view: ready(view.reporting('Applied', { since, lastKnownGood }), false, this.now) }
    const fails = content.effect === 'fails' || (content.effect === 'fails on one' && view.name.endsWith('1'))
    const healed = ready(view, true, this.now)
    if (fails)
      return { ...node, view: view.reporting('RolledBack', { since, lastKnownGood, error: { reason: 'X', message: 'x' } }) }
    return { ...node, isRuined: false, view: healed.reporting('Applied', { since, lastKnownGood }) }
  }

  #ran(pod: ProofPod): ProofPod {
    const node = this.#nodes.find(({ view }) => view.name === pod.node)
    if (!node?.view.ready || pod.state !== 'Pending') return pod
    return CONTENTS[pod.digest as Content].effect === 'unproved' ? pod : { ...pod, state: 'Running' }
  }

  #revision({ revision, contents }: Commit, name: string, members: readonly SimNode[]): Revision {
    const content = contents.get(name) ?? 'first'
    const { disruption } = CONTENTS[content]
    return {
      revision,
      fingerprint: `of ${content}`,
      wanted: new Map(
        members.map(({ view }) => [view.name, TARGETS.get(content) ?? wantedConfig({ digest: content, disruption })]),
      ),
    }
  }

  #snapshot(nodes: readonly SimNode[]): FleetSnapshot {
    const pools = this.#options.pools.map((_, index): PoolSnapshot => {
      const name = POOLS[index] ?? ''
      const members = nodes.filter(({ pool }) => pool === name)
      const known = this.#commits.map((commit) => this.#revision(commit, name, members))
      const answers = this.#answers.get(name)
      return {
        name,
        policy: this.#policies[index] ?? policyOf({}),
        nodes: members.map(({ view }) => view),
        pods: new Map(
          members
            .filter(({ view }) => view.unschedulable && view.mark)
            .map(({ view, hasPods }) => [view.name, { kind: 'known', pods: hasPods ? [aPod(`pod-${view.name}`)] : [] }]),
        ),
        proofs: {
          kind: 'known',
          pods: new Map([...this.#proofs].filter(([node]) => members.some(({ view }) => view.name === node))),
        },
        head: this.#revision(this.#head, name, members),
        known: new Map(known.map((each) => [each.revision, each])),
        memory: this.#statuses.get(name) ?? NO_MEMORY,
        controls: this.#controls.get(name) ?? {},
        ...(answers && { gateAnswers: answers }),
        ...(this.#steadySince !== undefined && { steadySince: this.#steadySince }),
        ...(this.#watchedSince !== undefined && { watchedSince: this.#watchedSince }),
      }
    })
    const { maxUnavailable, maxFailures, isControlPlane } = this.#options
    return {
      pools,
      strays: nodes.filter(({ pool }) => pool === undefined).map(({ view }) => view),
      policy: {
        ...(maxUnavailable !== undefined && { maxUnavailable: shareOf(maxUnavailable) }),
        ...(maxFailures !== undefined && { maxFailures: shareOf(maxFailures) }),
      },
      controls: this.#fleetControls,
      ...(isControlPlane && { controlPlane: { nodes: nodes.map(({ view }) => view), instances: [], answers: ['1.36.3'] } }),
    }
  }

  pass(fate: Fate): void {
    const seen = fate === 'late' ? this.#before : this.#nodes
    let decisions = decideFleet(this.#snapshot(seen), this.now)
    // It reads the nodes of the pool again before a wave opens, and before a rollout completes.
    if (fate === 'late' && [...decisions].some(([name, { status }]) => isStepAhead(this.#statuses.get(name), status)))
      decisions = decideFleet(this.#snapshot(this.#nodes), this.now)
    this.#takesOver(decisions, fate)
    this.#decisions = decisions
    const nodesBefore = this.#nodes
    let writes = 0
    for (const [name, { status, actions }] of decisions) {
      if (fate === 'refused' && name === 'a') continue
      this.#recorded(name, this.#statuses.get(name) ?? NO_MEMORY, status)
      this.#statuses.set(name, status)
      for (const action of actions) {
        if (fate === 'answers lost' && writes++ % 2 === 1) continue
        this.#execute(name, action, { status, seen, nodesBefore })
      }
    }
    for (const action of uncordonStrays(this.#snapshot(seen).strays ?? [])) this.#execute('', action, { seen, nodesBefore })
    this.#keepsBudgets(nodesBefore)
    for (const [name, { status, actions }] of decisions)
      if (actions.some((action) => action.kind === 'assign' && action.digest === contentOf(status.target)))
        this.#keepsExposure(name, status, nodesBefore)
  }

  /** (8): assessments that take over from the last ones decide the same. */
  #takesOver(decisions: ReadonlyMap<string, Decision>, fate: Fate): void {
    if (fate === 'late') {
      this.#last.clear()
      return
    }
    const found = new Map<string, Assessment>()
    const again = decideFleet(this.#snapshot(this.#nodes), this.now, {
      assess: (pool, facts, now) => {
        const assessment = assess({ ...pool, fleet: facts }, now, found.get(pool.name) ?? this.#last.get(pool.name))
        found.set(pool.name, assessment)
        return assessment
      },
      conclude,
    })
    for (const [name, assessment] of found) this.#last.set(name, assessment)
    for (const [name, decision] of decisions) {
      const [fresh, reused] = [JSON.stringify(decision), JSON.stringify(again.get(name))]
      if (fresh !== reused) this.wrong.push(`(8) ${name} decided otherwise: ${diff(fresh, reused)}`)
    }
  }

  #recorded(name: string, before: Memory, after: NodePoolStatus): void {
    const record = this.#records.get(name)
    if (!record) return
    const target = contentOf(after.target)
    if (target && contentOf(before.target) !== target) {
      const at = record.completed.indexOf(target)
      if (at >= 0) {
        for (const left of record.completed.splice(at + 1)) {
          record.left.add(left)
          record.spare = left
        }
      }
    }
    for (const { fingerprint } of after.rejected) {
      if (before.rejected.some((other) => other.fingerprint === fingerprint)) continue
      const content = contentOf({ fingerprint })
      if (!content) continue
      record.rejected.add(content)
      record.completed = record.completed.filter((other) => other !== content)
    }
    const [top] = after.history
    if (
      top?.result === 'Completed' &&
      (before.history[0]?.result !== 'Completed' ||
        before.history[0].startedAt !== top.startedAt ||
        before.history[0].fingerprint !== top.fingerprint)
    ) {
      const content = contentOf(top)
      if (!content) return
      record.completed = [...record.completed.filter((other) => other !== content), content]
      record.left.delete(content)
      record.spare = undefined
    }
  }

  #execute(
    name: string,
    action: Action,
    { status, seen, nodesBefore }: { status?: NodePoolStatus; seen: readonly SimNode[]; nodesBefore: readonly SimNode[] },
  ): void {
    if (action.kind === 'clearControl') {
      const { [action.control]: value, ...rest } = this.#controls.get(name) ?? {}
      if (value === action.value) this.#controls.set(name, rest)
      return
    }
    if (action.kind === 'askGate') {
      const { gate, wave, question, revision, rollout } = action
      const answer = { gate: gate.name, wave, question, revision, rollout, at: this.now, message: 'told' } as const
      this.#answers.set(name, [{ ...answer, verdict: this.#areGatesGood || question === 'before' ? 'Passed' : 'NotPassed' }])
      return
    }
    if (action.kind === 'startProof') {
      const { node, digest, assignedAt, at } = action.pod
      if (!this.#proofs.has(node))
        this.#proofs.set(node, {
          node,
          name: `proof-${node}`,
          uid: `proof-${node}-${this.#uids++}`,
          digest,
          assignedAt,
          startedAt: at,
          state: 'Pending',
        })
      return
    }
    if (action.kind === 'removeProof') {
      for (const [node, { uid }] of this.#proofs) if (uid === action.pod.uid) this.#proofs.delete(node)
      return
    }
    if (!('node' in action)) return
    const isCurrent =
      seen === this.#nodes ||
      seen === nodesBefore ||
      seen.find(({ view }) => view.name === action.node)?.view === nodesBefore.find(({ view }) => view.name === action.node)?.view
    if (!isCurrent) return
    if (action.kind === 'assign' && status) this.#mayBeAssigned(name, action, status)
    this.#nodes = this.#nodes.map((node) => (node.view.name === action.node ? this.#written(node, name, action) : node))
    // It sees what it has written itself.
    const mine = this.#nodes.find(({ view }) => view.name === action.node)
    this.#before = this.#before.map((node) => (mine && node.view.name === action.node ? mine : node))
  }

  #written(node: SimNode, pool: string, action: Action): SimNode {
    const { view } = node
    if (action.kind === 'cordon') return { ...node, view: new NodeDraft({ ...view, unschedulable: true, mark: action.mark }) }
    if (action.kind === 'uncordon') {
      const { mark: _, ...rest } = view
      return {
        ...node,
        hasPods: true,
        view: new NodeDraft({
          ...rest,
          ...(action.lifts && { unschedulable: false }),
          ...(action.mark && { mark: action.mark }),
        } as NodeView),
      }
    }
    if (action.kind === 'evict') return { ...node, hasPods: node.keepsPods }
    if (action.kind === 'recordProof') return { ...node, view: new NodeDraft({ ...view, proof: action.proof }) }
    if (action.kind !== 'assign') return node
    const { digest, revision, grant, at, nodeWas } = action
    const { proof: _, ...rest } = view
    const proof: NodeProof | undefined = action.proof && { digest, assignedAt: at, state: 'Wanted', ...action.proof }
    const report = reportOf(view)
    const isSound =
      view.ready &&
      !isAtWork(view, report) &&
      nodeWas === undefined &&
      !(view.proof?.state === 'Failed' && report?.phase === 'Applied')
    // Disturbed: this rollout took it when it was sound, and assigns it once more.
    const wasSound = isSound || (node.wasSound && nodeWas === 'Disturbed')
    return {
      ...node,
      wasSound,
      view: new NodeDraft({
        ...rest,
        assigned: { digest, revision, pool, grant, at, ...(nodeWas && { nodeWas }) },
        ...(proof && { proof }),
      } as NodeView),
    }
  }

  #mayBeAssigned(name: string, { node, digest }: Extract<Action, { kind: 'assign' }>, status: NodePoolStatus): void {
    const record = this.#records.get(name)
    const content = digest as Content
    if (!record) return
    const target = contentOf(status.target)
    const isTarget = target === content
    if (record.rejected.has(content)) this.wrong.push(`(4) ${node} of ${name} gets ${content}, which failed`)
    if (isTarget) return
    if (record.completed.includes(content)) return
    if (record.spare === content && record.completed.length === 0) return
    if (record.completed.length === 0 && contentOf(status.stable) === content) return
    this.wrong.push(
      `(3) ${node} of ${name} gets ${content}, target ${target}, completed ${record.completed} left ${[...record.left]}`,
    )
  }

  #keepsExposure(name: string, status: NodePoolStatus, before: readonly SimNode[]): void {
    const record = this.#records.get(name)
    const target = contentOf(status.target)
    const [top] = status.history
    if (!record || !target || record.completed.includes(target) || top?.result !== 'Running') return
    const policy = this.#options.pools[POOLS.indexOf(name as 'a')]?.policy
    const waves = policy?.waves ?? []
    const { index = 0 } = status.wave ?? {}
    const members = this.#nodes.filter(({ pool }) => pool === name)
    if (index > waves.length) return
    const sizes = waves
      .slice(0, index)
      .map(({ nodes }) =>
        'count' in nodes
          ? nodes.count
          : 'percent' in nodes
            ? Math.max(1, Math.floor((members.length * nodes.percent) / 100))
            : members.length,
      )
    const places = sizes.reduce((sum, size) => sum + size, 0)
    const isExposed = ({ view, wasSound }: SimNode): boolean =>
      wasSound &&
      view.assigned?.digest === target &&
      view.assigned.pool === name &&
      (view.assigned.at ?? 0) >= Date.parse(top.startedAt)
    const exposed = members.filter(isExposed)
    const were = new Set(before.filter(isExposed).map(({ view }) => view.name))
    // A retry has a node try once more that is exposed already, also where the status that knew the open waves was lost.
    if (exposed.every(({ view }) => were.has(view.name))) return
    if (exposed.length > places && places < members.length)
      this.wrong.push(`(1) ${exposed.map(({ view }) => view.name)} of ${name} exposed to ${target}, places ${places}`)
  }

  #keepsBudgets(before: readonly SimNode[]): void {
    const newly = this.#nodes.filter((node) => {
      const old = before.find(({ view }) => view.name === node.view.name)
      return old && old.view.assigned !== undefined && !isUnavailable(old) && isUnavailable(node)
    })
    if (newly.length === 0) return
    const joined = new Set(
      this.#nodes
        .filter((node) => {
          const old = before.find(({ view }) => view.name === node.view.name)
          return old?.view.assigned === undefined && old && !isUnavailable(old)
        })
        .map(({ view }) => view.name),
    )
    const spending = (nodes: readonly SimNode[]): readonly SimNode[] =>
      nodes.filter((node) => isUnavailable(node) && !joined.has(node.view.name))
    for (const name of this.names) {
      const policy = this.#options.pools[POOLS.indexOf(name as 'a')]?.policy
      const share = policy?.maxUnavailable ?? '100%'
      const members = this.#nodes.filter(({ pool }) => pool === name)
      if (!newly.some(({ pool }) => pool === name)) continue
      const allowed =
        typeof share === 'number' ? share : Math.max(1, Math.floor((members.length * Number.parseFloat(share)) / 100))
      if (spending(members).length > allowed)
        this.wrong.push(
          `(2) ${name} newly ${newly.map(({ view }) => view.name)}: unavailable ${spending(members).map(({ view }) => view.name)} of ${allowed}`,
        )
    }
    const { maxUnavailable } = this.#options
    if (maxUnavailable === undefined) return
    const all = spending(this.#nodes).filter(
      ({ pool, view }) =>
        pool !== undefined ||
        (view.assigned !== undefined &&
          view.proof?.state !== 'Wanted' &&
          (!view.ready || !view.unschedulable || view.mark?.state === 'Ours')),
    )
    if (all.length > maxUnavailable)
      this.wrong.push(
        `(2) fleet newly ${newly.map(({ view }) => view.name)}: unavailable ${all.map(({ view }) => view.name)} of ${maxUnavailable}`,
      )
  }
}

function diff(a: string, b: string): string {
  let at = 0
  while (a[at] === b[at]) at++
  return `${a.slice(Math.max(0, at - 150), at + 150)}\n    ${b.slice(Math.max(0, at - 150), at + 150)}`
}

function isUnavailable({ view }: SimNode): boolean {
  if (!view.ready || view.unschedulable) return true
  const report = reportOf(view)
  if (view.proof && view.proof.state !== 'Passed' && view.proof.assignedAt === view.assigned?.at && report?.phase === 'Applied')
    return true
  return isAtWork(view, report) && view.status?.active !== view.assigned?.digest
}

function isStepAhead(before: Memory | undefined, after: NodePoolStatus): boolean {
  return before?.wave?.index !== after.wave?.index || before?.history[0]?.result !== after.history[0]?.result
}

function contentOf(ref: { readonly fingerprint: string } | undefined): Content | undefined {
  return ref?.fingerprint.slice('of '.length) as Content | undefined
}

export function readyOf(status: Pick<NodePoolStatus, 'conditions'>): NodePoolStatus['conditions'][number] {
  const found = status.conditions.find(({ type }) => type === 'Ready')
  if (!found) throw new Error('no Ready')
  return found
}

function ready(view: NodeDraft, isReady: boolean, at: Instant): NodeDraft {
  if (view.ready === isReady) return view
  return isReady ? view.readyAgain(at) : view.notReady(at)
}

function clean(view: NodeDraft): NodeDraft {
  const { hold: _, ...rest } = view
  const isTheirs = view.unschedulable && !(view.mark?.state === 'Ours')
  return new NodeDraft({ ...rest, ...(isTheirs && { unschedulable: false }) } as NodeView)
}

function bare(action: Action): unknown {
  return JSON.parse(
    JSON.stringify(action, (key, value) => (key === 'at' || key === 'assignedAt' || key === 'endedAt' ? undefined : value)),
  )
}

function bareStatus(status: NodePoolStatus): unknown {
  return { ...status, conditions: status.conditions.map(({ type, status, reason }) => ({ type, status, reason })) }
}
