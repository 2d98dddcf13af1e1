import type { Clock } from '../../../src/controller/clock/clock.ts'
import { steadyClock } from '../../../src/controller/clock/steady-clock.ts'
import { control } from '../../../src/controller/controller.ts'
import { nodePoolCrd } from '../../../src/controller/crds/node-pool-crd.ts'
import type { LeaseTimings } from '../../../src/controller/leadership/election.ts'
import { leasePath } from '../../../src/controller/leadership/lease.ts'
import type { ControllerSettings } from '../../../src/controller/ports.ts'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { atOnce } from '../../../src/controller/revisions/compression.ts'
import type { KubeApi, KubeObject } from '../../../src/kube/kube-api.ts'
import type { Timers } from '../../../src/kube/timers.ts'
import { namesFor, PROOF_NAMESPACE } from '../../../src/protocol/names.ts'
import { createCore } from '../../../src/sim/apiserver/create-core.ts'
import { inProcessClient } from '../../../src/sim/apiserver/in-process-client.ts'
import type { Store } from '../../../src/sim/apiserver/storage/store.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import { FakeSource } from '../../controller/fake-source.ts'
import type { Random } from '../random.ts'
import type { Backup } from './backup.ts'
import { type Content, commitOf, type Outcome, type PoolRules } from './commits.ts'
import { Machine } from './machine.ts'
import { settled } from './settled.ts'
import { SHUTDOWN } from './shop.ts'
import { Trouble, unreliableKube } from './unreliable-kube.ts'

const NAMESPACE = 'nodewave-system'
const REVISIONS = 'nodewave-revisions'
/** Longer than usual by the same factor: each renewal is an event that a story has to get through. */
const TIMINGS: LeaseTimings = { leaseDuration: 60_000, renewDeadline: 40_000, retryPeriod: 20_000 }
const START = Date.UTC(2026, 10, 21, 8)

function virtualTimers(clock: VirtualClock): Timers {
  return {
    elapsed: () => clock.elapsed(),
    after(milliseconds, wake) {
      const cancelled = new AbortController()
      void clock.sleep(milliseconds, cancelled.signal).then(() => cancelled.signal.aborted || wake())
      return () => cancelled.abort()
    },
  }
}

interface RunningController {
  readonly trouble: Trouble
  readonly stop: AbortController
  /** Milliseconds by which its clock is ahead. */
  readonly ahead: number
  /** Monotonic milliseconds. */
  readonly since: number
}

/** In the place of one that has not been started. */
function idle(): RunningController {
  return { trouble: new Trouble(), stop: new AbortController(), ahead: 0, since: Number.POSITIVE_INFINITY }
}

export interface Setting {
  readonly random: Random
  readonly outcomes: readonly Outcome[]
  /** Everything may come late. Default: false */
  readonly isLate?: boolean
  /** Two controllers stand for election, and their clocks may differ. Default: false */
  readonly hasClocks?: boolean
  /** Nothing befalls nodes at work. Default: false */
  readonly sparesNodes?: boolean
}

/** A fleet in virtual time: the real controller and the real agents on simulated hosts, over the embedded API server. */
export class World {
  readonly random: Random
  /** Of the commits that arrive. */
  readonly outcomes: readonly Outcome[]
  /** Everything may come late. */
  readonly isLate: boolean
  /** Clocks of controllers differ. */
  readonly hasClocks: boolean
  /** Nothing befalls nodes at work. */
  readonly sparesNodes: boolean
  readonly pools: readonly PoolRules[]
  readonly clock = new VirtualClock(START, { settled })
  readonly source = new FakeSource()
  /** The API server, without anything between. */
  readonly kube: KubeApi
  readonly store: Store
  readonly machines = new Map<string, Machine>()
  /** By commit, what each pool is to run. */
  readonly commits = new Map<string, ReadonlyMap<PoolRules, Content>>()
  /** Nodes that were taken while they were available, and are not through with it. */
  readonly disturbed = new Set<string>()
  /** By pool, the content that came last, and which nodes it was given to since. */
  readonly exposed = new Map<string, { readonly content: string; readonly nodes: Set<string> }>()
  /** When each node was assigned what it has, in monotonic milliseconds. */
  readonly assignedAt = new Map<string, number>()
  /** By pool, as its status said last. */
  readonly waves = new Map<string, { readonly content: string | undefined; readonly index: number }>()
  /** Pools and their contents that some status said to be completed. */
  readonly completed = new Set<string>()
  /** By pool, the content of its target, as its status said last. */
  readonly targets = new Map<string, string>()
  /** By pool, how often its status was written since a node changed, or something was pushed. */
  readonly statusWrites = new Map<string, number>()
  readonly cordonedByPeople = new Set<string>()
  readonly told: string[] = []
  /** What does not hold, as soon as it does not. */
  readonly broken: string[] = []
  /** Ends what is no part of the fleet itself. */
  readonly ending = new AbortController()
  backup: (Backup & { readonly ahead: number }) | undefined
  /** What is written then is no doing of a controller. */
  isRestoring = false
  /** Pods of the workload. */
  shopSize = 0
  readonly #controllers: RunningController[]
  #started = 0

