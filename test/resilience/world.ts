import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ControllerSetup, runController } from '../../src/cli/controller/run-controller.ts'
import { nodePoolCrd } from '../../src/controller/crds/node-pool-crd.ts'
import { startFleet } from '../../src/demo/simulated-fleet.ts'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { type AgentStatus, parseAgentStatus } from '../../src/protocol/agent-status.ts'
import { type EmbeddedApiServer, startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { type GitServer, startGitServer } from '../../src/sim/git-server.ts'
import type { SimulatedHost } from '../../src/sim/host/simulated-host.ts'
import { assignedRevision, conditionOf, NODES, POOLS, readyOf, until as untilSeen } from '../controller/stage.ts'
import { type GitFixture, gitFixture } from '../gitsync/git-fixture.ts'

/** What a user has: a repository behind a Git server, a controller, and nodes with agents; everything real but the hosts. */
export interface World extends AsyncDisposable {
  readonly server: EmbeddedApiServer
  readonly kube: KubeApi
  readonly git: GitFixture
  /** The remote. */
  readonly gitServer: GitServer
  /** The commit that the working tree is at, to the remote, come what may. @returns the commit */
  pushHead(): Promise<string>
  /** Everything in the working tree, with these files written first, as a commit on the remote. @returns the commit */
  push(files: Readonly<Record<string, string>>): Promise<string>
  /** Resolves with the objects of a collection, by name, as soon as they are as wanted. */
  until(path: string, wanted: (objects: ReadonlyMap<string, KubeObject>) => boolean): Promise<ReadonlyMap<string, KubeObject>>
  /** Until the pool is Ready at the commit, and every agent reports it as applied. */
  untilDone(commit: string): Promise<void>
  /** Until the pool is not Ready because of the commit. @returns what it says of that */
  untilRefused(commit: string): Promise<string>
}

/** Milliseconds. */
const POLL = 50

export interface WorldOptions {
  readonly nodes: number
  /** Of the controller. */
  readonly setup?: Partial<ControllerSetup>
  /** Sees each host as its agent left it. */
  readonly onHost?: (name: string, host: SimulatedHost) => void
}

export async function aWorld({ nodes, setup, onHost }: WorldOptions): Promise<World> {
  await using building = new AsyncDisposableStack()
  const ending = new AbortController()
  const git = building.use(await gitFixture())
  const server = building.adopt(await startApiServer(), (started) => started.close())
  building.defer(() => ending.abort())
  const kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
  for (const name of ['nodewave-system', 'nodewave-revisions']) await kube.create('/api/v1/namespaces', { metadata: { name } })
  await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const gitServer = building.use(await startGitServer({ root: git.folder }))
  const repo = await gitServer.createRepository('fleet.git')
  await git.git('remote', 'add', 'origin', repo)

  const kubeconfig = join(git.folder, 'kubeconfig')
  await writeFile(kubeconfig, server.kubeconfig())
  const machines = Array.from({ length: nodes }, (_, index) => ({ name: `n${index}`, zone: 'a', labels: { role: 'worker' } }))
  await startFleet({
    api: kube,
    machines,
    version: '1.36.2',
    artifacts: new Map(),
    signal: ending.signal,
    ...(onHost && { onHost }),
  })
  const where = { repo, branch: 'main', path: '', poll: POLL, cwd: git.folder, env: {} }
  const controller = runController({ ...where, ceiling: false, kubeconfig, log: () => undefined, ...setup }, ending.signal)
  building.defer(() => controller)
  building.defer(() => ending.abort())

  const until: World['until'] = (path, wanted) => untilSeen(kube, { path, wanted })
  const pushHead = async (): Promise<string> => {
    await git.git('push', '--quiet', '--force', 'origin', 'HEAD:main')
    return git.git('rev-parse', 'HEAD')
  }
  const all = building.move()
  return {
    ...{ server, kube, git, gitServer, until },
    pushHead,
    async push(files) {
      await git.commit('change', files)
      return pushHead()
    },
    async untilDone(commit) {
      await until(
        POOLS,
        (pools) => readyOf(pools.get('workers')) === 'True Completed' && targetOf(pools.get('workers')) === commit,
      )
      await until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === commit && isApplied(node)))
    },
    async untilRefused(commit) {
      const isRefused = (pool: KubeObject | undefined) =>
        readyOf(pool) === 'False InvalidRepository' && messageOf(pool).includes(commit.slice(0, 12))
      return messageOf((await until(POOLS, (pools) => isRefused(pools.get('workers')))).get('workers'))
    },
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

export function agentStatusOf(node: KubeObject | undefined): AgentStatus | undefined {
  return parseAgentStatus(node?.metadata.annotations?.['nodewave.io/status'])
}

function isApplied(node: KubeObject): boolean {
  const status = agentStatusOf(node)
  return status?.phase === 'Applied' && status.active === status.assigned
}

function targetOf(pool: KubeObject | undefined): string | undefined {
  return (pool?.status as { readonly target?: { readonly revision: string } } | undefined)?.target?.revision
}

function messageOf(pool: KubeObject | undefined): string {
  return conditionOf(pool, 'Ready')?.message ?? ''
}
