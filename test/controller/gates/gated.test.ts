import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from '../stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const CRON_JOBS = '/apis/batch/v1/namespaces/nodewave-gates/cronjobs'
const JOBS = '/apis/batch/v1/namespaces/nodewave-gates/jobs'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments'

type Pools = ReadonlyMap<string, KubeObject>

/** Three nodes at A, and B on its way with this gate after its canary. */
async function gated(stage: Stage, gate: string, onFailure = 'Rollback'): Promise<() => Promise<void>> {
  await stage.addNodes(3)
  const stop = stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, isReady('True Completed'))
  pushGated(stage, gate, { onFailure })
  return stop
}

function pushGated(stage: Stage, gate: string, { commit = 'b', v = 4, onFailure = 'Rollback' } = {}): void {
  const rollout = `onFailure: ${onFailure}, waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 100%, gates: [{${gate}}]`
  stage.push(commit, aFleet({ rollout, v }))
}

function isReady(verdict: string) {
  return (found: Pools) => readyOf(found.get('workers')) === verdict
}

function gateOf(found: Pools): { readonly since: string } | undefined {
  const { gates } = (found.get('workers')?.status ?? {}) as { gates?: readonly { readonly since: string }[] }
  return gates?.[0]
}

function says(text: string) {
  return (found: Pools) => conditionOf(found.get('workers'), 'Ready')?.message.includes(text) === true
}

async function atB(stage: Stage): Promise<number> {
  return [...(await stage.until(NODES, () => true)).values()].filter((node) => assignedRevision(node) === B).length
}

async function allAt(stage: Stage, revision: string): Promise<void> {
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === revision))
}

/** A Prometheus whose query gives this value. */
async function aPrometheus(value: () => string) {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'scalar', result: [1, value()] } })),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a rollout waits for a query, goes on when it holds, and keeps the value', async () => {
  await using stage = await aStage()
  let value = '0.2'
  await using server = await aPrometheus(() => value)
  await gated(stage, `name: slo, after: [canary], prometheus: {url: "${server.url}", query: errors, max: 0.01}`)
  await stage.until(POOLS, says('gate "slo" after "canary": 0.2 is above 0.01'))
  expect(await atB(stage)).toBe(1)
  value = '0.001'
  stage.clock.advance(30_000)
  const pools = await stage.until(POOLS, isReady('True Completed'))
  expect(pools.get('workers')?.status).toMatchObject({
    gates: [{ name: 'slo', wave: 'canary', state: 'Passed', value: 0.001, revision: B }],
  })
  await allAt(stage, B)
})

test('a query that does not hold in time rolls the pool back', async () => {
  await using stage = await aStage()
  await using server = await aPrometheus(() => '0.2')
  await gated(stage, `name: slo, timeout: 1m, prometheus: {url: "${server.url}", query: errors, max: 0.01}`)
  await stage.until(POOLS, says('0.2 is above 0.01'))
  stage.clock.advance(60_000)
  const pools = await stage.until(POOLS, isReady('False RolledBack'))
  expect(pools.get('workers')?.status).toMatchObject({
    rejected: [{ revision: B }],
    gates: [{ state: 'Failed', value: 0.2 }],
    history: [
      { revision: A },
      { result: 'RolledBack', message: 'gate "slo" after "canary": 0.2 is above 0.01' },
      { revision: A },
    ],
  })
  await allAt(stage, A)
})

test('a retry asks the gate again with the canary that has the commit, and goes on when it holds', async () => {
  await using stage = await aStage()
  let value = '0.2'
  await using server = await aPrometheus(() => value)
  await gated(stage, `name: slo, timeout: 1m, prometheus: {url: "${server.url}", query: errors, max: 0.01}`, 'Halt')
  await stage.until(POOLS, says('0.2 is above 0.01'))
  stage.clock.advance(60_000)
  await stage.until(POOLS, isReady('False Halted'))
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/retry': B } } })
  await stage.until(POOLS, isReady('False WaitingForGate'))
  expect(await atB(stage)).toBe(1)
  value = '0.001'
  stage.clock.advance(30_000)
  await stage.until(POOLS, isReady('True Completed'))
  await allAt(stage, B)
})

test('a gate that was asked by a controller that is gone is asked by the next', async () => {
  await using stage = await aStage()
  let value = 'NaN'
  await using server = await aPrometheus(() => value)
  const stop = await gated(stage, `name: slo, prometheus: {url: "${server.url}", query: errors, max: 0.01}`)
  const waiting = await stage.until(POOLS, says('the query returns NaN, which is not a number'))
  const before = gateOf(waiting)
  await stop()
  value = '0'
  stage.clock.advance(30_000)
  stage.startController()
  const pools = await stage.until(POOLS, isReady('True Completed'))
  expect(gateOf(pools)).toMatchObject({ wave: 'canary', since: before?.since })
})

