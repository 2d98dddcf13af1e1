import { nextCounter } from '../../../src/protocol/assignment-signature.ts'
import type { Disruption } from '../../../src/protocol/desired-config.ts'
import type { FleetControls, FleetPolicy } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import { type Memory, NO_MEMORY, type NodeTarget, type PoolSnapshot, type Revision } from '../../../src/rollout/model/snapshot.ts'
import { Apps } from './apps.ts'
import type { Backup } from './backup.ts'
import { contentOf, digestFor, type Labels, problemFor, versionFor } from './content.ts'
import { type Observed, SimController } from './controller.ts'
import type { Effect } from './effect.ts'
import { GateOracle } from './gate-oracle.ts'
import { isSound } from './invariants/canary-exposure.ts'
import { allowed, hasEnded, isBlocked, isDown, isJoining } from './invariants/steps.ts'
import { ProofPods } from './proof-pods.ts'
import { RejectionNotes } from './rejection-notes.ts'
import type { FleetRules } from './rules.ts'
import { SimNode } from './sim-node.ts'
import { TrueRollouts } from './true-rollouts.ts'
import { Workload } from './workload.ts'

/** A NodePool object, as the API server keeps it. */
export interface SimPool {
  readonly name: string
  version: number
  memory: Memory
  controls: PoolSnapshot['controls']
}

/** A commit says what each pool is to run. */
export interface Commit {
  readonly revision: string
  readonly contents: ReadonlyMap<string, string>
}

/** A node was given something. */
export interface Take {
  readonly node: SimNode
  readonly digest: string
  /** It was available, and is not for as long as the work takes. */
  readonly disturbs: boolean
  /** It was cordoned for it, no more. */
  readonly isCordon: boolean
  /** It was sound, and runs this content for the first time in this rollout. Told only where others change records. */
  readonly exposes: boolean
  /** Pods that had to go first, and were there still. */
  readonly undrained: number
  /** What its pool remembered then. */
  readonly memory: Memory
  readonly observed: Observed
}

export const START: Instant = Date.parse('2026-11-21T08:00:00.000Z')

/** A fleet in virtual time: what the API server knows of it, its machines, its repository, and its controller. */
export class World {
  readonly rules: FleetRules
  readonly pools: ReadonlyMap<string, SimPool>
  readonly commits: Commit[] = []
  readonly effects = new Map<string, Effect>()
  /** What contents do to single machines, by `defectKey`. */
  readonly defects = new Map<string, Effect>()
  readonly nodes = new Map<string, SimNode>()
  now = START
  controller: SimController
  fleetControls: FleetControls = {}
  fleetPolicy: FleetPolicy
  readonly gates = new GateOracle()
  readonly proofs = new ProofPods()
  readonly cordonedByPeople = new Set<string>()
  /** What nodes were being drained for when people uncordoned them last. */
  readonly calledOff = new Map<string, string>()
  /** Nodes that people uncordoned in the middle of a drain, and what the controller then left them out of. */
  readonly released = new Map<string, string>()
  readonly workload = new Workload()
  /** Where contents break workloads, and gates look at those. */
  apps?: Apps
  /** How much a content disturbs a node that runs another one. */
  readonly disruptions = new Map<string, 'restart' | 'drain'>()
  /** Of the event under way. */
  takes: Take[] = []
  /** How often each node was given each content since something happened that may change what it is to have. */
  readonly given = new Map<string, number>()
  /** Where tools change what the cluster remembers: what is noted of failed commits beside statuses. */
  notes?: RejectionNotes
  /** The same: what the controller has really done. */
  truth?: TrueRollouts
  readonly backups: Backup[] = []
  /** Commits whose ConfigMaps somebody has deleted. */
  readonly lostRevisions = new Set<string>()
  /** Situations of this story. */
  readonly reached = new Set<string>()
  /** Counts up with each change of a node that the API server shows. */
  shown = 0
  /** What happened, for the message of a failure. */
  readonly told: (() => string)[] = []