  private constructor(
    { random, outcomes, isLate = false, hasClocks = false, sparesNodes = false }: Setting,
    pools: readonly PoolRules[],
  ) {
    this.random = random
    this.outcomes = outcomes
    this.isLate = isLate
    this.hasClocks = hasClocks
    this.sparesNodes = sparesNodes
    this.pools = pools
    this.#controllers = Array.from({ length: hasClocks ? 2 : 1 + random.below(2) }, idle)
    const onPodTerminating = (): Promise<void> => this.clock.sleep(SHUTDOWN)
    const core = createCore({ now: () => this.clock.now(), onPodTerminating })
    this.store = core.store
    this.kube = inProcessClient(core)
  }

  static async create(setting: Setting, pools: readonly PoolRules[]): Promise<World> {
    const world = new World(setting, pools)
    for (const name of [NAMESPACE, REVISIONS, PROOF_NAMESPACE])
      await world.kube.create('/api/v1/namespaces', { metadata: { name } })
    await world.kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
    return world
  }

  /** Of one of the controllers. */
  get controllerTrouble(): Trouble {
    return this.random.pick(this.#controllers).trouble
  }

  get controllerTroubles(): Trouble[] {
    return this.#controllers.map(({ trouble }) => trouble)
  }

  /** No watch of a controller's hides that it is there. */
  isShown({ joinedAt }: Machine): boolean {
    return this.controllerTroubles.every(({ lateWatches }) => lateWatches.shownBy('nodes', joinedAt) <= this.clock.elapsed())
  }

  /** Of everybody who asks the API server. */
  troubles(): Trouble[] {
    return [...this.#controllers, ...this.machines.values()].map(({ trouble }) => trouble)
  }

  /** `kill -9` for all that run, and as many again. */
  startControllers(): void {
    for (const index of this.#controllers.keys()) this.#startController(index)
  }

  /** @returns false where one is alone, and would have to end before the next begins */
  handOver(): boolean {
    const index = this.random.below(this.#controllers.length)
    if (this.#controllers.length === 1) return false
    this.#controllers[index]?.stop.abort()
    this.#controllers[index] = idle()
    this.#startController(index)
    return true
  }

  /**
   * The one that leads ends or dies; another one has its place later, when who stood by has taken over.
   * @returns false where that has not stood by for long: it could not tell whether the clock of the leader is behind
   */
  async replaceLeader({ ahead, dies }: { readonly ahead: number; readonly dies: boolean }): Promise<boolean> {
    const index = await this.#leader()
    const hasStoodBy = ({ since }: RunningController): boolean => this.clock.elapsed() - since > 2 * TIMINGS.leaseDuration
    const leader = this.#controllers[index]
    if (!leader || !this.#controllers.every(hasStoodBy)) return false
    if (dies) this.#kill(leader)
    else leader.stop.abort()
    this.#controllers[index] = idle()
    await this.clock.advance(2 * TIMINGS.leaseDuration)
    this.#startController(index, ahead)
    return true
  }

  /** Its index, below 0 where nobody leads. */
  async #leader(): Promise<number> {
    const lease = await this.kube.get<KubeObject>(leasePath(NAMESPACE)).catch(() => undefined)
    const { holderIdentity = '' } = (lease?.spec ?? {}) as { readonly holderIdentity?: string }
    return this.#controllers.findIndex((_, index) => holderIdentity.startsWith(`replica-${index}-`))
  }

  #startController(index: number, ahead = this.#controllers[index]?.ahead ?? 0): void {
    this.#kill(this.#controllers[index])
    const [trouble, stop] = [new Trouble(), new AbortController()]
    const { clock, source, random } = this
    const compile = createCompiler({ namespace: NAMESPACE })
    const ports = {
      kube: unreliableKube(this.kube, { trouble, clock, random }),
      source,
      compile,
      compression: atOnce,
      clock: this.#clockOf(stop.signal, ahead),
      log: () => undefined,
    }
    this.#controllers[index] = { trouble, stop, ahead, since: clock.elapsed() }
    const identity = `replica-${index}-${this.#started++}`
    void control({ ports, settings: this.#settingsOf(identity), signal: stop.signal }).catch((error) =>
      this.broken.push(`the controller ended: ${String(error)}`),
    )
  }

  /** One alone needs no election. */
  #settingsOf(identity: string): ControllerSettings {
    const settings = { names: namesFor(), namespace: NAMESPACE, revisionsNamespace: REVISIONS }
    return this.#controllers.length === 1 ? settings : { ...settings, election: { identity, timings: TIMINGS } }
  }

  #kill({ trouble, stop }: RunningController | undefined = idle()): void {
    trouble.dead = true
    stop.abort()
  }

  #clockOf(signal: AbortSignal, ahead: number): Clock {
    const { clock } = this
    const plain: Clock = {
      now: () => clock.now() + ahead,
      elapsed: () => clock.elapsed(),
      sleepUntil: (at, ending) => clock.sleep(at - clock.now() - ahead, ending),
    }
    return steadyClock(plain, { timers: virtualTimers(clock), signal })
  }

  /** What has died by order is started again, as its supervisor would. */
  reviveTheDead(): void {
    for (const [index, { trouble }] of this.#controllers.entries()) if (trouble.dead) this.#startController(index)
    for (const machine of this.machines.values()) machine.keepAgentRunning()
  }

  /** Kubelets report as time passes, and Kubernetes sees which nodes are silent. */
  async showNodes(): Promise<void> {
    for (const machine of this.machines.values()) await machine.reportAgain()
    if (this.outcomes.includes('cuts')) for (const machine of this.machines.values()) await machine.showSilence()
  }

  /** What the pool's nodes are given by a commit. */
  contentOf(pool: string, commit: string): Content | undefined {
    return [...(this.commits.get(commit) ?? [])].find(([{ name }]) => name === pool)?.[1]
  }

  async join(name: string, pool: string): Promise<void> {
    const { kube, clock, random, isLate } = this
    this.machines.set(name, await Machine.join({ name, pool, kube, clock, random, isLate }))
  }

  push(contents: ReadonlyMap<PoolRules, Content>): string {
    const snapshot = commitOf(this.commits.size + 1, contents)
    this.commits.set(snapshot.commit, contents)
    this.#expose(contents)
    this.statusWrites.clear()
    this.source.tell({ kind: 'head', snapshot })
    this.tell(`push ${snapshot.commit.slice(-4)} ${snapshot.message}`)
    return snapshot.commit
  }

  /** A commit with a mistake changes no pool. */
  #expose(contents: ReadonlyMap<PoolRules, Content>): void {
    if ([...contents.values()].some(({ outcome }) => outcome === 'invalid')) return
    for (const [{ name: pool }, { name: content }] of contents)
      if (this.exposed.get(pool)?.content !== content) this.exposed.set(pool, { content, nodes: new Set() })
  }

  nodes(): KubeObject[] {
    return this.store.list('nodes') as unknown as KubeObject[]
  }

  pool(name: string): KubeObject | undefined {
    return this.store.get('nodepools.nodewave.io', name) as unknown as KubeObject | undefined
  }

  tell(event: string): void {
    this.told.push(`${new Date(this.clock.now()).toISOString()} ${event}`)
  }

  end(): void {
    for (const controller of this.#controllers) this.#kill(controller)
    this.ending.abort()
    for (const machine of this.machines.values()) machine.killAgent()
  }
}