test('a Job is made from its template once, found by another controller, and believed', async () => {
  await using stage = await aStage()
  await stage.kube.create(CRON_JOBS, aCronJob({ suspend: true }))
  const stop = await gated(stage, 'name: smoke, after: [canary], job: {cronJob: smoke-test}')
  const made = await stage.until(JOBS, (found) => found.size > 0)
  const [job] = [...made.values()]
  expect(job).toMatchObject({
    metadata: { labels: { app: 'smoke', 'nodewave.io/pool': 'workers' }, annotations: { 'nodewave.io/revision': B } },
    spec: {
      ttlSecondsAfterFinished: 86_400,
      activeDeadlineSeconds: 600,
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [
            {
              image: 'smoke:1',
              env: [
                { name: 'NODEWAVE_POOL', value: 'workers' },
                { name: 'NODEWAVE_REVISION', value: B },
                { name: 'NODEWAVE_WAVE', value: 'canary' },
                { name: 'TARGET', value: 'shop' },
              ],
            },
          ],
        },
      },
    },
  })
  await stage.until(POOLS, says('was created'))
  await stop()
  await stage.kube.patch(`${JOBS}/${job?.metadata.name}/status`, {
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  })
  stage.clock.advance(30_000)
  stage.startController()
  await stage.until(POOLS, isReady('True Completed'))
  expect((await stage.until(JOBS, () => true)).size).toBe(1)
})

test('a gate makes another Job when a commit names another CronJob while the first one has not ended', async () => {
  await using stage = await aStage()
  await stage.kube.create(CRON_JOBS, aCronJob({ suspend: true }))
  await stage.kube.create(CRON_JOBS, {
    ...aCronJob({ suspend: true }),
    metadata: { name: 'smoke-fixed', namespace: 'nodewave-gates' },
  })
  await gated(stage, 'name: smoke, after: [canary], job: {cronJob: smoke-test}')
  const [first = ''] = (await stage.until(JOBS, (found) => found.size > 0)).keys()
  await stage.until(POOLS, says('was created'))
  pushGated(stage, 'name: smoke, after: [canary], job: {cronJob: smoke-fixed}', { commit: 'c' })
  const jobs = await stage.until(JOBS, (found) => found.size > 1)
  const [second = ''] = [...jobs.keys()].filter((name) => name !== first)
  await stage.kube.patch(`${JOBS}/${second}/status`, { status: { conditions: [{ type: 'Complete', status: 'True' }] } })
  await stage.until(POOLS, says(`Job "${second}" was created`))
  stage.clock.advance(30_000)
  await stage.until(POOLS, isReady('True Completed'))
})

test('a Job that fails fails the gate at once', async () => {
  await using stage = await aStage()
  await stage.kube.create(CRON_JOBS, aCronJob({ suspend: true }))
  await gated(stage, 'name: smoke, job: {cronJob: smoke-test}')
  const made = await stage.until(JOBS, (found) => found.size > 0)
  const [name = ''] = made.keys()
  await stage.until(POOLS, says('was created'))
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  }
  await stage.kube.patch(`${JOBS}/${name}/status`, { status: { conditions: [failed] } })
  stage.clock.advance(30_000)
  const pools = await stage.until(POOLS, isReady('False RolledBack'))
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain(
    `failed on gate "smoke" after "canary": Job "${name}" failed: Job has reached the specified backoff limit`,
  )
})

test.each([
  ['has a pod', { active: 1 }, '; not proved'],
  ['has none', { ready: 0 }, '; it has no active pod; see: kubectl -n nodewave-gates describe job NAME; not proved'],
])('a Job under way that %s is waited for, and told so', async (_, status, told) => {
  await using stage = await aStage()
  await stage.kube.create(CRON_JOBS, aCronJob({ suspend: true }))
  await gated(stage, 'name: smoke, job: {cronJob: smoke-test}')
  const [name = ''] = (await stage.until(JOBS, (found) => found.size > 0)).keys()
  await stage.until(POOLS, says('was created'))
  await stage.kube.patch(`${JOBS}/${name}/status`, { status })
  stage.clock.advance(30_000)
  const pools = await stage.until(POOLS, says('has not ended'))
  const wanted = `gate "smoke" after "canary": Job "${name}" has not ended${told.replace('NAME', name)}`
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain(wanted)
  expect(await atB(stage)).toBe(1)
})

test.each([
  ['is not there', undefined, 'no CronJob "smoke-test" in namespace "nodewave-gates"'],
  ['runs on its own time', { suspend: false }, 'CronJob "smoke-test" is not suspended: set suspend: true'],
])('a gate whose template %s waits, says so, and makes no Job', async (_, cronJob, message) => {
  await using stage = await aStage()
  if (cronJob) await stage.kube.create(CRON_JOBS, aCronJob(cronJob))
  await gated(stage, 'name: smoke, job: {cronJob: smoke-test}')
  await stage.until(POOLS, says(message))
  expect((await stage.until(JOBS, () => true)).size).toBe(0)
  expect(await atB(stage)).toBe(1)
})

