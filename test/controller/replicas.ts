import { control } from '../../src/controller/controller.ts'
import { nodePoolCrd } from '../../src/controller/crds/node-pool-crd.ts'
import { DEFAULT_LEASE_TIMINGS } from '../../src/controller/leadership/election.ts'
import { createCompiler } from '../../src/controller/revisions/compile.ts'
import { atOnce } from '../../src/controller/revisions/compression.ts'
import type { FollowHead } from '../../src/controller/revisions/head-source.ts'
import type { AssignmentSigner } from '../../src/controller/signing/assignment-signer.ts'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { createCore } from '../../src/sim/apiserver/create-core.ts'
import { inProcessClient } from '../../src/sim/apiserver/in-process-client.ts'
import { VirtualClock } from '../../src/sim/virtual-clock.ts'
import { settled } from '../scenarios/full/settled.ts'
import { aSnapshot } from './a-snapshot.ts'
import { type FakeAgentsOptions, runFakeAgents } from './fake-agents.ts'
import { FakeSource } from './fake-source.ts'
import { Pause, pausableClock, pausableKube } from './pausable.ts'
import { aNode } from './stage.ts'

export interface Replica {
  readonly pause: Pause
  /** Ends it as a signal would. */
  stop(): Promise<void>
  /** `PATCH /api/v1/nodes/n0`; watches do not show. */
  readonly requests: string[]
  readonly log: string[]
  /** From which commit heads had to descend, each time it began to follow the repository. */
  readonly followed: (string | undefined)[]
}

interface StartOptions {
  /** Milliseconds by which its wall clock is off. */
  readonly skew?: number
  readonly kube?: KubeApi
  readonly signer?: AssignmentSigner
}

export const LEASE = '/apis/coordination.k8s.io/v1/namespaces/nodewave-system/leases/nodewave-controller'

/** Several controllers on one cluster in virtual time; the API server is in this process, and answers at once. */
export class Replicas implements AsyncDisposable {
  readonly clock = new VirtualClock(Date.UTC(2026, 10, 21, 8), { settled })
  readonly source = new FakeSource()
  /** Every request that is not a watch, of everybody. */
  readonly kube: KubeApi
  readonly #core = createCore({ now: () => this.clock.now() })
  readonly #ending = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #pauses: Pause[] = []

  constructor() {
    this.kube = inProcessClient(this.#core)
  }

  static async create({ nodes }: { readonly nodes: number }): Promise<Replicas> {
    const replicas = new Replicas()
    const { kube, clock } = replicas
    for (const name of ['nodewave-system', 'nodewave-revisions']) await kube.create('/api/v1/namespaces', { metadata: { name } })
    await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
    for (let index = 0; index < nodes; index += 1) await kube.create('/api/v1/nodes', aNode(`n${index}`, clock.now()))
    return replicas
  }

  async start(identity: string, { skew = 0, kube = this.kube, signer }: StartOptions = {}): Promise<Replica> {
    const [pause, own] = [new Pause(), new AbortController()]
    const [requests, log, followed]: [string[], string[], (string | undefined)[]] = [[], [], []]
    const { source } = this
    const compile = createCompiler({ namespace: 'nodewave-system' })
    const ports = {
      kube: pausableKube(kube, { pause, requests }),
      source: {
        look: () => source.look(),
        async *follow(options: FollowHead) {
          followed.push(options.lastAccepted)
          for await (const event of source.follow(options)) {
            await pause.over()
            yield event
          }
        },
      },
      compile,
      compression: atOnce,
      ...(signer && { signer }),
      clock: pausableClock(this.clock, { pause, skew }),
      log: (level: string, message: string) => {
        log.push(`${level} ${message}`)
      },
    }
    const settings = {
      names: namesFor(),
      namespace: 'nodewave-system',
      revisionsNamespace: 'nodewave-revisions',
      election: { identity, timings: DEFAULT_LEASE_TIMINGS },
    }
    const running = control({ ports, settings, signal: AbortSignal.any([own.signal, this.#ending.signal]) })
    running.catch(() => undefined)
    this.#running.push(running)
    this.#pauses.push(pause)
    await this.clock.advance(0)
    return {
      ...{ pause, requests, log, followed },
      async stop() {
        own.abort()
        await running
      },
    }
  }

  /** @param takes milliseconds that the work on a node takes */
  startAgents({ takes = 0, outcome }: { readonly takes?: number; readonly outcome?: FakeAgentsOptions['outcome'] } = {}): void {
    const { kube, clock } = this
    const patch = async (...args: Parameters<KubeApi['patch']>): Promise<unknown> => {
      if (takes > 0) await clock.sleep(takes)
      return kube.patch(...args)
    }
    const slow = { ...kube, patch: patch as KubeApi['patch'] }
    const options = { kube: slow, now: () => clock.now(), signal: this.#ending.signal, ...(outcome && { outcome }) }
    this.#running.push(runFakeAgents(options))
  }

  /** Told of every write to the collection, at the moment it is stored. */
  listen(collection: string, told: (object: KubeObject) => void): void {
    this.#core.store.collection(collection).listen(({ entry }) => told(entry.object as unknown as KubeObject))
  }

  push(digit: string, files: Record<string, string>): void {
    this.source.tell({ kind: 'head', snapshot: aSnapshot(digit, files) })
  }

  async get(path: string): Promise<KubeObject> {
    return this.kube.get<KubeObject>(path)
  }

  async list(path: string): Promise<KubeObject[]> {
    return (await this.kube.list(path, { project: (object) => object })).items
  }

  async holder(): Promise<unknown> {
    return ((await this.get(LEASE)).spec as { holderIdentity: string }).holderIdentity
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    for (const pause of this.#pauses) pause.end()
    await settled()
    await Promise.allSettled(this.#running)
  }
}
