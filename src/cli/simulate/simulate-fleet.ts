import { setImmediate } from 'node:timers/promises'
import { createCompiler } from '../../controller/compile.ts'
import { atOnce } from '../../controller/compression.ts'
import { control } from '../../controller/controller.ts'
import { nodePoolCrd } from '../../controller/node-pool-crd.ts'
import type { Clock, CompiledFleet, ControllerSettings, HeadSource } from '../../controller/ports.ts'
import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { DEFAULT_NAMESPACE, DEFAULT_REVISIONS_NAMESPACE, namesFor } from '../../protocol/names.ts'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import { createCore } from '../../sim/apiserver/create-core.ts'
import { inProcessClient } from '../../sim/apiserver/in-process-client.ts'
import type { Store } from '../../sim/apiserver/storage/store.ts'
import { Availability } from '../../sim/fleet/availability.ts'
import { LightAgents } from '../../sim/fleet/light-agents.ts'
import { Workload } from '../../sim/fleet/workload.ts'
import { VirtualClock } from '../../sim/virtual-clock.ts'
import { type AgentTimes, timeOf } from './agent-times.ts'
import { beginAt } from './begin-at.ts'
import { GATES_HOLD } from './gates-hold.ts'
import { type PodObjects, putPods } from './read-pods.ts'
import { CourseRecorder, poolStatus } from './record-course.ts'
import type { Simulation } from './simulation.ts'

export interface SimulationInput {
  readonly from: RepoSnapshot
  readonly to: RepoSnapshot
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
}

export interface SimulatedCourse extends Omit<Simulation, 'from' | 'to' | 'assumptions'> {
  /** Some pool has gates, and nobody asked them. */
  readonly gated: boolean
}

const SETTINGS: ControllerSettings = {
  names: namesFor(),
  namespace: DEFAULT_NAMESPACE,
  revisionsNamespace: DEFAULT_REVISIONS_NAMESPACE,
  // What is asked for at one instant is answered at a later one: no failure can show meanwhile.
  actionsAPass: Number.POSITIVE_INFINITY,
  // Nor does anybody spare the API server here: to come back for a count would be a pass over all nodes.
  countsEvery: 0,
}

/**
 * Lets the real controller roll a change over a fleet in virtual time: the API server is in this process, agents answer after the time
 * that they are said to need.
 * @throws {Error} when the controller cannot go on
 */
export async function simulateFleet(input: SimulationInput): Promise<SimulatedCourse> {
  const { from, to, nodes, startsAt } = input
  const clock = new VirtualClock(startsAt, { settled: () => settled(core.store) })
  const core = createCore({ now: () => clock.now(), onPodTerminating: () => clock.sleep(input.times.podStop) })
  const kube = inProcessClient(core)
  for (const name of [SETTINGS.namespace, SETTINGS.revisionsNamespace])
    await kube.create('/api/v1/namespaces', { metadata: { name } })
  await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const compile = createCompiler({ namespace: SETTINGS.namespace })
  await beginAt({ kube, settings: SETTINGS, now: startsAt, snapshot: from, fleet: compile(from) }, nodes)
  await putPods(kube, input.pods)
  const recorder = new CourseRecorder(core.store, () => clock.now())
  const availability = new Availability(core.store, () => clock.now())
  const ending = new AbortController()
  const { signal } = ending
  new Workload({ store: core.store, kube, clock, startTime: input.times.podStart, signal })
  const agents = new LightAgents({ kube, clock, timeOf: timeOf(input.times), fails: input.fails, signal }).run()
  const ports = {
    kube: answeringVersions(kube, input.serverVersions),
    source: oneHead(to),
    compile,
    compression: atOnce,
    clock: controllerClock(clock),
    log: () => {},
    inquire: GATES_HOLD,
  }
  const controller = control({ ports, settings: SETTINGS, signal })
  const done = (status: Partial<NodePoolStatus>): boolean => isDone(status, to.commit)
  try {
    const outcome = await Promise.race([
      passTime({ clock, store: core.store, within: input.within, fleet: compile(to), done }),
      controller.then(() => {
        throw new Error('the controller ended')
      }),
    ])
    return {
      ...{
        startsAt,
        endsAt: Math.min(clock.now(), startsAt + input.within),
        outcome,
        pools: recorder.courses(done),
        disruptions: recorder.disruptions,
        gated: [...compile(to).pools.values()].some(({ policy }) => policy.gates?.length),
      },
      ...{ peak: availability.peak, peakByZone: Object.fromEntries(availability.peakByZone) },
    }
  } finally {
    ending.abort()
    await Promise.allSettled([controller, agents])
  }
}

interface Passing {
  readonly clock: VirtualClock
  readonly store: Store
  readonly within: number
  readonly fleet: CompiledFleet
  readonly done: (status: Partial<NodePoolStatus>) => boolean
}

async function passTime({ clock, store, within, fleet, done }: Passing): Promise<Simulation['outcome']> {
  const statuses = (): Partial<NodePoolStatus>[] => [...fleet.pools.keys()].map((pool) => poolStatus(store, pool))
  // Reading and keeping a commit takes threads of its own; no time passes for the fleet meanwhile.
  while (!statuses().every(({ observedRevision }) => observedRevision === fleet.commit)) await setImmediate()
  while (!statuses().every(done)) if (!(await clock.step(within))) return clockIsOut(clock, within)
  return 'Completed'
}

/** Resolves when nobody has written anything for some turns of the event loop: what needs no time has happened. */
async function settled(store: Store): Promise<void> {
  let seen = store.revision
  for (let quiet = 0; quiet < 3; quiet = store.revision === seen ? quiet + 1 : 0) {
    seen = store.revision
    await setImmediate()
  }
}

/** Whether somebody still waits for a later time. */
async function clockIsOut(clock: VirtualClock, within: number): Promise<'Stuck' | 'Unfinished'> {
  return (await clock.step(Number.POSITIVE_INFINITY)) && clock.elapsed() > within ? 'Unfinished' : 'Stuck'
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
