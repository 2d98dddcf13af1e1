/** A minor upgrade with drains: the real eviction API, disruption controller and scheduler; and a budget that lets no pod go, until it does. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { assignedNodes, checkOneByOne, isAssigned } from '../product/course.ts'
import { stallOf, waitPool } from '../product/pool.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { type Moment, startTimeline } from '../timeline.ts'
import { containersOf, deploy, sampleAvailability, waitPodsReady } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'drain', nodes: [{}, {}], group: 'fleet', run: drain }]

const name = 'store'
const replicas = 4
const budget = `/apis/policy/v1/namespaces/default/poddisruptionbudgets/${name}`

async function drain(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await product.settle({ version: versions.olderKubelet })
  await deploy(cluster, { name, replicas, minAvailable: 3 })
  const containers = await containersOf(cluster, name)
  await using sampler = sampleAvailability(cluster, name)
  using timeline = await startTimeline(cluster.api)
  const upgrade = { version: versions.kubernetes, rollout: { drain: { timeout: '2m' } } }
  const commit = await product.push(withAuto(upgrade), 'a minor upgrade that drains')
  await part('push → all nodes drained and upgraded', () => product.settled(commit))
  const upgraded = await timeline.upToNow()
  checkOneByOne(upgraded, commit)
  checkCordons(upgraded, commit)
  check('all nodes were taken', assignedNodes(upgraded, commit).length === cluster.nodes.length, upgraded)
  check('never fewer pods than the budget allows', sampler.samples() > 20 && sampler.fewest() >= 3, sampler.fewest())
  await waitPodsReady(cluster, { name, replicas })
  const moved = await containersOf(cluster, name)
  check('every pod was moved', !Object.keys(containers).some((pod) => pod in moved), { containers, moved })

  await cluster.api.ask(budget, { method: 'PATCH', body: { spec: { minAvailable: 4 } } })
  const back = await product.push(
    withAuto({ version: versions.olderKubelet, rollout: { drain: { timeout: '5s' } } }),
    'back, against a budget that keeps every pod',
  )
  await part('push → the pool says what blocks it: node, pod and budget, and since when', () =>
    waitPool(cluster, { for: String(BLOCKED), when: (status) => BLOCKED.test(stallOf(status)) }),
  )
  check('no node was assigned it', assignedNodes(await timeline.upToNow(), back).length === 0)
  check(
    'no pod was ended',
    Object.keys(await containersOf(cluster, name))
      .sort()
      .join() === Object.keys(moved).sort().join(),
  )
  await cluster.api.ask(budget, { method: 'PATCH', body: { spec: { minAvailable: 3 } } })
  await part('budget relaxed → all nodes drained and back', () => product.settled(back))
  checkCordons(await timeline.upToNow(), back)
  check('never fewer pods than the budget allows, to the end', sampler.fewest() >= 3, sampler.fewest())
  await cluster.kubectl(['delete', `deployment/${name}`, `poddisruptionbudget/${name}`])
}

const BLOCKED =
  /^DrainBlocked: "n\d", drained since \S+Z: pod "default\/store-\S+" is protected by PodDisruptionBudget "store", which needs 4 healthy pods and has 4/

function withAuto({ version, rollout }: { readonly version: string; readonly rollout: { readonly drain: object } }) {
  return { version, rollout: { ...rollout, drain: { mode: 'Auto', ...rollout.drain } } }
}

/** Whoever was assigned the commit was cordoned by us then, never two at a time, and none is in the end. */
function checkCordons(moments: readonly Moment[], commit: string): void {
  const cordoned = new Set<string>()
  let [most, undrained] = [0, 0]
  const assigned = new Set<string>()
  for (const moment of moments) {
    if (moment.cordoned) cordoned.add(moment.node)
    else cordoned.delete(moment.node)
    most = Math.max(most, cordoned.size)
    if (!isAssigned(moment, commit) || assigned.has(moment.node)) continue
    assigned.add(moment.node)
    if (!moment.cordoned || moment.annotations['cordoned-for'] === undefined) undrained += 1
  }
  check('no node was assigned before it was cordoned', undrained === 0, undrained)
  check('never two nodes were cordoned at once', most === 1, most)
  check('in the end no node is cordoned', cordoned.size === 0, [...cordoned])
}
