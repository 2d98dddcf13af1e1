/** Nodes that somebody else set up come under Git; then a push upgrades them, one after the other, and its revert brings them back. */
import { isDeepStrictEqual } from 'node:util'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import {
  assignedNodes,
  checkOneByOne,
  checkUndisturbed,
  firstAssigned,
  firstSays,
  isAssigned,
  reportUpgrade,
} from '../product/course.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { productOn } from '../product/product.ts'
import { allAt } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'
import { containersOf, deploy, sampleAvailability } from '../workload.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'adopt', nodes: [{}, {}], group: 'fleet', run: adopt },
  { name: 'upgrade', nodes: [{}, {}], group: 'fleet', run: upgrade },
]

const old = { version: versions.olderKubelet }

async function adopt(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await part('nodewave installed', () => productOn(cluster))
  const before = await kubeletsOf(cluster)
  const commit = await part('push → all nodes current', () => product.settle(old))
  await checkNotRestarted(cluster, before)
  for (const node of cluster.nodes) {
    const { annotations } = (await node.get()).metadata
    check('every node says what it runs', annotations?.['nodewave.io/current-config']?.includes(commit) ?? false, annotations)
  }
}

async function upgrade(cluster: Cluster, report: Report): Promise<void> {
  const product = await productOn(cluster)
  await product.settle(old)
  await deploy(cluster, { name: 'shop', replicas: 4, minAvailable: 3 })
  const containers = await containersOf(cluster, 'shop')
  await using sampler = sampleAvailability(cluster, 'shop')
  using timeline = await startTimeline(cluster.api)
  const pushed = performance.now()
  const commit = await product.push({ version: versions.kubernetes }, `kubelet ${versions.kubernetes}`)
  const canary = cluster.node(await firstAssigned(timeline, commit))
  await reportUpgrade(timeline, { node: canary, commit, version: versions.kubernetes, pushed }, report)
  const next = await timeline.first((moment) => isAssigned(moment, commit) && moment.node !== canary.name, 'the next node')
  report.time('push → next node assigned', next.at - pushed)
  await product.settled(commit)
  report.time('push → all nodes upgraded', performance.now() - pushed)
  const upgraded = await timeline.upToNow()
  check('all nodes were taken', assignedNodes(upgraded, commit).length === cluster.nodes.length, upgraded)
  for (const { name } of cluster.nodes) {
    const { kubelet } = await firstSays(timeline, name, { commit, phase: 'Applied' })
    check(`"${name}" says so only when the API shows the new version`, kubelet === versions.kubernetes, kubelet)
  }
  const reverted = await product.repository.revert(commit)
  await report.part('git revert → all nodes back', () => product.settled(reverted))
  await allAt(cluster, versions.olderKubelet)
  const moments = await timeline.upToNow()
  for (const each of [commit, reverted]) checkOneByOne(moments, each)
  checkUndisturbed(moments)
  check('pods keep their containers', isDeepStrictEqual(containers, await containersOf(cluster, 'shop')), containers)
  check('never fewer pods than the budget allows', sampler.samples() > 20 && sampler.fewest() >= 3, sampler.fewest())
  await cluster.kubectl(['delete', 'deployment/shop', 'poddisruptionbudget/shop'])
}
