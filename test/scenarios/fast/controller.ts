import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { Decider } from '../../../src/controller/decider.ts'
import { allRejections } from '../../../src/controller/revisions/rejections.ts'
import type { FollowEvent } from '../../../src/kube/kube-api.ts'
import { isSameData } from '../../../src/protocol/same-data.ts'
import { rollbackAsked, rollbackChoices } from '../../../src/rollout/controls/rollback.ts'
import type { FleetSnapshot } from '../../../src/rollout/decide-fleet.ts'
import { uncordonStrays } from '../../../src/rollout/drain/strays.ts'
import { isUnderDrain } from '../../../src/rollout/model/cordon.ts'
import type { Action, Decision } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { ProofPod } from '../../../src/rollout/model/node-view.ts'
import {
  type GateAnswer,
  type Memory,
  type PoolSnapshot,
  type Revision,
  withMemory,
} from '../../../src/rollout/model/snapshot.ts'
import { fingerprintOf, PROFILE } from './content.ts'
import { asKept, isSameMemory } from './kept-status.ts'
import type { Mishap } from './mishap.ts'
import { PodsSeen } from './pods-seen.ts'
import type { CachedNode, SimPool, World } from './world.ts'
import { WritesUnderWay } from './writes-under-way.ts'

/** What one pass decided, and what it was drawn from. */
export interface Observed {
  readonly fleet: FleetSnapshot
  readonly decisions: ReadonlyMap<string, Decision>
  readonly at: Instant
  /** False: nothing has changed since the last pass, and no time has come; every pool is the same, and keeps its decision. */
  readonly isNews: boolean
  /** Gates that have held, of which run and wave. */
  readonly held: ReadonlySet<string>
}

interface CachedPool {
  readonly name: string
  readonly namespace: ''
  readonly resourceVersion: string
  readonly memory: Memory
  readonly controls: PoolSnapshot['controls']
}

/** The request came to nothing, as far as the controller can know. */
const REFUSED = Symbol('refused')

/** The real decision, over real caches that hear of changes late, twice or not at all; its writes go the way the shell's do. */
export class SimController {
  readonly #world: World
  /** How far its clock is off. */
  readonly clockOff: number
  readonly #nodes = new ObjectCache<CachedNode>(() => {})
  readonly #pools = new ObjectCache<CachedPool>(() => {})
  readonly #decider = new Decider()
  /** Pools and their decisions, of the last pass. */
  #decided: readonly (PoolSnapshot | Decision)[] = []
  /** Statuses that say what is written already. */
  readonly #statuses = new WeakMap<Memory, Decision['status']>()
  readonly #snapshots = new Map<string, { readonly parts: readonly unknown[]; readonly snapshot: PoolSnapshot }>()
  readonly #revisions = new Map<string, { readonly runs: readonly string[]; readonly revision: Revision | undefined }>()
  /** Lost with the process. */
  readonly #answers = new Map<string, readonly GateAnswer[]>()
  #keptNow: ReadonlySet<string> = new Set()
  #unheard: FollowEvent<CachedNode>[] = []
  readonly #pods: PodsSeen
  #proofs: ReadonlyMap<string, ProofPod> = new Map()
  /** The watch is broken: it hears nothing until it lists again. */
  #deaf = false
  readonly #underWay = new WritesUnderWay()
  #isSlow = false

  constructor(world: World, clockOff = 0) {
    this.#world = world
    this.clockOff = clockOff
    this.#pods = new PodsSeen(world, clockOff)
    this.list()
  }