  constructor(rules: FleetRules) {
    this.rules = rules
    this.fleetPolicy = rules.fleet
    this.pools = new Map(
      [...rules.pools.keys()].map((name) => [name, { name, version: 1, memory: NO_MEMORY, controls: {} }] as const),
    )
    this.controller = new SimController(this)
  }

  /** Statuses, annotations and ConfigMaps may be changed by others from now on. */
  keepRecords(): void {
    this.notes = new RejectionNotes()
    this.truth = new TrueRollouts()
    if (this.apps) this.apps.isMeddled = true
  }

  /** Gates look at workloads from now on. */
  keepApps(): void {
    const apps = new Apps(this.nodes, [...this.pools.keys()])
    this.apps = apps
    this.gates.workloads = (pool, ask, observed) => apps.answer(pool, ask, observed)
  }

  get head(): Commit {
    const head = this.commits.at(-1)
    if (!head) throw new Error('nothing was pushed')
    return head
  }

  /** A commit with these contents; pools that are not named keep theirs. */
  push(contents: Readonly<Record<string, string>>, effect: Effect = 'good', disruption: 'restart' | 'drain' = 'restart'): void {
    for (const content of Object.values(contents)) {
      if (!this.effects.has(content)) this.effects.set(content, effect)
      if (!this.disruptions.has(content)) this.disruptions.set(content, disruption)
    }
    const before = this.commits.at(-1)?.contents ?? new Map<string, string>()
    const revision = `${this.commits.length}-${Object.values(contents).join('+')}`
    this.commits.push({ revision, contents: new Map([...before, ...Object.entries(contents)]) })
    this.given.clear()
    this.truth?.begin()
    this.tell(`push ${revision}`)
  }

  join(
    name: string,
    {
      pool,
      zone,
      ...more
    }: { readonly pool: string; readonly zone: string; readonly labels?: Labels; readonly createdAt?: Instant },
  ): void {
    const onChange = (node: SimNode): void => {
      this.shown += 1
      this.controller.told({ type: 'upsert', item: this.cached(node) })
    }
    const node = new SimNode(name, { pool, zone, ...more, now: this.now, onChange })
    this.nodes.set(name, node)
    onChange(node)
  }

  leave(name: string): void {
    this.nodes.delete(name)
    this.shown += 1
    this.controller.told({ type: 'delete', name, namespace: '' })
  }

  cached(node: SimNode): CachedNode {
    return { name: node.name, namespace: '', resourceVersion: String(node.version), pool: node.pool, view: node.view() }
  }

  membersOf(pool: string): SimNode[] {
    return [...this.nodes.values()].filter((node) => node.pool === pool)
  }

  /** A person annotates the NodePool, or takes an annotation away. */
  control(pool: SimPool, controls: PoolSnapshot['controls']): void {
    pool.controls = controls
    pool.version += 1
    this.given.clear()
    this.truth?.begin(pool.name)
    this.controller.toldOfPool(pool)
    this.tell(() => `${pool.name} controls: ${JSON.stringify(controls)}`)
  }

  /** Other content is wanted of it from now on. */
  forgetGiven({ name }: SimNode): void {
    for (const key of this.given.keys()) if (key.startsWith(`${name} `)) this.given.delete(key)
  }

  /** A commit lets one more node of the fleet be down. */
  raiseFleetBudget(): void {
    const { maxUnavailable } = this.fleetPolicy
    const nodes = this.nodes.size
    if (maxUnavailable === undefined) return
    this.fleetPolicy = { ...this.fleetPolicy, maxUnavailable: { count: allowed(maxUnavailable, nodes) + 1 } }
    this.tell(`the fleet's maxUnavailable: ${JSON.stringify(this.fleetPolicy.maxUnavailable)}`)
  }

