import { expect, test } from 'vitest'
import { EventRecorder, type ObjectEvent } from '../../../src/controller/events/event-recorder.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const NOW = Date.UTC(2026, 10, 21, 8)

function aTelling(message: string, name = 'n1'): ObjectEvent {
  return { object: { kind: 'Node', name }, type: 'Warning', reason: 'HealthCheckFailed', message }
}

function aRecorder(kube = new FakeKube()) {
  const logged: string[] = []
  return { kube, logged, recorder: new EventRecorder({ kube, log: (_, message) => void logged.push(message) }) }
}

test('an event stands where kubectl describe looks for it', async () => {
  const { kube, recorder } = aRecorder()
  await recorder.record([aTelling('kubelet exited')], NOW)
  expect([...kube.objects.values()]).toMatchObject([
    {
      metadata: { namespace: 'default' },
      involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'n1' },
      type: 'Warning',
      reason: 'HealthCheckFailed',
      message: 'kubelet exited',
      firstTimestamp: '2026-11-21T08:00:00.000Z',
      count: 1,
    },
  ])
})

test('what was told in the pass before is not told again, and what comes back is', async () => {
  const { kube, recorder } = aRecorder()
  for (const tellings of [[aTelling('a')], [aTelling('a')], [], [aTelling('a')]]) await recorder.record(tellings, NOW)
  expect(kube.requests.length).toBe(2)
  expect(kube.objects.size).toBe(1)
})

test('what a former process told is not told again', async () => {
  const { kube, recorder } = aRecorder()
  await recorder.record([aTelling('a')], NOW)
  const next = aRecorder(kube)
  await next.recorder.record([aTelling('a')], NOW)
  expect(kube.objects.size).toBe(1)
  expect(next.logged).toEqual([])
})

test('a storm of events is cut', async () => {
  const { kube, recorder } = aRecorder()
  const storm = Array.from({ length: 500 }, (_, index) => aTelling('a', `n${index}`))
  await recorder.record(storm, NOW)
  expect(kube.objects.size).toBe(50)
})

test('an event that cannot be written is logged and costs nothing else', async () => {
  const { kube, recorder, logged } = aRecorder()
  kube.failures.push({ on: 'POST', error: refusal(403, 'Forbidden') })
  await recorder.record([aTelling('a')], NOW)
  expect(logged).toEqual(['create Event "HealthCheckFailed" on Node "n1": KubeError: refused: Forbidden'])
})

test('a long name of a node still makes a valid name of an event', async () => {
  const { kube, recorder } = aRecorder()
  await recorder.record([aTelling('a', `${'a'.repeat(199)}.b.example.com`)], NOW)
  const [path = ''] = kube.objects.keys()
  expect(path.split('/').at(-1)).toMatch(/^a{199}\.[0-9a-f]{16}$/)
})

test('a node that fails in a new way all the time has ten events in ten minutes, and the log says so once', async () => {
  const { kube, recorder, logged } = aRecorder()
  for (let n = 0; n < 710; n++)
    await recorder.record([aTelling(`failure ${n}`), aTelling(`failure ${n % 2}`, 'n2')], NOW + n * 10)
  const nodes = [...kube.objects.values()].map((event) => Object(event).involvedObject.name)
  expect(nodes.filter((name) => name === 'n1')).toHaveLength(10)
  expect(nodes.filter((name) => name === 'n2')).toHaveLength(2)
  expect(logged.filter((line) => line.includes('"n1"'))).toEqual([
    'leave out Events on Node "n1": it has too many; its status has the last one',
  ])

  await recorder.record([aTelling('later')], NOW + 620_000)
  expect([...kube.objects.values()].map((event) => Object(event).message)).toContain('later')
})