test('a Job of that name that somebody else made is not believed', async () => {
  await using stage = await aStage()
  await stage.kube.create(CRON_JOBS, aCronJob({ suspend: true }))
  await gated(stage, 'name: smoke, job: {cronJob: smoke-test}')
  const made = await stage.until(JOBS, (found) => found.size > 0)
  const [name = ''] = made.keys()
  await stage.until(POOLS, says('was created'))
  const conditions = [{ type: 'Complete', status: 'True' }]
  await stage.kube.patch(`${JOBS}/${name}`, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'somebody' } } })
  await stage.kube.patch(`${JOBS}/${name}/status`, { status: { conditions } })
  stage.clock.advance(30_000)
  await stage.until(POOLS, says(`another Job has the name "${name}"; delete it`))
  expect(await atB(stage)).toBe(1)
})

test('node conditions of the nodes done so far hold a rollout up, and those of others do not', async () => {
  await using stage = await aStage()
  const gate = 'name: pressure, after: [canary], nodeConditions: {forbid: [DiskPressure]}'
  await stage.addNodes(3)
  for (const name of ['n0', 'n1', 'n2']) await press(stage, name, 'True')
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.until(POOLS, isReady('True Completed'))
  pushGated(stage, gate)
  const waiting = await stage.until(POOLS, says('DiskPressure is True, wanted False'))
  const canary = /node "(n\d)"/.exec(conditionOf(waiting.get('workers'), 'Ready')?.message ?? '')?.[1] ?? ''
  await press(stage, canary, 'False')
  stage.clock.advance(30_000)
  await stage.until(POOLS, isReady('True Completed'))
})

test('what was unavailable before a wave is remembered by the next controller', async () => {
  await using stage = await aStage()
  // The server stamps what is created by a clock of its own, and what is newer than the wave is not looked at.
  stage.clock.advance(Date.now() + 60_000 - stage.clock.now())
  await stage.kube.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
  await deploy(stage, 'web', 3)
  await deploy(stage, 'broken', 0)
  await stage.addNodes(3)
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'says nothing' : 'applies'))
  const stop = stage.startController()
  stage.push('a', aFleet())
  await stage.until(POOLS, isReady('True Completed'))
  pushGated(stage, 'name: apps, after: [canary], workloads: {namespaces: [shop]}')
  const [assigned] = [
    ...(await stage.until(NODES, (found) => [...found.values()].some((node) => assignedRevision(node) === B))).values(),
  ].filter((node) => assignedRevision(node) === B)
  await stop()
  await deploy(stage, 'web', 1)
  await reportApplied(stage, assigned)
  stage.startController()
  const waiting = await stage.until(POOLS, says('Deployment shop/web lacks 2, 0 before'))
  expect(waiting.get('workers')?.status).toMatchObject({ gates: [{ before: ['Deployment shop/broken 3'], state: 'Waiting' }] })
  await deploy(stage, 'web', 3)
  stage.clock.advance(30_000)
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === B))
})

function aCronJob({ suspend }: { readonly suspend: boolean }): object {
  const container = { name: 'smoke', image: 'smoke:1', env: [{ name: 'TARGET', value: 'shop' }] }
  const jobTemplate = {
    metadata: { labels: { app: 'smoke' } },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  }
  return { metadata: { name: 'smoke-test' }, spec: { schedule: '0 0 1 1 *', suspend, jobTemplate } }
}

async function press(stage: Stage, node: string, status: string): Promise<void> {
  const conditions = [{ type: 'DiskPressure', status }]
  await stage.kube.patch(`${NODES}/${node}/status`, { status: { conditions } }, { type: 'strategic' })
}

async function deploy(stage: Stage, name: string, availableReplicas: number): Promise<void> {
  const conditions = [{ type: 'Available', status: availableReplicas === 3 ? 'True' : 'False' }]
  const status = { availableReplicas, conditions }
  try {
    await stage.kube.patch(`${DEPLOYMENTS}/${name}/status`, { status })
  } catch {
    await stage.kube.create(DEPLOYMENTS, { metadata: { name }, spec: { replicas: 3 } })
    await stage.kube.patch(`${DEPLOYMENTS}/${name}/status`, { status })
  }
}

async function reportApplied(stage: Stage, node: KubeObject | undefined): Promise<void> {
  const text = node?.metadata.annotations?.['nodewave.io/desired-config'] ?? '{}'
  const { DIGEST, ASSIGNED } = JSON.parse(text) as { DIGEST: string; ASSIGNED: string }
  const since = new Date(stage.clock.now()).toISOString()
  const status = JSON.stringify({
    phase: 'Applied',
    since,
    digest: DIGEST,
    assigned: DIGEST,
    assignedAt: ASSIGNED,
    active: DIGEST,
  })
  const annotations = { 'nodewave.io/status': status, 'nodewave.io/current-config': text }
  await stage.kube.patch(`${NODES}/${node?.metadata.name}`, { metadata: { annotations } })
}