  /** The process dies; another one begins with what the API server knows. */
  restartController(clockOff = this.controller.clockOff): void {
    this.controller = new SimController(this, clockOff)
  }

  /** What the API server does when the controller assigns a node: nothing, if the node has changed since it was seen. */
  assign(action: Extract<Action, { kind: 'assign' }>, seen: CachedNode, observed: Observed): boolean {
    const node = this.nodes.get(action.node)
    const pool = this.pools.get(seen.pool)
    if (!node || !pool || String(node.version) !== seen.resourceVersion) return false
    const joins = this.#joins(seen, observed)
    const disturbs = action.grant !== 'none' && disturbedBy(action.digest, node, { joins, reboots: action.reboot !== undefined })
    const undrained = this.#undrained(action, observed)
    const exposes = node.active !== action.digest && isSound(seen.view) && this.truth?.expose(pool.name, node) === true
    const { memory } = pool
    this.takes.push({ node, digest: action.digest, disturbs, isCordon: false, exposes, undrained, memory, observed })
    const key = `${node.name} ${action.digest} ${action.reboot?.boot}`
    this.given.set(key, (this.given.get(key) ?? 0) + 1)
    if (disturbs) node.disturbed = true
    const { digest, revision, grant, at, reboot, nodeWas } = action
    const wantsProof = action.proof !== undefined
    const { assigned: before, status } = node.shown
    const counter = nextCounter({ assigned: before?.counter, accepted: status?.counter }, observed.at)
    node.assign(
      { digest, revision, pool: pool.name, grant, reboot, at, nodeWas, counter },
      { wantsProof, patience: this.#patienceOf(pool), now: this.now },
    )
    return true
  }

  /** How long an agent of the pool may say nothing of an assignment. */
  #patienceOf({ name }: SimPool): number {
    const { applyTimeout = 0, agentTimeout = applyTimeout } = this.rules.pools.get(name) ?? {}
    return Math.min(applyTimeout, agentTimeout)
  }

  /** The same of a cordon. */
  cordon({ node: name, mark }: Extract<Action, { kind: 'cordon' }>, seen: CachedNode, observed: Observed): boolean {
    const node = this.nodes.get(name)
    const pool = this.pools.get(seen.pool)
    if (!node || !pool || String(node.version) !== seen.resourceVersion) return false
    const disturbs = !isDown(node.view())
    this.takes.push({
      node,
      digest: mark.digest,
      disturbs,
      isCordon: true,
      exposes: false,
      undrained: 0,
      memory: pool.memory,
      observed,
    })
    if (disturbs) node.disturbed = true
    if (this.released.get(name) !== mark.digest) this.released.delete(name)
    node.cordonedByTool = false
    node.showCordon({ mark, ...(mark.state === 'Ours' && { unschedulable: true }) })
    return true
  }

  uncordon({ node: name, lifts, mark }: Extract<Action, { kind: 'uncordon' }>, seen: CachedNode): boolean {
    const node = this.nodes.get(name)
    if (!node || String(node.version) !== seen.resourceVersion) return false
    if (lifts) node.disturbed = false
    if (mark?.state === 'Released') this.released.set(name, mark.digest)
    else this.released.delete(name)
    node.showCordon({ mark, ...(lifts && { unschedulable: false }) })
    return true
  }

  recordProof({ node: name, proof }: Extract<Action, { kind: 'recordProof' }>, seen: CachedNode): boolean {
    const node = this.nodes.get(name)
    if (!node || String(node.version) !== seen.resourceVersion) return false
    node.show({ proof })
    return true
  }

  clearReboot({ node: name }: Extract<Action, { kind: 'clearReboot' }>, seen: CachedNode): boolean {
    const node = this.nodes.get(name)
    if (!node || String(node.version) !== seen.resourceVersion) return false
    node.clearReboot()
    return true
  }

