/** Staging, then production: two clusters, two controllers, one repository, and nothing between them but the forge. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { versions } from '../build/versions.ts'
import { type Cluster, createCluster } from '../cluster/cluster.ts'
import { type RunResult, run } from '../exec.ts'
import { giteaApi } from '../gitea/api.ts'
import { type ForgeRepository, forgeRepository } from '../gitea/forge-repository.ts'
import { checkout } from '../product/checkout.ts'
import { installManifests } from '../product/controller.ts'
import { isAssigned } from '../product/course.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { addWebhook, forgeFiles, startForgeController } from '../product/forge-controller.ts'
import { completed, stallOf, waitPool } from '../product/pool.ts'
import { check, type Report } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'
import { startNodes, type World } from './world.ts'

/** Nodewave's own account: its statuses alone count. */
const ACCOUNT = 'nodewave'
const CONTEXT = 'nodewave/staging/workers'
const PAUSED = 'nodewave.io/paused'

interface Clusters {
  readonly world: World
  readonly staging: Cluster
  readonly production: Cluster
  readonly repository: ForgeRepository
  /** The fleet of both clusters. */
  files(maxPods: number, more?: Partial<FleetOptions>): Promise<Record<string, string>>
}

export async function twoClusters(world: World, { part }: Report, signal: AbortSignal): Promise<void> {
  await using production = await part('the second cluster up', () => createCluster({ nodes: [] }))
  const clusters = await part('two clusters follow one repository', () => followedByBoth(world, production, signal))
  await part('production waits for staging, whatever others say', () => waits(clusters))
  await part('what fails in staging stays away from production', () => failsInStaging(clusters))
  await part('a version is carried to production by a pull request', () => carried(clusters))
}

async function followedByBoth(world: World, production: Cluster, signal: AbortSignal): Promise<Clusters> {
  const { cluster: staging, gitea } = world
  const repository = await forgeRepository(staging, gitea, 'clusters')
  const token = await gitea.committer(ACCOUNT, repository.name)
  const files: Clusters['files'] = async (maxPods, more) => ({ ...(await world.fleet(maxPods, more)), ...CLUSTERS })
  const first = await repository.push(await files(60), 'two clusters')
  await world.controller.kill('SIGTERM')
  await installManifests(production)
  await startNodes(production, { nodes: 3, failing: world.failing, signal })
  for (const [cluster, name] of [
    [staging, 'staging'],
    [production, 'production'],
  ] as const) {
    await writeFile(forgeFiles(cluster).token, token, { mode: 0o600 })
    await addWebhook(cluster, gitea, repository)
    // Staging followed another repository before.
    const args = [`--cluster=${name}`, `--status-account=${ACCOUNT}`, '--allow-force-push']
    await startForgeController(cluster, { gitea, repository }, { args })
  }
  const clusters = { world, staging, production, repository, files }
  await settled(clusters, first)
  return clusters
}

/** A committer says that staging is done, and the forge leaves and comes back: neither counts. */
async function waits(clusters: Clusters): Promise<void> {
  const { world, staging, production, repository, files } = clusters
  const { gitea } = world
  using timeline = await startTimeline(production.api)
  await staging.kubectl(['annotate', 'nodepool', 'workers', `${PAUSED}=by the test`])
  const commit = await repository.push(await files(61), 'staging first')
  await waiting(production, commit, () => true)
  await forge(clusters, commit)
  await gitea.stop()
  await waiting(production, commit, (message) => message.includes('cannot be read'))
  await gitea.start()
  // What it says next, it says after it has read the forged status.
  await waiting(production, commit, (message) => !message.includes('cannot be read'))
  check('production has begun nothing', !(await timeline.upToNow()).some((moment) => isAssigned(moment, commit)))
  await staging.kubectl(['annotate', 'nodepool', 'workers', `${PAUSED}-`])
  await settled(clusters, commit)
}

async function forge({ world: { gitea }, repository }: Clusters, commit: string): Promise<void> {
  const token = await gitea.committer('mallory', repository.name)
  const body = { context: CONTEXT, state: 'success', description: '10 nodes run it' }
  await giteaApi(gitea, `token ${token}`).ask(`/repos/${repository.name}/statuses/${commit}`, { method: 'POST', body })
}