  told(event: FollowEvent<CachedNode>): void {
    if (!this.#deaf) this.#unheard.push(event)
  }

  toldOfPool(pool: SimPool): void {
    this.#pools.observe({ type: 'upsert', item: cachedPool(pool) })
  }

  /** What comes over the watch is lost from now on. */
  loseWatch(): void {
    this.#deaf = true
  }

  /** Everything again, as after a watch that broke. */
  list(): void {
    this.#deaf = false
    this.#unheard = []
    this.#nodes.observe({ type: 'sync', items: [...this.#world.nodes.values()].map((node) => this.#world.cached(node)) })
    this.#pools.observe({ type: 'sync', items: [...this.#world.pools.values()].map(cachedPool) })
  }

  /** Takes in the oldest of what the watch told, some of it twice. */
  hear(count = Number.POSITIVE_INFINITY, again = 0): void {
    const heard = this.#unheard.splice(0, count)
    for (const event of [...heard, ...heard.slice(0, again).filter(({ type }) => type === 'upsert')]) this.#nodes.observe(event)
    if (count !== Number.POSITIVE_INFINITY) return
    this.#proofs = this.#world.proofs.all
    this.#pods.hear(this.#nodes.items.values())
  }

  /** Whether the caches are what the API server has. */
  get isUpToDate(): boolean {
    return !this.#deaf && this.#unheard.length === 0
  }

  pass(mishap?: Mishap): Observed {
    const at = this.#world.now + this.clockOff
    const fleet = this.#snapshot()
    const { decisions, undecided } = this.#decider.decide(fleet, at)
    for (const error of undecided.values()) throw error
    const isNews = !isEachTheSame([...fleet.pools, ...decisions.values()], this.#decided)
    this.#decided = [...fleet.pools, ...decisions.values()]
    const observed = { fleet, at, decisions, isNews, held: this.#world.gates.held }
    this.#carryOut(observed, mishap)
    return observed
  }

  /** Patches of nodes take so long that another pass comes before they arrive. @param see called with each pass before the next one */
  passTwice(see: (observed: Observed) => void): void {
    this.#isSlow = true
    see(this.pass())
    this.#isSlow = false
    const second = this.pass()
    this.#underWay.arrive()
    see(second)
  }

  #carryOut(observed: Observed, mishap?: Mishap): void {
    let write = 0
    const attempt = (request: () => boolean): void => {
      const strikes = mishap !== undefined && write++ === mishap.atWrite
      if (strikes && mishap.kind === 'dies') throw mishap
      if (strikes && mishap.kind === 'error') throw REFUSED
      if (!request() || (strikes && mishap.kind === 'answer lost')) throw REFUSED
    }
    for (const requests of this.#requestsOf(observed))
      try {
        for (const request of requests) attempt(request)
      } catch (error) {
        if (error === mishap) this.#world.restartController()
        if (error === mishap) return
        if (error !== REFUSED) throw error
      }
  }

  /** Of each pool its status first; and cordons of ours on nodes of no pool are lifted. */
  #requestsOf(observed: Observed): (() => boolean)[][] {
    const ofPools = [...observed.decisions].map(([name, decision]) => [
      () => this.#writeStatus(name, decision),
      ...decision.actions.map((action) => () => this.#execute(name, action, observed)),
      ...this.#notesOf(name, decision),
    ])
    const ofStrays = uncordonStrays(observed.fleet.strays ?? []).map((action) => () => this.#execute('', action, observed))
    return [...ofPools, ofStrays]
  }

  /** A second copy of what the status says: nodes do not wait for it. */
  #notesOf(name: string, { status: { rejected } }: Decision): (() => boolean)[] {
    const { notes } = this.#world
    const kept = this.#kept()
    if (notes === undefined || notes.isKept(name, rejected, kept)) return []
    return [
      () => {
        notes.keep(name, rejected, kept)
        return true
      },
    ]
  }

  #writeStatus(name: string, { status }: Decision): boolean {
    const [pool, seen] = [this.#world.pools.get(name), this.#pools.get(name)]
    if (!pool || !seen) throw new Error(`write status of pool "${name}": there is none`)
    if (this.#statuses.get(seen.memory) === status) return true
    const sent = asKept(seen, status)
    if (isSameMemory(sent, seen.memory)) {
      this.#statuses.set(seen.memory, status)
      return true
    }
    if (String(pool.version) !== seen.resourceVersion) return false
    if (!isSameData(pool.memory.rejected, status.rejected)) this.#world.given.clear()
    this.#world.gates.rolloutWritten(name, pool.memory, status)
    this.#world.apps?.wrote(name, pool.memory, status)
    this.#world.truth?.wrote(name, this.#read(seen).memory, status)
    this.#statuses.set(sent, status)
    pool.memory = sent
    pool.version += 1
    this.toldOfPool(pool)
    return true
  }

  /** A node that changed meanwhile is passed over, as the shell does; the watch will tell what it is now. */
  #execute(name: string, action: Action, observed: Observed): boolean {
    const pool = this.#world.pools.get(name)
    if (action.kind === 'clearControl' && pool?.controls[action.control] === action.value) {
      const { [action.control]: spent, ...controls } = pool.controls
      this.#world.control(pool, controls)
    }
    if (action.kind === 'askGate') this.#answers.set(name, [this.#world.gates.answer(name, action, observed)])
    if (action.kind === 'startProof') this.#world.proofs.start(action.pod)
    if (action.kind === 'removeProof') this.#world.proofs.remove(action.pod.uid)
    if (action.kind === 'evict') this.#pods.evict(action)
    else if (isPatch(action)) this.#send(action, observed)
    return true
  }

  #send(action: Patch, observed: Observed): void {
    const seen = this.#nodes.get(action.node)
    if (!seen || this.#underWay.has(action.node)) return
    if (this.#isSlow) this.#underWay.send(seen, action, () => this.#patch(action, observed))
    else this.#patch(action, observed)
  }

  #patch(action: Patch, observed: Observed): void {
    const seen = this.#nodes.get(action.node)
    if (!seen || !this.#done(action, { seen, observed })) return
    const node = this.#world.nodes.get(action.node)
    if (node) this.#nodes.wrote(this.#world.cached(node))
  }

  #done(action: Patch, { seen, observed }: { readonly seen: CachedNode; readonly observed: Observed }): boolean {
    if (action.kind === 'assign') return this.#world.assign(action, seen, observed)
    if (action.kind === 'clearReboot') return this.#world.clearReboot(action, seen)
    if (action.kind === 'recordProof') return this.#world.recordProof(action, seen)
    return action.kind === 'cordon' ? this.#world.cordon(action, seen, observed) : this.#world.uncordon(action, seen)
  }

  #snapshot(): FleetSnapshot {
    this.#pods.forget((name) => this.#nodes.get(name))
    const at = this.#world.now + this.clockOff
    const nodes = [...this.#nodes.items.values()].map((node) => this.#underWay.of(node, at))
    const members = Map.groupBy(nodes, (node) => node.pool)
    const pools = [...this.#pools.items.values()].map((pool) =>
      this.#poolSnapshot(this.#read(pool), members.get(pool.name) ?? []),
    )
    const strays = [...members].flatMap(([pool, nodes]) => (this.#pools.get(pool) ? [] : nodes.map(({ view }) => view)))
    return { pools, strays, policy: this.#world.fleetPolicy, controls: this.#world.fleetControls }
  }

  /** With what is noted of failed commits beside the status, as the real controller reads it. */
  #read(pool: CachedPool): CachedPool {
    const { notes, head } = this.#world
    const content = head.contents.get(pool.name)
    if (notes === undefined || content === undefined) return pool
    const noted = notes.of(pool.name, this.#kept())
    const rejected = allRejections(pool.memory, {
      noted,
      head: { revision: head.revision, fingerprint: fingerprintOf(content) },
    })
    return rejected === pool.memory.rejected ? pool : { ...pool, memory: { ...pool.memory, rejected } }
  }

  /** The same object again for as long as nothing has changed that it is made of, as the real controller gives it. */
  #poolSnapshot(pool: CachedPool, nodes: readonly CachedNode[]): PoolSnapshot {
    const policy = this.#world.rules.pools.get(pool.name)
    const views = nodes.map(({ view }) => view)
    const answers = this.#answers.get(pool.name) ?? NO_ANSWERS
    const proofs = nodes.flatMap(({ name }) => this.#proofs.get(name) ?? [])
    const kept = this.#kept()
    const parts = [pool.controls, policy, answers, kept, ...this.#namedBy(pool, nodes), ...views, ...proofs]
    const last = this.#snapshots.get(pool.name)
    const isSame = last && !views.some(isUnderDrain) && isEachTheSame(parts, last.parts)
    const snapshot = isSame ? withMemory(last.snapshot, pool.memory) : this.#readPool(pool, nodes)
    this.#snapshots.set(pool.name, { parts, snapshot })
    return snapshot
  }

  #kept(): ReadonlySet<string> {
    const { commits, lostRevisions } = this.#world
    if (lostRevisions.size === 0 && this.#keptNow.size === commits.length) return this.#keptNow
    const kept = commits.filter(({ revision }) => !lostRevisions.has(revision))
    const isSame = this.#keptNow.size === kept.length && kept.every(({ revision }) => this.#keptNow.has(revision))
    if (!isSame) this.#keptNow = new Set(kept.map(({ revision }) => revision))
    return this.#keptNow
  }

  /** The same object while no node comes or goes, runs another content, or has other labels, as the real controller has it. */
  #revisionAt(
    commit: string,
    { pool, nodes, runs }: { readonly pool: string; readonly nodes: readonly CachedNode[]; readonly runs: readonly string[] },
  ): Revision | undefined {
    const key = `${pool} ${commit}`
    const known = this.#revisions.get(key)
    if (known && isEachTheSame(runs, known.runs)) return known.revision
    const revision = this.#world.revisionOf(commit, pool, nodes)
    this.#revisions.set(key, { runs, revision })
    return revision
  }

  /**
   * Commits that the pool may be brought to. Who asks for a rollback may mean what nodes have, and the status knows nothing of. They may have the
   * newest content under the name of another commit.
   */
  #namedBy(pool: Pick<CachedPool, 'name' | 'memory' | 'controls'>, nodes: readonly CachedNode[]): readonly string[] {
    const { name, memory, controls } = pool
    const kept = this.#kept()
    const isAskedAnew = controls.rollback !== undefined && controls.rollback !== memory.observedControls?.rollback
    const onNodes = this.#world.notes ? nodes.flatMap(({ view }) => view.assigned?.revision ?? []) : []
    const others = isAskedAnew ? onNodes : onNodes.filter((revision) => this.#hasNewestContent(revision, name))
    return [...commitsOf(pool, kept), ...others].filter((revision) => kept.has(revision))
  }

  #hasNewestContent(revision: string, pool: string): boolean {
    const { commits, head } = this.#world
    return commits.find((commit) => commit.revision === revision)?.contents.get(pool) === head.contents.get(pool)
  }

  #readPool({ name, memory, controls }: CachedPool, nodes: readonly CachedNode[]): PoolSnapshot {
    const { rules, head } = this.#world
    const kept = this.#kept()
    const runs = nodes.map(({ name: node, view: { status, labels } }) => `${node} ${status?.active} ${labels[PROFILE]}`)
    const revisionAt = (revision: string) => this.#revisionAt(revision, { pool: name, nodes, runs })
    const known = this.#namedBy({ name, memory, controls }, nodes).map(revisionAt)
    const [target, policy] = [revisionAt(head.revision), rules.pools.get(name)]
    if (!target || !policy) throw new Error(`read pool "${name}": it is not in the repository`)
    return {
      name,
      policy,
      nodes: nodes.map(({ view }) => view),
      pods: this.#pods.now(),
      proofs: { kind: 'known', pods: new Map(nodes.flatMap((node) => proofOn(this.#proofs, node.name))) },
      head: target,
      known: new Map(known.filter((revision) => revision !== undefined).map((revision) => [revision.revision, revision])),
      kept,
      memory,
      controls,
      gateAnswers: this.#answers.get(name) ?? NO_ANSWERS,
    }
  }
}

const NO_ANSWERS: readonly GateAnswer[] = []

type Patch = Extract<Action, { kind: 'assign' | 'cordon' | 'uncordon' | 'recordProof' | 'clearReboot' }>

function isPatch(action: Action): action is Patch {
  return ['assign', 'cordon', 'uncordon', 'recordProof', 'clearReboot'].includes(action.kind)
}

function proofOn(proofs: ReadonlyMap<string, ProofPod>, node: string): [string, ProofPod][] {
  const pod = proofs.get(node)
  return pod ? [[node, pod]] : []
}

function isEachTheSame(parts: readonly unknown[], others: readonly unknown[]): boolean {
  return parts.length === others.length && parts.every((part, index) => part === others[index])
}

function cachedPool({ name, version, memory, controls }: SimPool): CachedPool {
  return { name, namespace: '', resourceVersion: String(version), memory, controls }
}

/** What the shell reads besides the newest commit. */
function commitsOf({ memory, controls }: Pick<CachedPool, 'memory' | 'controls'>, kept: ReadonlySet<string>): string[] {
  const { rollback: value } = controls
  const asked = value === undefined ? undefined : rollbackAsked(value, { memory, choices: rollbackChoices(memory, kept) })
  return [memory.target, memory.stable, memory.rollback?.to, asked].flatMap((ref) => ref?.revision ?? [])
}