  uncordonByHand(node: SimNode): void {
    this.cordonedByPeople.delete(node.name)
    if (node.shown.mark?.state === 'Ours') this.calledOff.set(node.name, node.shown.mark.digest)
    const view = node.view()
    if (view.assigned === undefined || hasEnded(view) || isBlocked(view)) node.disturbed = false
  }

  /** Those that the policy would have gone, on a node that is Ready as far as the controller knows. */
  #undrained({ node, grant }: Extract<Action, { kind: 'assign' }>, { fleet }: Observed): number {
    const pool = fleet.pools.find(({ nodes }) => nodes.some(({ name }) => name === node))
    const seen = pool?.nodes.find(({ name }) => name === node)
    const { drain } = pool?.policy ?? {}
    const isNeeded = grant === 'drain' || grant === 'reboot' || (grant === 'restart' && drain?.mode === 'Always')
    if (!seen?.ready || !isNeeded || drain?.mode === 'Never' || drain?.onTimeout === 'Proceed') return 0
    return this.workload.on(node).filter(({ kind }) => kind !== 'DaemonSet').length
  }

  #joins({ pool: name, view }: CachedNode, { fleet, decisions, at }: Observed): boolean {
    const pool = fleet.pools.find((each) => each.name === name)
    const decision = decisions.get(name)
    return pool !== undefined && decision !== undefined && isJoining(view, { at, pool, decision })
  }

  step(node: SimNode): void {
    this.workload.step(this.nodes, this.shown)
    const effectOf = (digest: string): Effect =>
      this.#defectOf(node, digest) ?? this.effects.get(digest) ?? this.effects.get(contentOf(digest)) ?? 'good'
    node.step(effectOf, this.now)
    this.proofs.step(node, effectOf)
    this.apps?.see(node)
  }

  #defectOf({ name }: SimNode, digest: string): Effect | undefined {
    return this.defects.size === 0 ? undefined : this.defects.get(defectKey(name, contentOf(digest)))
  }

  tell(event: string | (() => string)): void {
    const { now } = this
    this.told.push(() => `${new Date(now).toISOString()} ${typeof event === 'string' ? event : event()}`)
  }

  /** @returns undefined for a commit that there never was */
  revisionOf(revision: string, pool: string, nodes: readonly CachedNode[]): Revision | undefined {
    const content = this.commits.find((commit) => commit.revision === revision)?.contents.get(pool)
    if (content === undefined) return undefined
    const usual = this.disruptions.get(content) ?? 'restart'
    const wanted = new Map(
      nodes.map(({ name, view }) => {
        const digest = digestFor(content, view.labels)
        const disruption = view.status?.active === digest ? 'none' : usual
        return [name, problemFor(view.labels) ?? targetOf(digest, { disruption, version: versionFor(content) })]
      }),
    )
    return { revision, fingerprint: `of ${content}`, wanted }
  }
}

/** Of a content on a machine. */
export function defectKey(node: string, content: string): string {
  return `${content} on ${node}`
}

const TARGETS = new Map<string, NodeTarget>()

/** The same object each time, as the real controller gives it for a node that has not changed. */
function targetOf(
  digest: string,
  { disruption, version }: { readonly disruption: Disruption; readonly version: string | undefined },
): NodeTarget {
  const key = `${digest} ${disruption}`
  const target = TARGETS.get(key) ?? { kind: 'config', digest, disruption, ...(version !== undefined && { version }) }
  TARGETS.set(key, target)
  return target
}

/** A node as the controller's cache has it. */
export interface CachedNode {
  readonly name: string
  readonly namespace: ''
  readonly resourceVersion: string
  readonly pool: string
  readonly view: ReturnType<SimNode['view']>
}

/** By what the node really is, whatever the controller has heard of it. */
function disturbedBy(
  digest: string,
  node: SimNode,
  { joins, reboots }: { readonly joins: boolean; readonly reboots: boolean },
): boolean {
  return !isDown(node.view()) && !joins && (node.active !== digest || reboots)
}
