import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../controller/clock/clock.ts'
import { control } from '../controller/controller.ts'
import { nodePoolCrd } from '../controller/crds/node-pool-crd.ts'
import type { CompiledFleet, CompileNow } from '../controller/fleet/compiled-fleet.ts'
import { ALL_COMPLETED } from '../controller/other-clusters/other-clusters.ts'
import type { ControllerSettings } from '../controller/ports.ts'
import { createCompiler } from '../controller/revisions/compile.ts'
import { atOnce } from '../controller/revisions/compression.ts'
import type { HeadSource } from '../controller/revisions/head-source.ts'
import type { KubeApi, KubeObject } from '../kube/kube-api.ts'
import { DEFAULT_NAMESPACE, DEFAULT_REVISIONS_NAMESPACE, namesFor, PROOF_NAMESPACE } from '../protocol/names.ts'
import type { NodePoolStatus } from '../protocol/node-pool.ts'
import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import type { LoadFleet } from '../repo/load-fleet.ts'
import type { Core } from '../sim/apiserver/core.ts'
import { createCore } from '../sim/apiserver/create-core.ts'
import { inProcessClient } from '../sim/apiserver/in-process-client.ts'
import type { Store } from '../sim/apiserver/storage/store.ts'
import { Availability } from '../sim/fleet/availability.ts'
import { LightAgents } from '../sim/fleet/light-agents.ts'
import { runProofKubelets } from '../sim/fleet/proof-kubelets.ts'
import { Workload } from '../sim/fleet/workload.ts'
import { VirtualClock } from '../sim/virtual-clock.ts'
import { type AgentTimes, timeOf } from './agent-times.ts'
import { beginAt, beginNew } from './begin-at.ts'
import { GATES_HOLD } from './gates-hold.ts'
import { type PodObjects, putPods } from './pod-objects.ts'
import { poolStatus, RolloutRecorder } from './record-rollouts.ts'
import type { Moment, SimulatedPool, Simulation } from './simulation.ts'

export interface SimulationInput {
  /** Undefined: the nodes run no commit yet. */
  readonly from: RepoSnapshot | undefined
  readonly to: RepoSnapshot
  /** Of the repository, where it has several. */
  readonly cluster?: string | undefined
  /** Has read both commits already; absent: nobody has. */
  readonly load?: LoadFleet
  readonly nodes: readonly KubeObject[]
  /** And their budgets. */
  readonly pods: PodObjects
  /** Milliseconds since the epoch. */
  readonly startsAt: number
  /** Milliseconds after which to stop looking. */
  readonly within: number
  readonly times: AgentTimes
  /** What the API servers say that they are. */
  readonly serverVersions: readonly string[]
  /** Nodes on which every change fails. */
  readonly fails: ReadonlySet<string>
  /** Called at each moment; says whether to go on. */
  readonly goOn?: (moment: Moment) => boolean
}

/** How finely the controller works; what comes out is the same. */
export interface Pacing extends Pick<ControllerSettings, 'actionsAPass' | 'countsEvery'> {
  readonly clientOf: (core: Core) => KubeApi
}

/**
 * All that is to be done at one instant is one pass over the nodes, not one for each hundred of them: what is asked for now is answered
 * later, so no failure can show in between. Nor is there an API server to be spared, to which one would come back for a count.
 */
const AT_ONCE: Pacing = { actionsAPass: Number.POSITIVE_INFINITY, countsEvery: 0, clientOf: inProcessClient }

/** Milliseconds from when a pod that proves a node is made until it has run. */
export const PROOF_TIME = 3_000

export interface SimulatedRollout extends Omit<Simulation, 'from' | 'to' | 'assumptions'> {
  /** Some pool has gates, and nobody asked them. */
  readonly gated: boolean
  /** Some pool names an image for the pod that proves a node; no node here shows one of its own. */
  readonly proved: boolean
}

const SETTINGS: ControllerSettings = {
  names: namesFor(),
  namespace: DEFAULT_NAMESPACE,
  revisionsNamespace: DEFAULT_REVISIONS_NAMESPACE,
  // Nobody reads here, and of secrets only the encrypted form is known.
  payloadReaders: 'all',
  secrets: true,
}

/**
 * Lets the real controller roll a change over a fleet in virtual time: the API server is in this process, agents answer after the time
 * that they are said to need.
 * @throws {Error} when the controller cannot go on
 */
