import { control } from '../../src/controller/controller.ts'
import { nodePoolCrd } from '../../src/controller/crds/node-pool-crd.ts'
import type { ControllerPorts, ControllerSettings } from '../../src/controller/ports.ts'
import { createCompiler } from '../../src/controller/revisions/compile.ts'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { type EmbeddedApiServer, startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { type ProofOutcome, runProofKubelets } from '../../src/sim/fleet/proof-kubelets.ts'
import { until as untilWanted } from '../waiting/until.ts'
import { aSnapshot } from './a-snapshot.ts'
import { type FakeAgentsOptions, runFakeAgents } from './fake-agents.ts'
import { FakeSource } from './fake-source.ts'
import { TestClock } from './test-clock.ts'

export interface Stage extends AsyncDisposable {
  readonly server: EmbeddedApiServer
  readonly kube: KubeApi
  readonly clock: TestClock
  readonly source: FakeSource
  /** Resolves when a controller logs such a line: `warn pass failed, …`. */
  logged(wanted: (line: string) => boolean): Promise<void>
  /** Of all controllers: `PATCH /api/v1/nodes/n0`. Lists and watches do not show. */
  readonly requests: string[]
  /** Resolves as soon as these are as wanted. */
  requested(wanted: (requests: readonly string[]) => boolean): Promise<void>
  push(digit: string, files: Record<string, string>): void
  /** `n0`, `n1`, … with the label `role: worker`. */
  addNodes(count: number): Promise<void>
  aNode(name: string): object
  /** What a kubelet writes though nothing happened. */
  heartbeat(node: string, beat: number): Promise<void>
  /** A controller on the same cluster; the returned function ends it, as a signal would. */
  startController(more?: Partial<ControllerPorts>): () => Promise<void>
  /** Of the controller that was started last. */
  ended(): Promise<void>
  startAgents(outcome?: FakeAgentsOptions['outcome']): void
  /** Kubelets that run the pods which prove nodes, or complain. */
  startKubelets(outcomeOn?: (node: string) => ProofOutcome): void
  /** Resolves with the objects of a collection, by name, as soon as they are as wanted. */
  until(path: string, wanted: (objects: ReadonlyMap<string, KubeObject>) => boolean): Promise<ReadonlyMap<string, KubeObject>>
  /** Resolves as soon as the pool `workers` has completed the commit; time goes on meanwhile. */
  completed(revision: string | undefined): Promise<unknown>
}

/** An API server, a repository and a clock, to play on; everything ends with the `await using` block. */
export async function aStage(more: Partial<ControllerSettings> = {}): Promise<Stage> {
  const settings = { ...SETTINGS, ...more }
  // No kubelet runs here: a pod that is told to go is gone.
  const server = await startApiServer({ onPodTerminating: () => undefined })
  const kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
  const [clock, source, ending] = [new TestClock(), new FakeSource(), new AbortController()]
  const running: Promise<void>[] = []
  const listeners = new Set<(line: string) => void>()
  const requests: string[] = []
  const askers = new Set<() => void>()
  const note = (line: string): void => {
    requests.push(line)
    for (const asker of askers) asker()
  }
  for (const name of ['nodewave-system', 'nodewave-revisions', 'nodewave-gates', 'nodewave-proof'])
    await kube.create('/api/v1/namespaces', { metadata: { name } })
  await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())

  let ended = Promise.resolve()
  const startController: Stage['startController'] = (more = {}) => {
    const own = new AbortController()
    const ports: ControllerPorts = {
      kube: recorded(createKubeClient({ server: server.url, credentials: async () => ({}) }), note),
      source,
      compile: createCompiler({ namespace: 'nodewave-system' }),
      clock,
      log: (level, message) => {
        for (const listener of listeners) listener(`${level} ${message}`)
      },
      ...more,
    }
    const signal = AbortSignal.any([ending.signal, own.signal])
    ended = control({ ports, settings, signal })
    const done = ended
    running.push(done)
    return () => {
      own.abort()
      return done
    }
  }
  const nodeNamed = (name: string) => aNode(name, clock.now())

  return {
    server,
    kube,
    clock,
    source,
    logged: (wanted) =>
      new Promise((resolve) => {
        listeners.add((line) => wanted(line) && resolve())
      }),
    requests,
    requested: (wanted) =>
      new Promise((resolve) => {
        const asker = (): void => {
          if (wanted(requests)) resolve()
        }
        askers.add(asker)
        asker()
      }),
    ended: () => ended,
    aNode: nodeNamed,
    push: (digit, files) => source.tell({ kind: 'head', snapshot: aSnapshot(digit, files) }),
    async addNodes(count) {
      for (let index = 0; index < count; index += 1) await kube.create(NODES, nodeNamed(`n${index}`))
    },
    async heartbeat(node, beat) {
      const lastHeartbeatTime = new Date(clock.now() + beat * 1000).toISOString()
      const status = { conditions: [{ type: 'Ready', lastHeartbeatTime }] }
      await kube.patch(`${NODES}/${node}/status`, { status }, { type: 'strategic' })
    },
    startController,
    startAgents(outcome) {
      const agents = runFakeAgents({ kube, now: () => clock.now(), signal: ending.signal, ...(outcome && { outcome }) })
      running.push(agents)
    },
    startKubelets(outcomeOn) {
      const options = { kube, now: () => clock.now(), signal: ending.signal, ...(outcomeOn && { outcomeOn }) }
      running.push(runProofKubelets(options))
    },
    until: (path, wanted) => until(kube, { path, wanted }),
    completed: (revision) =>
      until(kube, {
        path: POOLS,
        wanted(found) {
          clock.advance(1000)
          const { stable } = (found.get('workers')?.status ?? {}) as { stable?: { revision: string } }
          return stable?.revision === revision
        },
      }),
    async [Symbol.asyncDispose]() {
      ending.abort()
      await Promise.allSettled(running)
      await server.close()
    },
  }
}

