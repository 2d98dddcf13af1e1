import { expect, test } from 'vitest'
import { MERGE, namesOf, TABLE } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const PODS = `/api/v1/namespaces/${server.namespace}/pods`
const BUDGETS = `/apis/policy/v1/namespaces/${server.namespace}/poddisruptionbudgets`

/** A pod on a node, running; named as its app unless told otherwise. */
async function runningPod(app: string, { name = app, ready = true }: { name?: string; ready?: boolean } = {}): Promise<void> {
  const spec = { nodeName: 'contract-evictions', containers: [{ name: 'c', image: 'example.com/c:1' }] }
  await server.send('POST', PODS, { body: { metadata: { name, labels: { app } }, spec } })
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] }
  await server.send('PATCH', `${PODS}/${name}/status`, { body: { status }, headers: MERGE })
}

/** A budget whose status says what a disruption controller would have found. */
async function budget(app: string, status: object, name = app): Promise<void> {
  await server.send('POST', BUDGETS, {
    body: { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app } } } },
  })
  await server.send('PATCH', `${BUDGETS}/${name}/status`, {
    body: { status: { observedGeneration: 1, ...status } },
    headers: MERGE,
  })
}

const evict = (name: string, { query = '', ...more }: { query?: string; deleteOptions?: object } = {}) =>
  server.send('POST', `${PODS}/${name}/eviction${query}`, {
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more },
  })

test('an eviction within the budget marks the pod and spends the budget', async () => {
  await runningPod('within')
  await budget('within', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 })
  const { code, body } = await evict('within')
  const pod = (await server.send('GET', `${PODS}/within`)).body
  const { status } = (await server.send('GET', `${BUDGETS}/within`)).body

  expect(code).toBe(201)
  expect(body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
  expect(pod.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: expect.stringMatching(/Z$/) })
  expect(pod.status.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
  )
  expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { within: expect.stringMatching(/Z$/) } })
})

test('an eviction outside the budget is TooManyRequests, without a time to come again', async () => {
  await runningPod('outside')
  await budget('outside', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 })
  const { headers, body } = await evict('outside')

  expect(headers['retry-after']).toBeUndefined()
  expect(body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: {
      causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget outside needs 1 healthy pods and has 1 currently' }],
    },
    code: 429,
  })
  expect((await server.send('GET', `${PODS}/outside`)).body.metadata.deletionTimestamp).toBeUndefined()
})

test('a budget that was not looked at since it changed is TooManyRequests for ten seconds', async () => {
  await runningPod('stale')
  await budget('stale', { observedGeneration: 0, disruptionsAllowed: 1 })
  const { code, headers, body } = await evict('stale')

  expect([code, headers['retry-after'], body.details.retryAfterSeconds]).toEqual([429, '10', 10])
  expect(body.details.causes).toEqual([
    { reason: 'DisruptionBudget', message: 'The disruption budget stale is still being processed by the server.' },
  ])
})

test('a pod with two budgets cannot be evicted', async () => {
  await runningPod('twice')
  await budget('twice', { disruptionsAllowed: 1 })
  await budget('twice', { disruptionsAllowed: 1 }, 'twice-again')
  const { code, body } = await evict('twice')

  expect(code).toBe(500)
  expect(body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    code: 500,
  })
})

test('an unready pod may go when enough others are healthy', async () => {
  await runningPod('unready', { ready: false })
  await budget('unready', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 })

  expect((await evict('unready')).code).toBe(201)
})

test('a pod without a budget goes, one that is not there is NotFound', async () => {
  await runningPod('free')

  expect((await evict('free')).code).toBe(201)
  expect((await evict('nobody')).body).toMatchObject({ code: 404, message: 'pods "nobody" not found' })
})

test('a dry run of an eviction leaves pod and budget as they are', async () => {
  await runningPod('dry')
  await budget('dry', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 })

  expect((await evict('dry', { query: '?dryRun=All' })).code).toBe(201)
  expect((await server.send('GET', `${BUDGETS}/dry`)).body.status.disruptionsAllowed).toBe(1)
  expect((await server.send('GET', `${PODS}/dry`)).body.metadata.deletionTimestamp).toBeUndefined()
})

test('an eviction of a pod that was replaced meanwhile is a Conflict', async () => {
  await runningPod('replaced')
  const { code, body } = await evict('replaced', { deleteOptions: { preconditions: { uid: 'another' } } })

  expect([code, body.reason]).toEqual([409, 'Conflict'])
})

test('a pod on a node stays until its kubelet deletes it with no grace', async () => {
  await runningPod('graceful')
  const asked = await server.send('DELETE', `${PODS}/graceful`)
  const sooner = await server.send('DELETE', `${PODS}/graceful`, { body: { gracePeriodSeconds: 5 } })
  const ended = await server.send('DELETE', `${PODS}/graceful`, { body: { gracePeriodSeconds: 0 } })

  const grace = [asked, sooner, ended].map(({ body }) => body.metadata.deletionGracePeriodSeconds)
  expect(grace).toEqual([30, 5, 0])
  expect((await server.send('GET', `${PODS}/graceful`)).code).toBe(404)
})

test('a pod that is on no node goes at once', async () => {
  const body = { metadata: { name: 'nowhere' }, spec: { containers: [{ name: 'c', image: 'example.com/c:1' }] } }
  await server.send('POST', PODS, { body })
  await server.send('DELETE', `${PODS}/nowhere`)

  expect((await server.send('GET', `${PODS}/nowhere`)).code).toBe(404)
})

test('pods are selected by node and phase', async () => {
  await runningPod('chosen')
  const query = 'fieldSelector=spec.nodeName%3Dcontract-evictions,status.phase!%3DFailed&labelSelector=app%3Dchosen'
  const elsewhere = 'fieldSelector=spec.nodeName%3Delsewhere'

  expect(namesOf((await server.send('GET', `${PODS}?${query}`)).body)).toEqual(['chosen'])
  expect(namesOf((await server.send('GET', `${PODS}?${elsewhere}`)).body)).toEqual([])
})

test('the table of budgets tells what may be disrupted', async () => {
  await budget('shown', { disruptionsAllowed: 3 })
  const { body } = await server.send('GET', `${BUDGETS}/shown`, { headers: TABLE })

  expect(body.rows[0].cells.slice(0, 4)).toEqual(['shown', '1', 'N/A', 3])
})

test('the generation of a budget grows with its spec alone', async () => {
  await budget('counted', { disruptionsAllowed: 0 })
  const labelled = await server.send('PATCH', `${BUDGETS}/counted`, {
    body: { metadata: { labels: { a: 'b' } } },
    headers: MERGE,
  })
  const changed = await server.send('PATCH', `${BUDGETS}/counted`, { body: { spec: { minAvailable: 2 } }, headers: MERGE })

  expect([labelled.body.metadata.generation, changed.body.metadata.generation]).toEqual([1, 2])
})
