import { expect, test } from 'vitest'
import { evict } from '../../../src/controller/drain/evict.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

const action = { kind: 'evict', node: 'n', pod: { namespace: 'shop', name: 'a', uid: 'u' } } as const

/** What came of one eviction that the server answers so. */
async function answeredWith(error?: KubeError): Promise<unknown> {
  const kube = new FakeKube()
  if (error) kube.failures.push({ on: 'POST /api/v1/namespaces/shop/pods/a/eviction', error })
  const told: unknown[] = []
  const answers = {
    taken: (uid: string) => void told.push(`taken ${uid}`),
    refused: (uid: string, { until }: { until: number }) => void told.push(`refused ${uid} for ${until}`),
  }
  await evict({ kube, clock: new TestClock(0), answers }, action)
  return told[0]
}

function failure(code: number, retryAfter?: number): KubeError {
  return new KubeError('refused', { code, reason: 'x', retryAfter })
}

test('an eviction that is taken, or whose pod is gone, is not asked for again', async () => {
  expect(await answeredWith()).toBe('taken u')
  expect(await answeredWith(failure(404))).toBe('taken u')
})

test('a refused eviction waits for five seconds, or as long as the server says', async () => {
  expect(await answeredWith(failure(429))).toBe('refused u for 5000')
  expect(await answeredWith(failure(429, 10))).toBe('refused u for 10000')
})

test('a refused eviction waits for five minutes at most, whatever a webhook says', async () => {
  expect(await answeredWith(failure(403, 86_400))).toBe('refused u for 300000')
})

test('several budgets over one pod, another pod of its name, and missing rights are refusals of this pod alone', async () => {
  for (const code of [500, 409, 403]) expect(await answeredWith(failure(code))).toBe('refused u for 5000')
})

test('a server that is away is no answer', async () => {
  for (const code of [0, 503]) await expect(answeredWith(failure(code))).rejects.toMatchObject({ code })
})

test('an eviction names the pod by its UID, and the grace period when one is set', async () => {
  const kube = new FakeKube()
  const answers = { taken: () => undefined, refused: () => undefined }
  await evict({ kube, clock: new TestClock(0), answers }, { ...action, gracePeriodSeconds: 20 })
  expect(kube.objects.get('/api/v1/namespaces/shop/pods/a/eviction/a')).toMatchObject({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'a', namespace: 'shop' },
    deleteOptions: { preconditions: { uid: 'u' }, gracePeriodSeconds: 20 },
  })
})
