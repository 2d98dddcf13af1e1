/** Several controllers: one leads, and whatever becomes of it, another one goes on where it was. */
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import { waitUntil } from '../cluster/wait.ts'
import { assignedNodes, checkOneByOne, isAssigned } from '../product/course.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { allAt, beginUpgrade } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline, type Timeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [{ name: 'failover', nodes: [{}, {}], group: 'fleet', run: failover }]

/** Milliseconds, as by default. */
const LEASE_DURATION = 15_000

async function failover(cluster: Cluster, report: Report): Promise<void> {
  const product = await productOn(cluster)
  await killed(cluster, product, report)
  await ended(product, report)
  await stopped(cluster, product, report)
}

/** `kill -9` of the leader between two nodes. */
async function killed(cluster: Cluster, product: Product, { part }: Report): Promise<void> {
  using timeline = startTimeline(cluster.api)
  const next = await standby(product, 'controller-2')
  const { commit, version } = await beginUpgrade(cluster, timeline)
  await product.controller.kill('SIGKILL')
  const took = await timed(() => part('kill -9 of the leader → the next one leads', () => leads(next)))
  check('the next one led within the lease duration', took < LEASE_DURATION + 500, took)
  product.controller = next
  await part('… → all nodes upgraded', () => product.settled(commit))
  await allAt(cluster, version)
  checkCourse(timeline, commit)
}

/** What a rolling update of the Deployment does. */
async function ended(product: Product, { part }: Report): Promise<void> {
  const next = await standby(product, 'controller-3')
  const former = product.controller
  former.signal('SIGTERM')
  const took = await timed(() => part('SIGTERM of the leader → the next one leads', () => leads(next)))
  check('it was handed over in less than two seconds', took < 2000, took)
  await waitUntil(() => !former.isRunning(), { for: 'the former leader to end', timeoutMs: 5000 })
  product.controller = next
}

/** A leader that stands still between two nodes, and goes on when all is done without it. */
async function stopped(cluster: Cluster, product: Product, { part }: Report): Promise<void> {
  using timeline = startTimeline(cluster.api)
  const next = await standby(product, 'controller-4')
  const { commit, version } = await beginUpgrade(cluster, timeline)
  const former = product.controller
  const heard = former.log().length
  former.signal('SIGSTOP')
  await part('SIGSTOP of the leader → the next one leads', () => leads(next))
  await part('… → all nodes upgraded', () => product.settled(commit))
  const before = timeline.moments.length
  former.signal('SIGCONT')
  const says = () => former.log().slice(heard).includes('standing by')
  await part('SIGCONT → the former leader stands by', () => waitUntil(says, { for: 'it to stand by', timeoutMs: 10_000 }))
  await waitPool(cluster, { for: 'still Ready', when: completed(commit) })
  await allAt(cluster, version)
  checkCourse(timeline, commit)
  const changed = timeline.moments.slice(before).filter(({ annotations }) => !annotations['desired-config']?.includes(commit))
  check('nothing was changed back', changed.length === 0, changed)
  await former.kill('SIGTERM')
  product.controller = next
}

/** Each node after the one before it, and none of them twice. */
function checkCourse(timeline: Timeline, commit: string): void {
  checkOneByOne(timeline, commit)
  for (const node of assignedNodes(timeline, commit)) {
    const moments = timeline.moments.filter((moment) => moment.node === node && isAssigned(moment, commit))
    const assignments = new Set(moments.map(({ annotations }) => annotations['desired-config']))
    check(`"${node}" was assigned once`, assignments.size === 1, [...assignments])
  }
}

async function standby(product: Product, name: string): Promise<Daemon> {
  const controller = await product.addController(name)
  const stands = () => controller.log().includes('standing by')
  await waitUntil(stands, { for: `${name} to stand by`, timeoutMs: 20_000 })
  return controller
}

async function leads(controller: Daemon): Promise<void> {
  await waitUntil(() => controller.log().includes('leading as'), { for: 'it to lead', timeoutMs: 30_000, everyMs: 10 })
}

/** Milliseconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
