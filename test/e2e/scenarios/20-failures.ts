/** Commits that the repository's own checks let through and a real kubelet does not: they stop at the canary, and it is put back. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { BREAK_GLASS } from '../product/break-glass.ts'
import { assignedNodes, firstSays, isAssigned } from '../product/course.ts'
import { checkNotRestarted, isHealthy, kubeletsOf } from '../product/kubelets.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { type Moment, startTimeline } from '../timeline.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'refused', nodes: [{}, {}], group: 'fleet', run: refused },
  { name: 'by-hand', nodes: [{}, {}], group: 'fleet', run: byHand },
  { name: 'crash-loop', nodes: [{}, {}], group: 'fleet', run: crashLoop },
]

const good = { version: versions.olderKubelet, rollout: { onFailure: 'Rollback' } }

/** Only the kubelet itself knows which cipher suites it has. */
async function refused(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle(good))
  const before = await kubeletsOf(cluster)
  using timeline = await startTimeline(cluster.api)
  const bad = { ...good, flags: { 'tls-cipher-suites': 'NO_SUCH' } }
  const commit = await product.push(bad, 'a cipher suite that the kubelet does not have')
  const status = await part('push → refused', () => waitPool(cluster, { for: 'the refusal', when: rolledBack(commit) }))
  check('the pool has the kubelet’s own words', stallOf(status).includes('Cipher suite NO_SUCH not supported'), stallOf(status))
  const tried = assignedNodes(await timeline.upToNow(), commit)
  check('one node alone was tried', tried.length === 1, tried)
  await checkNotRestarted(cluster, before)
}

/** Past all of the repository's checks: a person of the break-glass group writes the annotation. */
async function byHand(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const commit = await part('fleet settled', () => product.settle(good))
  const before = await kubeletsOf(cluster)
  using timeline = await startTimeline(cluster.api)
  const annotate = (text: string) =>
    cluster.kubectl([...BREAK_GLASS, 'annotate', '--overwrite', 'node', 'n1', `nodewave.io/desired-config=${text}`])
  const desired = (await cluster.node('n1').get()).metadata.annotations?.['nodewave.io/desired-config'] ?? ''
  await annotate('{"KUBELET_OPTS": "--no-such-flag"}')
  const refusal = ({ node, annotations: { status = '' } }: Moment) =>
    node === 'n1' && status.includes('unknown flag: --no-such-flag')
  const { at, annotations } = await part('annotated → refused', () => timeline.first(refusal, 'the refusal'))
  check('the refusal is of the preflight', annotations.status?.includes('"reason":"PreflightFailed"') ?? false, annotations)
  await annotate(desired)
  await part('annotation of before → Ready', async () => {
    // The pool may not have heard of any of it, so it alone is not asked.
    const isWell = (moment: Moment) =>
      moment.node === 'n1' && moment.at > at && (moment.annotations.status ?? '').includes('"phase":"Applied"')
    await timeline.first(isWell, '"n1" to say that it is as before')
    await product.settled(commit)
  })
  await checkNotRestarted(cluster, before)
}

const badSocket = 'unix:///run/containerd/containerd.sok'

/** A socket that is not there passes preflight, which looks at no socket. Then its revert. */
async function crashLoop(cluster: Cluster, { part, time }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('fleet settled', () => product.settle(good))
  const before = await kubeletsOf(cluster)
  using timeline = await startTimeline(cluster.api)
  const bad = { ...good, flags: { 'container-runtime-endpoint': badSocket } }
  const commit = await product.push(bad, 'another runtime endpoint')
  const status = await part('push → rolled back', () => waitPool(cluster, { for: 'the rollback', when: rolledBack(commit) }))
  check('the pool has the kubelet’s own words', stallOf(status).includes(badSocket), stallOf(status))
  const [canary = '', ...others] = assignedNodes(await timeline.upToNow(), commit)
  check('one node alone was tried', others.length === 0, others)
  const taken = await timeline.first(
    (moment) => moment.node === canary && isAssigned(moment, commit),
    'the canary to be assigned',
  )
  const undone = await firstSays(timeline, canary, { commit, phase: 'RolledBack' })
  time('canary: taken → put back', undone.at - taken.at)
  check('the canary was put back within 30 s', undone.at - taken.at < 30_000)
  check('its kubelet is healthy', await isHealthy(cluster.node(canary)))
  const after = await kubeletsOf(cluster)
  for (const { name } of cluster.nodes)
    check('the canary alone was restarted', (after[name]?.pid !== before[name]?.pid) === (name === canary), { before, after })
  const reverted = await product.repository.revert(commit)
  await part('git revert → Ready', () => product.settled(reverted))
  await checkNotRestarted(cluster, after)
}