async function failsInStaging(clusters: Clusters): Promise<void> {
  const { world, staging, production, repository, files } = clusters
  using timeline = await startTimeline(production.api)
  await repository.commit(await files(62), 'fails in staging')
  const commit = await repository.git(['rev-parse', 'HEAD'])
  world.failing.add(commit)
  await repository.publish()
  const failed = await waitPool(staging, { for: 'staging to fail', when: (status) => stallOf(status).startsWith('Halted') })
  check('staging halted at the commit', failed.rejected[0]?.revision === commit, failed.rejected)
  await waitPool(production, {
    for: 'production to say that staging failed',
    when: (status) => status.observedRevision === commit && /^WaitingForDependency: .*failed/.test(stallOf(status)),
  })
  check('production kept what it had', !(await timeline.upToNow()).some((moment) => isAssigned(moment, commit)))
  await settled(clusters, await repository.revert(commit))
}

/** Production keeps its version until the pull request of `nodewave promote` is merged. */
async function carried(clusters: Clusters): Promise<void> {
  const { production, repository, files } = clusters
  const { kubernetes: newer, olderKubelet: older } = versions
  const first = { ...(await files(63, { version: newer })), 'clusters/production.yaml': productionAt(older) }
  await settled(clusters, await repository.push(first, 'staging has the newer kubelet'))
  check('production has the older one', await runsOnly(production, older))
  const { stdout, stderr } = await promote(clusters)
  const number = Number(/\/pulls\/(\d+)\n$/.exec(stdout)?.[1])
  check('a pull request is open', number > 0, { stdout, stderr })
  const again = await promote(clusters)
  check('there is no second one', again.stdout.includes('is there already'), again)
  await settled(clusters, await repository.merge(number))
  check('production has the newer one', await runsOnly(production, newer))
  check('nothing is left to carry', (await promote(clusters)).stdout.startsWith('no change: production/workers has'))
}

async function promote({ world: { gitea }, repository }: Clusters): Promise<RunResult> {
  const token = await gitea.token(`promote-${performance.now()}`, ['write:repository'])
  const page = `${gitea.url}/${repository.name}`
  const pools = ['--from', 'staging/workers', '--to', 'production/workers']
  const args = ['promote', '--pr', page, '--forge', 'gitea', ...pools, '--repo', repository.clone]
  return run(process.execPath, [join(checkout, 'bin/nodewave.js'), ...args], {
    env: { NODEWAVE_FORGE_TOKEN: token, NODE_EXTRA_CA_CERTS: gitea.caFile },
    timeoutMs: 60_000,
  })
}

async function runsOnly(cluster: Cluster, version: string): Promise<boolean> {
  const text = await cluster.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}'])
  return text.split(' ').every((each) => each === `v${version}`)
}

/** The pool of production waits for that of staging. */
async function waiting(production: Cluster, commit: string, says: (message: string) => boolean): Promise<void> {
  await waitPool(production, {
    for: `production to wait with ${commit}`,
    when: ({ observedRevision, conditions }) =>
      observedRevision === commit && conditions.some(({ reason, message }) => reason === 'WaitingForDependency' && says(message)),
  })
}

async function settled({ staging, production }: Clusters, commit: string): Promise<void> {
  for (const [name, cluster] of Object.entries({ staging, production }))
    await waitPool(cluster, { for: `${name}: Ready at ${commit}`, when: completed(commit) })
}

const WORKERS = { kind: 'NodePool', name: 'workers' }

const CLUSTERS: Readonly<Record<string, string>> = {
  'clusters/staging.yaml': clusterFile('staging', {}),
  'clusters/production.yaml': clusterFile('production', { patches: [awaitsStaging()] }),
}

function awaitsStaging() {
  const value = [{ cluster: 'staging', pool: 'workers' }]
  return { target: WORKERS, json6902: [{ op: 'add', path: '/dependsOn', value }] }
}

function productionAt(version: string): string {
  return clusterFile('production', { patches: [awaitsStaging(), { target: WORKERS, merge: { kubelet: { version } } }] })
}

function clusterFile(name: string, spec: object): string {
  return stringify({ apiVersion: 'nodewave.io/v1alpha1', kind: 'Cluster', metadata: { name }, spec })
}