export async function simulateFleet(
  input: SimulationInput,
  { clientOf, ...pacing }: Pacing = AT_ONCE,
): Promise<SimulatedRollout> {
  const { from, to, nodes, startsAt } = input
  const clock = new VirtualClock(startsAt, { settled: () => settled(core.store) })
  // Nobody reconnects here: what watches could catch up on would be thousands of old Nodes.
  const core = createCore({ historyLimit: 1, now: () => clock.now(), onPodTerminating: () => clock.sleep(input.times.podStop) })
  const kube = clientOf(core)
  for (const name of [SETTINGS.namespace, SETTINGS.revisionsNamespace, PROOF_NAMESPACE])
    await kube.create('/api/v1/namespaces', { metadata: { name } })
  await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const compile = compilingOnce(createCompiler({ namespace: SETTINGS.namespace, cluster: input.cluster, load: input.load }))
  const beginning = { kube, settings: SETTINGS, now: startsAt }
  await (from === undefined ? beginNew(kube, nodes) : beginAt({ ...beginning, snapshot: from, fleet: compile(from) }, nodes))
  await putPods(kube, input.pods)
  const recorder = new RolloutRecorder(core.store, () => clock.now())
  const availability = new Availability(core.store, () => clock.now())
  const ending = new AbortController()
  const { signal } = ending
  new Workload({ store: core.store, kube, clock, startTime: input.times.podStart, signal })
  const agents = new LightAgents({ kube, clock, timeOf: timeOf(input.times), fails: input.fails, signal }).run()
  const started = (until: AbortSignal): Promise<void> => clock.sleep(PROOF_TIME, until)
  const kubelets = runProofKubelets({ kube, now: () => clock.now(), started, signal })
  const ports = {
    kube: answeringVersions(kube, input.serverVersions),
    source: oneHead(to),
    compile,
    compression: atOnce,
    clock: controllerClock(clock),
    log: () => {},
    gateChecks: GATES_HOLD,
    otherClusters: () => ALL_COMPLETED,
  }
  const controller = control({ ports, settings: { ...SETTINGS, ...pacing }, signal })
  const done = (status: Partial<NodePoolStatus>): boolean => isDone(status, to.commit)
  try {
    const outcome = await Promise.race([
      passTime({ ...input, clock, store: core.store, fleet: compile(to), done }),
      controller.then(() => {
        throw new Error('the controller ended')
      }),
    ])
    const pools = recorder.pools(done)
    return {
      ...{
        startsAt,
        endsAt: outcome === 'Stuck' ? lastStep(pools, startsAt) : clock.now(),
        outcome,
        pools,
        disruptions: recorder.disruptions,
        gated: [...compile(to).pools.values()].some(({ policy }) => policy.gates?.length),
        proved: [...compile(to).pools.values()].some(({ policy }) => policy.proof?.mode !== 'Never' && policy.proof?.image),
      },
      ...{ peak: availability.peak, peakByZone: Object.fromEntries(availability.peakByZone) },
    }
  } finally {
    ending.abort()
    await Promise.allSettled([controller, agents, kubelets])
  }
}

/** Trials of agents may end later, and change nothing for the rollout. */
function lastStep(pools: readonly SimulatedPool[], startsAt: number): number {
  return Math.max(startsAt, ...pools.map(({ steps }) => steps.at(-1)?.at ?? startsAt))
}

/** Nothing but its commit makes a fleet here: there are no Secrets. */
function compilingOnce(compile: CompileNow): CompileNow {
  const fleets = new Map<string, CompiledFleet>()
  return (snapshot) => {
    const fleet = fleets.get(snapshot.commit) ?? compile(snapshot)
    fleets.set(snapshot.commit, fleet)
    return fleet
  }
}

interface Passing extends Pick<SimulationInput, 'within' | 'goOn'> {
  readonly clock: VirtualClock
  readonly store: Store
  readonly fleet: CompiledFleet
  readonly done: (status: Partial<NodePoolStatus>) => boolean
}

async function passTime({ clock, store, within, fleet, done, goOn = () => true }: Passing): Promise<Simulation['outcome']> {
  const statuses = (): Partial<NodePoolStatus>[] => [...fleet.pools.keys()].map((pool) => poolStatus(store, pool))
  // Reading and keeping a commit takes threads of its own; no time passes for the fleet meanwhile.
  while (!statuses().every(({ observedRevision }) => observedRevision === fleet.commit)) await setImmediate()
  while (!statuses().every(done)) {
    if (!goOn({ at: clock.now(), nodes: countedIn(statuses()) })) return 'Unfinished'
    if (!(await clock.step(within))) return clock.isAwaited ? outOfTime(clock, within) : 'Stuck'
  }
  return 'Completed'
}

/** What would come later is not looked at: it would count in what was seen. */
async function outOfTime(clock: VirtualClock, within: number): Promise<'Unfinished'> {
  await clock.advance(within - clock.elapsed())
  return 'Unfinished'
}

function countedIn(statuses: readonly Partial<NodePoolStatus>[]): Moment['nodes'] {
  const sum = (key: keyof Moment['nodes']): number => statuses.reduce((all, { nodes }) => all + (nodes?.[key] ?? 0), 0)
  return { current: sum('current'), total: sum('total') }
}

/** Resolves when nobody has written anything for some turns of the event loop: what needs no time has happened. */
async function settled(store: Store): Promise<void> {
  let seen = store.revision
  for (let quiet = 0; quiet < 3; quiet = store.revision === seen ? quiet + 1 : 0) {
    seen = store.revision
    await setImmediate()
  }
}

function isDone({ observedRevision, conditions = [] }: Partial<NodePoolStatus>, commit: string): boolean {
  const ready = conditions.find(({ type }) => type === 'Ready')
  return observedRevision === commit && (ready?.status === 'True' || ready?.reason === 'NoNodes')
}

/** Whoever asks next is answered by the next server. */
function answeringVersions(kube: KubeApi, versions: readonly string[]): KubeApi {
  let asked = 0
  const get = async <T>(path: string): Promise<T> =>
    path === '/version' ? ({ gitVersion: `v${versions[asked++ % versions.length]}` } as T) : kube.get<T>(path)
  return { ...kube, get }
}

function oneHead(snapshot: RepoSnapshot): HeadSource {
  return {
    look: () => {},
    async *follow({ signal }) {
      yield { kind: 'head', snapshot }
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
}

function controllerClock(clock: VirtualClock): Clock {
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    sleepUntil: (at, signal) => clock.sleep(at - clock.now(), signal),
  }
}