const SETTINGS: ControllerSettings = {
  names: namesFor(),
  namespace: 'nodewave-system',
  revisionsNamespace: 'nodewave-revisions',
}

export const NODES = '/api/v1/nodes'
export const POOLS = '/apis/nodewave.io/v1alpha1/nodepools'

export function aNode(name: string, now: number): object {
  const lastTransitionTime = new Date(now - 3_600_000).toISOString()
  return {
    metadata: { name, labels: { role: 'worker' } },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime, lastHeartbeatTime: lastTransitionTime },
      ],
      nodeInfo: { kubeletVersion: 'v1.36.2', architecture: 'amd64', osImage: 'Debian 12', bootID: `boot-of-${name}` },
    },
  }
}

function recorded(kube: KubeApi, note: (line: string) => void): KubeApi {
  function noted<Arguments extends [string, ...unknown[]], Answer>(verb: string, send: (...of: Arguments) => Answer) {
    return (...of: Arguments): Answer => {
      note(`${verb} ${of[0]}`)
      return send(...of)
    }
  }
  return {
    get: noted('GET', kube.get) as KubeApi['get'],
    create: noted('POST', kube.create) as KubeApi['create'],
    replace: noted('PUT', kube.replace) as KubeApi['replace'],
    patch: noted('PATCH', kube.patch) as KubeApi['patch'],
    delete: noted('DELETE', kube.delete),
    list: kube.list,
    follow: kube.follow,
  }
}

/** The objects at a path, once they are as wanted. */
export function until(
  kube: KubeApi,
  { path, wanted }: { readonly path: string; readonly wanted: (objects: ReadonlyMap<string, KubeObject>) => boolean },
): Promise<ReadonlyMap<string, KubeObject>> {
  return untilWanted((signal) => objectsAt(kube, { path, signal }), { for: `${path}, ${wanted}`, wanted })
}

async function* objectsAt(
  kube: KubeApi,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): AsyncIterable<ReadonlyMap<string, KubeObject>> {
  const objects = new Map<string, KubeObject>()
  for await (const event of kube.follow(path, { project: (object) => object, signal })) {
    if (event.type === 'sync') {
      objects.clear()
      for (const item of event.items) objects.set(item.metadata.name, item)
    } else if (event.type === 'upsert') objects.set(event.item.metadata.name, event.item)
    else objects.delete(event.name)
    yield objects
  }
}

/** What the desired-config of a node says of its revision. */
export function assignedRevision(node: KubeObject | undefined): string | undefined {
  const text = node?.metadata.annotations?.['nodewave.io/desired-config']
  return text === undefined ? undefined : (JSON.parse(text) as { REVISION?: string }).REVISION
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

export function conditionOf(pool: KubeObject | undefined, type: string): Condition | undefined {
  const { conditions = [] } = (pool?.status ?? {}) as { conditions?: Condition[] }
  return conditions.find((condition) => condition.type === type)
}

/** `False RolledBack` */
export function readyOf(pool: KubeObject | undefined): string {
  const ready = conditionOf(pool, 'Ready')
  return `${ready?.status} ${ready?.reason}`
}
