/** Commits that are valid and would take a cluster down: at most one node is hurt, heals by itself, and the pool says why. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { assignedNodes } from '../product/course.ts'
import { type DeadlyCommit, deadlyCommits, HARMLESS, RESOLVES, TWO_MINUTES } from '../product/deadly-commits.ts'
import { catcherOf, type DeadlyResult, keepDeadlyResults } from '../product/deadly-results.ts'
import { checkNotRestarted, isHealthy, kubeletsOf } from '../product/kubelets.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { proofPods, provedNodes } from '../product/proof.ts'
import { startResolver } from '../product/resolver.ts'
import { makeSharedClaim, removeSharedClaim, SHARED_CLAIM } from '../product/shared-claim.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'
import { deploy } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'deadly', nodes: [{}, {}], group: 'fleet', run: deadly }]

interface Trial {
  readonly product: Product
  readonly report: Report
}

/** Every pod mounts a volume, and resolves a name at a name server of ours: its network, DNS and volumes have to work. */
function fleetOf({ host }: Cluster['slot'], { fleet = {}, soak = '0s' }: Partial<DeadlyCommit> = {}) {
  const waves = [
    { name: 'canary', nodes: 1, soak },
    { name: 'rest', nodes: '100%' },
  ]
  const { config, ...others } = fleet
  return {
    version: versions.olderKubelet,
    config: { clusterDNS: [host], ...config },
    ...others,
    rollout: { onFailure: 'Rollback', proof: { pod: { ...RESOLVES, claim: SHARED_CLAIM } }, waves },
  }
}

async function deadly(cluster: Cluster, report: Report): Promise<void> {
  using _ = await startResolver(cluster.slot.host)
  const product = await productOn(cluster)
  await makeSharedClaim(cluster)
  await report.part('fleet settled', () => product.settle(fleetOf(cluster.slot)))
  // The status of the pool is written first, then what is noted on the nodes.
  const proved = async () => (await provedNodes(cluster)).length === cluster.nodes.length
  await waitUntil(proved, { for: 'every node to be proved by a pod' })
  await deploy(cluster, { name: 'shop', replicas: 4 })
  const [node] = cluster.nodes
  const containerd = (await node?.read('/etc/containerd/config.toml')) ?? ''
  const commits = deadlyCommits({ containerd, server: cluster.server })
  const results: DeadlyResult[] = []
  for (const one of commits) results.push(await report.part(one.name, () => tryOne(cluster, one, { product, report })))
  await report.part('what only looks deadly', () => product.settle(fleetOf(cluster.slot, { fleet: { config: HARMLESS } })))
  for (const node of cluster.nodes) check(`"${node.name}" is healthy`, await isHealthy(node))
  await cluster.kubectl(['delete', 'deployment/shop'])
  await removeSharedClaim(cluster)
  report.say(`results: ${await keepDeadlyResults(results)}`)
}

async function tryOne(cluster: Cluster, one: DeadlyCommit, { product, report }: Trial): Promise<DeadlyResult> {
  for (const node of cluster.nodes) for (const command of one.nodes?.before ?? []) await node.exec(command)
  using timeline = await startTimeline(cluster.api)
  const before = await kubeletsOf(cluster)
  const pushed = performance.now()
  const commit = await product.push(fleetOf(cluster.slot, one), one.name)
  const status = await waitPool(cluster, { for: `"${one.name}" to be rolled back`, when: rolledBack(commit) })
  const took = performance.now() - pushed
  const said = stallOf(status)
  report.say(`${one.name}: ${said}`)
  check(
    `${one.name}: the pool is not Ready`,
    !status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  )
  check(`${one.name}: the pool names the cause`, said.includes(one.cause), said)
  const moments = await timeline.upToNow()
  const [canary = '', ...others] = assignedNodes(moments, commit)
  check(`${one.name}: one node alone was tried`, others.length === 0, others)
  report.time(`${one.name}: push → everything as before`, took)
  const { healsWithin = TWO_MINUTES } = one
  check(`${one.name}: healed within ${healsWithin / 1000} s`, took < healsWithin, took)
  const caughtBy = catcherOf({ moments: moments.filter(({ node }) => node === canary), commit, said })
  check(`${one.name}: caught by ${one.caughtBy}`, caughtBy === one.caughtBy || caughtBy === one.elseBy, caughtBy)
  for (const node of cluster.nodes) check(`${one.name}: "${node.name}" is healthy`, await isHealthy(node))
  const gone = async () => (await proofPods(cluster)).length === 0
  await waitUntil(gone, { for: `${one.name}: no pod to be left that proves a node` })
  if (caughtBy === 'preflight') await checkNotRestarted(cluster, before)
  for (const node of cluster.nodes) for (const command of one.nodes?.after ?? []) await node.exec(command)
  const { name, about = '' } = one
  return { name, about, caughtBy, hurt: caughtBy === 'preflight' ? 0 : 1, healedAfter: Math.round(took / 1000) }
}
