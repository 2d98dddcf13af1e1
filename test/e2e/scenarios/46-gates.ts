/** Gates after the canary, asked for real: Jobs that kubelets run, and a Deployment as the controller-manager sees it. */
import { join } from 'node:path'
import type { GateStatus, NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { agentUnit } from '../product/agent.ts'
import { checkout } from '../product/checkout.ts'
import { assignedNodes, firstAssigned } from '../product/course.ts'
import { applyTemplate, startJobs } from '../product/gate-jobs.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { startTimeline, type Timeline } from '../timeline.ts'
import { deploy } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'gates', nodes: [{}, {}], group: 'fleet', run: gates }]

const rightsFile = join(checkout, 'deploy/gates-rbac.yaml')
const shop = 'gated'
const deployment = `/apis/apps/v1/namespaces/default/deployments/${shop}`

/** What is rolled out is another number of pods; the gate stands after the canary. */
function fleet(maxPods: number, check: object) {
  const gate = { name: 'gate', after: ['canary'], interval: '1s', timeout: '10m', ...check }
  return { version: versions.olderKubelet, config: { maxPods }, rollout: { trial: '1s', onFailure: 'Rollback', gates: [gate] } }
}

async function gates(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  await part('a Job: no rights, not ended, succeeded', () => job(cluster, product))
  await part('a Job that fails → rolled back', () => failingJob(cluster, product))
  await part('a Deployment unavailable, and available again', () => workloads(cluster, product))
  await part('a namespace that is not there, and its name corrected', () => misspelt(cluster, product))
  // The table of rights begins without them.
  await cluster.kubectl(['delete', '-f', rightsFile])
}

async function job(cluster: Cluster, product: Product): Promise<void> {
  const script = '[ "$NODEWAVE_POOL $NODEWAVE_WAVE" = "workers canary" ]'
  await applyTemplate(cluster, { name: 'green', script, held: true })
  using timeline = await startTimeline(cluster.api)
  const commit = await product.push(fleet(111, { job: { cronJob: 'green' } }), 'behind a Job that succeeds')
  await waits(cluster, /cannot get resource "jobs"/)
  await cluster.kubectl(['apply', '--warnings-as-errors', '-f', rightsFile])
  await keepsWaiting(cluster, { timeline, commit }, /Job "gate-workers-gate-\w+" has not ended; it has no active pod/)
  check('there is one Job', (await startJobs(cluster)) === 1)
  await product.settled(commit)
  await told(cluster, 'GatePassed', new RegExp(`^${commit.slice(0, 7)}: gate "gate" after "canary": Job "\\S+" succeeded$`))
}

async function failingJob(cluster: Cluster, product: Product): Promise<void> {
  await applyTemplate(cluster, { name: 'red', script: 'exit 3' })
  using timeline = await startTimeline(cluster.api)
  const commit = await product.push(fleet(112, { job: { cronJob: 'red' } }), 'behind a Job that fails')
  const status = await waitPool(cluster, { for: 'the rollback', when: rolledBack(commit) })
  check('only the canary was taken', assignedNodes(await timeline.upToNow(), commit).length === 1)
  const why = 'gate "gate" after "canary": Job "\\S+" failed: Job has reached the specified backoff limit'
  check('the pool says which gate, and why', new RegExp(`^RolledBack: .*${why}`).test(stallOf(status)), stallOf(status))
  await told(cluster, 'GateFailed', new RegExp(`^${commit.slice(0, 7)}: ${why}$`))
}

async function workloads(cluster: Cluster, product: Product): Promise<void> {
  await deploy(cluster, { name: shop, replicas: 2 })
  // Until the Deployment is gone: a canary that was done before would find it available.
  await agents(cluster, 'stop')
  using timeline = await startTimeline(cluster.api)
  const gate = { workloads: { namespaces: ['default'] } }
  const commit = await product.push(fleet(113, gate), 'behind the availability of what runs')
  await firstAssigned(timeline, commit)
  await place(cluster, { nowhere: 'to-be-found' })
  await waitUnavailable(cluster)
  await agents(cluster, 'start')
  await keepsWaiting(cluster, { timeline, commit }, new RegExp(`Deployment default/${shop} lacks 2, 0 before`))
  await place(cluster, null)
  await product.settled(commit)
  await told(
    cluster,
    'GatePassed',
    new RegExp(`^${commit.slice(0, 7)}: .*every workload that was available before is still available$`),
  )
  await cluster.kubectl(['delete', `deployment/${shop}`])
}

