/** Several controllers: one leads, and whatever becomes of it, another one goes on where it was. */
import { leasePath, observationOf } from '../../../src/controller/leadership/lease.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import { waitUntil } from '../cluster/wait.ts'
import { checkAssignedOnce, checkOneByOne } from '../product/course.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { allAt, beginUpgrade } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { type Moment, startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [{ name: 'failover', nodes: [{}, {}], group: 'outages', run: failover }]

/** Milliseconds, as by default: what a standby waits after the last renewal, and how soon it asks again. */
const LEASE_DURATION = 15_000
const RETRY_PERIOD = 2_000

async function failover(cluster: Cluster, report: Report): Promise<void> {
  const product = await productOn(cluster)
  await killed(cluster, product, report)
  await ended(cluster, product, report)
  await stopped(cluster, product, report)
}

/** `kill -9` of the leader between two nodes. */
async function killed(cluster: Cluster, product: Product, { part }: Report): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const next = await standby(product, 'controller-2')
  const { commit, version } = await beginUpgrade(cluster, timeline)
  const killedAt = Date.now()
  await product.controller.kill('SIGKILL')
  await part('kill -9 of the leader → the next one leads', () => leads(next))
  const took = (await takenAt(cluster)) - killedAt
  check('the next one led within the lease duration', took < LEASE_DURATION + RETRY_PERIOD, took)
  product.controller = next
  await part('… → all nodes upgraded', () => product.settled(commit))
  await allAt(cluster, version)
  checkCourse(await timeline.upToNow(), commit)
}

/** What a rolling update of the Deployment does. */
async function ended(cluster: Cluster, product: Product, { part }: Report): Promise<void> {
  const next = await standby(product, 'controller-3')
  const former = product.controller
  const endedAt = Date.now()
  former.signal('SIGTERM')
  await part('SIGTERM of the leader → the next one leads', () => leads(next))
  const took = (await takenAt(cluster)) - endedAt
  check('it was handed over in less than two seconds', took < 2000, took)
  await waitUntil(() => !former.isRunning(), { for: 'the former leader to end' })
  product.controller = next
}

/** A leader that stands still between two nodes, and goes on when all is done without it. */
async function stopped(cluster: Cluster, product: Product, { part }: Report): Promise<void> {
  using timeline = await startTimeline(cluster.api)
  const next = await standby(product, 'controller-4')
  const { commit, version } = await beginUpgrade(cluster, timeline)
  const former = product.controller
  const heard = former.log().length
  former.signal('SIGSTOP')
  await part('SIGSTOP of the leader → the next one leads', () => leads(next))
  await part('… → all nodes upgraded', () => product.settled(commit))
  const { length: before } = await timeline.upToNow()
  former.signal('SIGCONT')
  const says = () => former.log().slice(heard).includes('standing by')
  await part('SIGCONT → the former leader stands by', () => waitUntil(says, { for: 'it to stand by' }))
  await waitPool(cluster, { for: 'still Ready', when: completed(commit) })
  await allAt(cluster, version)
  const moments = await timeline.upToNow()
  checkCourse(moments, commit)
  const changed = moments.slice(before).filter(({ annotations }) => !annotations['desired-config']?.includes(commit))
  check('nothing was changed back', changed.length === 0, changed)
  await former.kill('SIGTERM')
  product.controller = next
}

/** Each node after the one before it, and none of them twice. */
function checkCourse(moments: readonly Moment[], commit: string): void {
  checkOneByOne(moments, commit)
  checkAssignedOnce(moments, commit)
}

async function standby(product: Product, name: string): Promise<Daemon> {
  const controller = await product.addController(name)
  const stands = () => controller.log().includes('standing by')
  await waitUntil(stands, { for: `${name} to stand by` })
  return controller
}

async function leads(controller: Daemon): Promise<void> {
  await waitUntil(() => controller.log().includes('leading as'), { for: 'it to lead', everyMs: 10 })
}

/** When the leader took the lease, by its own clock, which is this one: this process may be busy with another cluster when it does. */
async function takenAt({ api }: Cluster): Promise<number> {
  return observationOf(await api.ask<KubeObject>(leasePath('nodewave-system'))).record.acquiredAt
}
