import { expect, test } from 'vitest'
import { job } from '../../../src/controller/gates/job.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { aGate } from '../../rollout/builders/policies.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const BATCH = '/apis/batch/v1/namespaces/gates'
const check = { kind: 'job', cronJob: 'smoke' } as const
const asked = {
  ...{ kind: 'askGate', pool: 'workers', rollout: 'r', revision: 'abc', wave: 'canary', check: 'a1', question: 'after' },
  gate: aGate('smoke', { timeout: 1_500, check }),
} as never
const container = { name: 'main', image: 'probe:1', env: [{ name: 'OWN', value: '1' }] }
const cronJob: KubeObject = {
  metadata: { name: 'smoke' },
  spec: { suspend: true, jobTemplate: { spec: { template: { spec: { containers: [container] } } } } },
}

function aCluster(): FakeKube {
  const kube = new FakeKube()
  kube.put(`${BATCH}/cronjobs/smoke`, cronJob)
  return kube
}

const ask = (kube: FakeKube) => job({ kube, namespace: 'gates' })(check, asked, new AbortController().signal)
const made = (kube: FakeKube) => [...kube.objects.keys()].filter((path) => path.startsWith(`${BATCH}/jobs/`))

/** The Job that a first question made, with this status. */
async function withJob(status: object, labels?: Readonly<Record<string, string>>): Promise<FakeKube> {
  const kube = aCluster()
  await ask(kube)
  const [path = ''] = made(kube)
  const found = kube.objects.get(path) as KubeObject
  kube.put(path, { ...found, metadata: { ...found.metadata, ...(labels && { labels }) }, status } as KubeObject)
  return kube
}

const condition = (type: string, status = 'True', more: object = {}) => ({ conditions: [{ type, status, ...more }] })

test('a gate makes a Job of the template, with what it is to judge', async () => {
  const kube = aCluster()

  expect((await ask(kube)).verdict).toBe('NotPassed')
  expect(kube.objects.get(made(kube)[0] ?? '')).toMatchObject({
    spec: {
      ttlSecondsAfterFinished: 86_400,
      activeDeadlineSeconds: 2,
      template: {
        spec: {
          containers: [
            {
              env: [
                { name: 'NODEWAVE_POOL', value: 'workers' },
                { name: 'NODEWAVE_REVISION', value: 'abc' },
                { name: 'NODEWAVE_WAVE', value: 'canary' },
                { name: 'OWN', value: '1' },
              ],
            },
          ],
        },
      },
    },
  })
})

test.each([
  ['succeeded', condition('Complete'), 'Passed', /succeeded$/],
  ['failed', condition('Failed', 'True', { message: 'no luck', reason: 'X' }), 'Failed', /failed: no luck$/],
  ['failed without a message', condition('Failed', 'True', { reason: 'X' }), 'Failed', /failed: X$/],
  ['failed without any word', condition('Failed'), 'Failed', /failed: no reason given$/],
  ['has a condition that does not hold', condition('Failed', 'False'), 'NotPassed', /it has no active pod; see: kubectl/],
  ['has an active pod', { active: 1 }, 'NotPassed', /has not ended$/],
  ['has no active pod', { active: 0 }, 'NotPassed', /it has no active pod; see: kubectl/],
])('a gate whose Job %s says so', async (_, status, verdict, message) => {
  const result = await ask(await withJob(status))

  expect(result.verdict).toBe(verdict)
  expect(result.message).toMatch(message)
})

test('a gate believes no Job that somebody else made under its name', async () => {
  await expect(ask(await withJob(condition('Complete'), {}))).rejects.toThrow('another Job has the name')
})

test('a gate whose CronJob is missing, or is not suspended, cannot be asked', async () => {
  await expect(ask(new FakeKube())).rejects.toThrow('no CronJob "smoke" in namespace "gates"')
  const kube = new FakeKube()
  kube.put(`${BATCH}/cronjobs/smoke`, { ...cronJob, spec: { ...(cronJob.spec as object), suspend: false } })
  await expect(ask(kube)).rejects.toThrow('is not suspended')
})

test('a gate that the server does not let read cannot be asked', async () => {
  const kube = aCluster()
  kube.failures.push({ on: `GET ${BATCH}/jobs`, error: refusal(403, 'Forbidden') })

  await expect(ask(kube)).rejects.toThrow('refused: Forbidden')
  expect(made(kube)).toEqual([])
})

test('a gate whose Job was made by another controller meanwhile waits for that one', async () => {
  const kube = aCluster()
  kube.failures.push({ on: `POST ${BATCH}/jobs`, error: refusal(409, 'AlreadyExists') })

  expect((await ask(kube)).verdict).toBe('NotPassed')
})

test('a gate whose Job the server refuses cannot be asked', async () => {
  const kube = aCluster()
  kube.failures.push({ on: `POST ${BATCH}/jobs`, error: refusal(403, 'Forbidden') })

  await expect(ask(kube)).rejects.toThrow('refused: Forbidden')
})