/** The API server lists nothing for it, and no error. */
async function misspelt(cluster: Cluster, product: Product): Promise<void> {
  await deploy(cluster, { name: shop, replicas: 1 })
  using timeline = await startTimeline(cluster.api)
  const inNamespace = (namespace: string) => fleet(114, { workloads: { namespaces: [namespace] } })
  const commit = await product.push(inNamespace('defualt'), 'behind a namespace that is not there')
  const message = 'gate "gate" before "canary": namespace "defualt" has no Deployment, StatefulSet or DaemonSet'
  const named = ({ conditions: [ready] }: NodePoolStatus) => ready?.reason === 'WaitingForGate' && ready.message.includes(message)
  await waitPool(cluster, { for: message, when: named })
  const taken = assignedNodes(await timeline.upToNow(), commit)
  check('no node was taken', taken.length === 0, taken)
  await product.settled(await product.push(inNamespace('default'), 'behind the right namespace'))
  await cluster.kubectl(['delete', `deployment/${shop}`])
}

/** All pods go, and new ones come where a node has these labels. */
async function place({ api }: Cluster, nodeSelector: object | null): Promise<void> {
  const strategy = { type: 'Recreate', rollingUpdate: null }
  const body = { spec: { strategy, template: { spec: { nodeSelector } } } }
  await api.ask(deployment, { method: 'PATCH', body })
}

async function waitUnavailable({ api }: Cluster): Promise<void> {
  const gone = async () => {
    const { status } = await api.ask<{ status: { availableReplicas?: number } }>(deployment)
    return (status.availableReplicas ?? 0) === 0
  }
  await waitUntil(gone, { for: `no pod of "${shop}" to be available` })
}

async function agents({ nodes }: Cluster, verb: 'start' | 'stop'): Promise<void> {
  await Promise.all(nodes.map((node) => node.exec(['systemctl', verb, agentUnit])))
}

interface Waiting {
  readonly timeline: Timeline
  readonly commit: string
}

/** The gate says so, and again when it is asked once more, and the second node is not taken meanwhile. */
async function keepsWaiting(cluster: Cluster, { timeline, commit }: Waiting, message: RegExp): Promise<void> {
  const { askedAt } = await waits(cluster, message)
  await waits(cluster, message, askedAt)
  const taken = assignedNodes(await timeline.upToNow(), commit)
  check('only the canary was taken', taken.length === 1, taken)
}

/** Until the gate says this, and the pool's condition with it. */
async function waits(cluster: Cluster, message: RegExp, since?: string): Promise<GateStatus> {
  const fits = (status: NodePoolStatus) => {
    const [ready] = status.conditions
    const gate = status.gates?.at(-1)
    return ready?.reason === 'WaitingForGate' && message.test(ready.message) && gate?.askedAt !== since
  }
  const { gates = [] } = await waitPool(cluster, { for: `WaitingForGate ${message}`, when: fits })
  const gate = gates.at(-1)
  check('the status has what the gate said', gate?.state === 'Waiting' && message.test(gate.message ?? ''), gates)
  return gate
}

/** As an Event of the pool. */
async function told({ api }: Cluster, reason: string, message: RegExp): Promise<void> {
  const query = new URLSearchParams({ fieldSelector: `involvedObject.kind=NodePool,reason=${reason}` })
  const path = `/api/v1/namespaces/default/events?${query}`
  const there = async () =>
    (await api.ask<{ items: { message: string }[] }>(path)).items.some((event) => message.test(event.message))
  await waitUntil(there, { for: `the event ${reason} ${message}` })
}
