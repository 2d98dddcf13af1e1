import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { CliIo } from '../cli/cli-io.ts'
import { controllerLog } from '../cli/controller/controller-log.ts'
import { serveDashboard } from '../cli/controller/dashboard-options.ts'
import { configMapsPath } from '../controller/cache/stored-config-map.ts'
import type { KubeApi } from '../kube/kube-api.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import { loadKubeconfig } from '../kube/kubeconfig.ts'
import { DEFAULT_NAMESPACE } from '../protocol/names.ts'
import { startApiServer } from '../sim/apiserver/start-api-server.ts'
import { startGitServer } from '../sim/git-server.ts'
import { kubeletBinary } from '../sim/host/kubelet-launch.ts'
import { Controllers } from './controllers.ts'
import { FleetView } from './fleet-view.ts'
import { cloneWith, type GitWorkspace } from './git-workspace.ts'
import { Shop } from './shop.ts'
import { type Machine, machines, startFleet } from './simulated-fleet.ts'

/** The kubelets that simulated machines can download. */
const VERSIONS = ['1.35.4', '1.36.3']
/** Milliseconds; a controller of one's own polls less often, or receives webhooks. */
const POLL = 250
const ZEROS = '0'.repeat(64)

/** Everything the scenes play on. */
export interface Stage {
  readonly folder: string
  readonly kubeconfig: string
  readonly repoUrl: string
  /** A page that shows the fleet in a browser. */
  readonly dashboardUrl: string
  readonly git: GitWorkspace
  readonly view: FleetView
  readonly machines: readonly Machine[]
  readonly controllers: Controllers
  /** The only pods that there are; it is closed until a scene opens it. */
  readonly shop: Shop
  /** Lines of the controller's log. */
  readonly said: readonly string[]
  /** Aborts when somebody wants it all to end; what is waited for is then never seen. */
  readonly signal: AbortSignal
}

export interface StageOptions {
  /** The package's own folder, with `examples/` and `deploy/`. */
  readonly home: string
  readonly nodes: number
  readonly io: CliIo
  readonly signal: AbortSignal
}

/** Sets the stage and runs `play` on it; takes everything down again, whatever happened. */
export async function withStage<T>(options: StageOptions, play: (stage: Stage) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-demo-'))
  const abort = new AbortController()
  try {
    await using closing = new AsyncDisposableStack()
    const stage = await setUp(folder, { ...options, ended: abort.signal }, closing)
    return await play(stage)
  } finally {
    abort.abort()
    await rm(folder, { recursive: true, force: true })
  }
}

async function setUp(
  folder: string,
  { home, nodes, io, signal, ended }: StageOptions & { readonly ended: AbortSignal },
  closing: AsyncDisposableStack,
): Promise<Stage> {
  const kubeconfig = join(folder, 'kubeconfig')
  let shop: Shop | undefined
  const server = closing.adopt(await startApiServer({ onPodTerminating: (pod) => shop?.replace(pod) }), (started) =>
    started.close(),
  )
  await writeFile(kubeconfig, server.kubeconfig(), { mode: 0o600 })
  const api = createKubeClient(await loadKubeconfig(kubeconfig))
  shop = new Shop(api)
  await install(api, join(home, 'deploy'))

  await mkdir(join(folder, 'git'))
  const gitServer = closing.use(await startGitServer({ root: join(folder, 'git') }))
  const repoUrl = await gitServer.createRepository('fleet.git')
  const git = await cloneWith(repoUrl, { folder: join(folder, 'fleet'), content: join(home, 'examples/repo') })
  const artifacts = await publishKubelets(git)
  await shortenSoaks(git)
  // All simulated hosts have a kubelet.
  await rm(join(git.folder, 'pools/machines.yaml'))

  const view = new FleetView()
  const fleet = machines(nodes)
  await startFleet({ api, machines: fleet, version: VERSIONS[0] ?? '', artifacts, signal: ended })
  const fail = (error: unknown): void => view.fail(error)
  signal.addEventListener('abort', () => fail(new Error('interrupted')))
  view.follow(api, ended).catch(fail)
  const dashboard = closing.use(await serveDashboard(0))
  const said: string[] = []
  const log = controllerLog({ ...io, stderr: (text) => void said.push(text) }, 'text')
  const setup = {
    repo: repoUrl,
    branch: 'main',
    path: '',
    poll: POLL,
    allowForcePush: false,
    kubeconfig,
    cwd: folder,
    env: {},
    log,
    telemetry: dashboard.telemetry,
  }
  const controllers = new Controllers({ setup, ended, fail })
  const dashboardUrl = `http://127.0.0.1:${dashboard.port}`
  return { folder, kubeconfig, repoUrl, dashboardUrl, git, view, controllers, machines: fleet, shop, said, signal }
}

/** Namespaces, kinds and what pauses the fleet; the rest of the manifests is rights, which mean nothing to a server that asks nobody who they are. */
async function install(api: KubeApi, deploy: string): Promise<void> {
  const read = async (file: string): Promise<unknown[]> =>
    parseAllDocuments(await readFile(join(deploy, file), 'utf8')).map((document) => document.toJS())
  for (const namespace of await read('namespace.yaml')) await api.create('/api/v1/namespaces', namespace)
  for (const fleet of await read('fleet-controls.yaml')) await api.create(configMapsPath(DEFAULT_NAMESPACE), fleet)
  for (const kind of [...(await read('crds/nodepools.yaml')), ...(await read('crds/ceilings.yaml'))])
    await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', kind)
}

/** Stands in for the release server: simulated kubelets at the addresses of the example, and their checksums in its release. */
async function publishKubelets(git: GitWorkspace): Promise<Map<string, Uint8Array>> {
  const artifacts = new Map<string, Uint8Array>()
  for (const version of VERSIONS) {
    const bytes = kubeletBinary(version)
    artifacts.set(`https://dl.k8s.io/release/v${version}/bin/linux/amd64/kubelet`, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const entry = (sum: string): string => `"${version}":\n        amd64: "${sum}"`
    await git.edit('releases/upstream.yaml', entry(ZEROS), entry(sha256))
  }
  return artifacts
}

/** What the example lets prove itself for minutes, gets a second here. */
async function shortenSoaks(git: GitWorkspace): Promise<void> {
  for (const pool of ['control-plane', 'gpu', 'workers']) await git.edit(`pools/${pool}.yaml`, 'soak: 10m', 'soak: 1s')
  for (const pool of ['gpu', 'workers']) await git.edit(`pools/${pool}.yaml`, 'soak: 5m', 'soak: 1s')
}
