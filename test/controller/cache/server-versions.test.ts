import { expect, test } from 'vitest'
import { ServerVersions } from '../../../src/controller/cache/server-versions.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { FakeKube, refusal } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

function aServer(version: string) {
  const [kube, clock, told] = [new FakeKube(), new TestClock(), { changes: 0, lines: 0 }]
  const answer = (gitVersion: string): void => void kube.objects.set('/version', { metadata: { name: '' }, gitVersion })
  answer(version)
  const log = (): void => {
    told.lines += 1
  }
  const changed = (): void => {
    told.changes += 1
  }
  const versions = new ServerVersions({ kube, clock, log, signal: new AbortController().signal, changed })
  return { kube, clock, versions, answer, told }
}

test('each watch has the answer of the server that it was opened on, until it is opened again', async () => {
  const { versions, answer, told } = aServer('v1.36.3')
  await versions.ask('nodes')
  await versions.ask('pods')
  answer('v1.37.0')
  await versions.ask('nodes')
  expect(versions.answers).toEqual(['v1.36.3', 'v1.37.0'])
  await versions.ask('pods')
  expect(versions.answers).toEqual(['v1.37.0'])
  expect(told.changes).toBe(3)
})

test('a server that cannot answer is asked again later, and what it said before holds until then', async () => {
  const { kube, clock, versions, answer } = aServer('v1.36.3')
  await versions.ask('nodes')
  kube.failures.push({ on: 'GET /version', error: new KubeError('away', { code: 503, reason: 'ServiceUnavailable' }) })
  answer('v1.37.0')
  const asked = versions.ask('nodes')
  await clock.awaited(5_000)
  expect(versions.answers).toEqual(['v1.36.3'])
  clock.advance(5_000)
  await asked
  expect(versions.answers).toEqual(['v1.37.0'])
  expect(kube.requests).toEqual(['GET /version', 'GET /version', 'GET /version'])
})

test('a server that refuses to tell is not asked again, and what it said before holds no more', async () => {
  const { kube, versions, told } = aServer('v1.36.3')
  await versions.ask('nodes')
  kube.failures.push({ on: 'GET /version', error: refusal(403, 'Forbidden') })
  await versions.ask('nodes')
  expect(versions.answers).toEqual([])
  expect(told).toEqual({ changes: 2, lines: 1 })
  expect(kube.requests).toHaveLength(2)
})

test('a question that a later one of the same watch has overtaken is given up', async () => {
  const { kube, clock, versions } = aServer('v1.36.3')
  kube.failures.push({ on: 'GET /version', error: new KubeError('away', { code: 0, reason: 'Unreachable' }) })
  const first = versions.ask('nodes')
  await clock.awaited(5_000)
  await versions.ask('nodes')
  clock.advance(5_000)
  await first
  expect(kube.requests).toHaveLength(2)
})
