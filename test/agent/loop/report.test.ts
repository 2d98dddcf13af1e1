import { expect, test } from 'vitest'
import { Reporter } from '../../../src/agent/loop/report.ts'
import { DEFAULT_TIMING } from '../../../src/agent/options.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import { FakeNode } from '../support/fake-node.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000

function reporting() {
  const node = new FakeNode('v1.36.3')
  const clock = new VirtualClock()
  const { retry } = DEFAULT_TIMING
  const log = { info: () => {}, warn: () => {} }
  const reporter = new Reporter(namesFor(), { node, clock, retry, random: () => 0.5, log })
  return { node, clock, reporter }
}

const status = (phase: 'Applying' | 'Applied' | 'RolledBack') => ({ phase, since: '2026-01-01T00:00:00.000Z' })

test('report is one patch of status and current configuration together', async () => {
  const { node, clock, reporter } = reporting()
  reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  reporter.report({ status: status('Applied'), currentConfig: '{}' })
  await clock.advance(0)

  expect(node.patches).toEqual([
    {
      'nodewave.io/status': '{"phase":"Applied","since":"2026-01-01T00:00:00.000Z","node":"u1"}',
      'nodewave.io/current-config': '{}',
    },
  ])
})

test('report about an assignment is sent to no Node that has none, unless it is another Node than the one that was assigned', async () => {
  const { node, clock, reporter } = reporting()
  reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  reporter.report({ status: status('Applied'), currentConfig: undefined, about: 'u1' })
  await clock.advance(0)
  expect(node.patches).toEqual([])

  reporter.seen({ uid: 'u2', version: '1', annotations: {} })
  await clock.advance(0)
  expect(node.patches).toEqual([{ 'nodewave.io/status': '{"phase":"Applied","since":"2026-01-01T00:00:00.000Z","node":"u2"}' }])
})

test('report about an assignment that was removed is sent to the Node that shows an earlier one about it', async () => {
  const { node, clock, reporter } = reporting()
  const shown = '{"phase":"Applying","since":"2026-01-01T00:00:00.000Z","assigned":"v1:a","node":"u1"}'
  reporter.seen({ uid: 'u1', version: '1', annotations: { 'nodewave.io/status': shown } })
  reporter.report({ status: status('Applied'), currentConfig: undefined, about: 'u1' })
  await clock.advance(0)

  expect(node.patches).toEqual([{ 'nodewave.io/status': '{"phase":"Applied","since":"2026-01-01T00:00:00.000Z","node":"u1"}' }])
})

test('report is not sent when it stands on the Node already', async () => {
  const { node, clock, reporter } = reporting()
  reporter.seen({
    uid: 'u1',
    version: '1',
    annotations: { 'nodewave.io/status': '{"phase":"Applied","since":"2026-01-01T00:00:00.000Z","node":"u1"}' },
  })
  reporter.report({ status: status('Applied'), currentConfig: undefined })
  await clock.advance(0)

  expect(node.patches).toEqual([])
})

test('report waits for the API server, and only the last one is sent', async () => {
  const { node, clock, reporter } = reporting()
  let down = true
  const { annotate } = FakeNode.prototype
  node.annotate = async (annotations, version) => {
    if (down) throw new KubeError('no answer', { code: 0, reason: 'Unreachable' })
    return annotate.call(node, annotations, version)
  }
  reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  reporter.report({ status: status('Applying'), currentConfig: undefined })
  await clock.advance(10_000)
  reporter.report({ status: status('RolledBack'), currentConfig: undefined })
  down = false
  await clock.advance(60_000)

  expect(node.patches).toEqual([
    { 'nodewave.io/status': '{"phase":"RolledBack","since":"2026-01-01T00:00:00.000Z","node":"u1"}' },
  ])
})

/** The first patch is given up, as one whose answer does not come; `arrive` lets it reach the API server after all. */
function holdingBack({ node }: ReturnType<typeof reporting>) {
  const { annotate } = FakeNode.prototype
  const arrived = Promise.withResolvers<void>()
  const answers: Promise<unknown>[] = []
  node.annotate = async (annotations, version) => {
    if (answers.length > 0) return annotate.call(node, annotations, version)
    answers.push(arrived.promise.then(() => annotate.call(node, annotations, version)))
    throw new KubeError('no answer in time', { code: 0, reason: 'Timeout' })
  }
  const arrive = (): Promise<unknown> => {
    arrived.resolve()
    return answers[0] ?? Promise.resolve()
  }
  return { arrive }
}

test('report that arrives after a newer one is refused, and the newer one stays', async () => {
  const it = reporting()
  const { arrive } = holdingBack(it)
  it.reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  it.reporter.report({ status: status('Applied'), currentConfig: undefined })
  await it.clock.advance(0)
  it.reporter.report({ status: status('RolledBack'), currentConfig: undefined })
  await it.clock.advance(60_000)

  await expect(arrive()).rejects.toMatchObject({ reaction: 'conflict' })
  expect(it.node.annotations).toEqual({
    'nodewave.io/status': '{"phase":"RolledBack","since":"2026-01-01T00:00:00.000Z","node":"u1"}',
  })
})

test('report that was given up and arrived before a newer one is followed by that at once', async () => {
  const it = reporting()
  const { arrive } = holdingBack(it)
  it.reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  it.reporter.report({ status: status('Applied'), currentConfig: undefined })
  await it.clock.advance(0)
  await arrive()
  it.reporter.report({ status: status('RolledBack'), currentConfig: undefined })
  it.reporter.retryNow()
  await it.clock.advance(0)

  expect(it.node.annotations).toEqual({
    'nodewave.io/status': '{"phase":"RolledBack","since":"2026-01-01T00:00:00.000Z","node":"u1"}',
  })
})

test('report waits when the API server refuses the version that it has', async () => {
  const { clock, triedAt } = refusing({ code: 409, reason: 'Conflict' })
  await clock.advance(10_000)

  expect(triedAt).toEqual([0, 1000, 3000, 7000])
})

test('report is not sent before it is known what stands on the Node', async () => {
  const { node, clock, reporter } = reporting()
  reporter.report({ status: status('Applied'), currentConfig: undefined })
  await clock.advance(1000)
  expect(node.patches).toEqual([])
  reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  await clock.advance(0)
  expect(node.patches).toHaveLength(1)
})

function refusing({ code, reason }: { readonly code: number; readonly reason: string }) {
  const it = reporting()
  const triedAt: number[] = []
  it.node.annotate = async () => {
    triedAt.push(it.clock.elapsed())
    throw new KubeError('no', { code, reason })
  }
  it.reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  it.reporter.report({ status: status('Applied'), currentConfig: undefined })
  return { ...it, triedAt }
}

test.each([
  ['cannot be reached', { code: 0, reason: 'Unreachable' }],
  ['forbids it', { code: 403, reason: 'Forbidden' }],
])('report is tried again at ever longer pauses when the API server %s', async (_, answer) => {
  const { clock, triedAt } = refusing(answer)
  await clock.advance(200_000)

  expect(triedAt).toEqual([0, 1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000, 183_000])
})

test('report is tried at once when the API server is found again', async () => {
  const { clock, reporter, triedAt } = refusing({ code: 0, reason: 'Unreachable' })
  await clock.advance(100_000)
  reporter.retryNow()
  await clock.advance(0)

  expect(triedAt.at(-1)).toBe(100_000)
})

test('report of something else does not wait until the one before is tried again', async () => {
  const { clock, reporter, triedAt } = refusing({ code: 0, reason: 'Unreachable' })
  await clock.advance(100_000)
  reporter.report({ status: status('RolledBack'), currentConfig: undefined })
  await clock.advance(0)
  reporter.report({ status: status('RolledBack'), currentConfig: undefined })
  await clock.advance(50_000)

  expect(triedAt.slice(-2)).toEqual([63_000, 100_000])
})

test('report is not tried any more when the agent stops', async () => {
  const { clock, reporter, triedAt } = refusing({ code: 0, reason: 'Unreachable' })
  await clock.advance(2000)
  reporter.stop()
  await clock.advance(600_000)

  expect(triedAt).toEqual([0, 1000])
})

test('report that fails while the agent stops is not waited for', async () => {
  const { node, clock, reporter } = reporting()
  const answer = Promise.withResolvers<never>()
  node.annotate = () => answer.promise
  let sleeps = 0
  clock.sleep = async () => void sleeps++
  reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  reporter.report({ status: status('Applied'), currentConfig: undefined })
  reporter.stop()
  answer.reject(new KubeError('no answer', { code: 0, reason: 'Unreachable' }))
  await answer.promise.catch(() => {})
  await clock.advance(0)

  expect(sleeps).toBe(0)
})

test('agent reports again what somebody removed from its Node, or an older state of the cluster does not have', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(20 * MINUTE)
  const { patches } = machine.node
  const before = patches.length
  machine.node.write('nodewave.io/status', null)
  machine.node.write('nodewave.io/current-config', null)
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest, lastKnownGood: digest })
  expect(machine.currentConfig).toContain(digest)
  await machine.clock.advance(24 * 60 * MINUTE)
  expect(patches).toHaveLength(before + 1)
})

/** Milliseconds for which the delivery of a report was waited for, of two seconds at most. */
async function whenDelivered({ clock, reporter }: Pick<ReturnType<typeof reporting>, 'clock' | 'reporter'>): Promise<number> {
  reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  reporter.report({ status: status('Applied'), currentConfig: undefined })
  const delivered = reporter.delivered(2_000).then(() => clock.elapsed())
  await clock.advance(5_000)
  return delivered
}

test('delivery of a report is waited for until its answer comes', async () => {
  const { node, clock, reporter } = reporting()
  const { annotate } = FakeNode.prototype
  node.annotate = async (annotations, version) => {
    await clock.sleep(500)
    return annotate.call(node, annotations, version)
  }

  expect(await whenDelivered({ clock, reporter })).toBe(500)
  expect(node.patches).toHaveLength(1)
})

test('delivery of a report is waited for no longer than asked for', async () => {
  const { node, clock, reporter } = reporting()
  node.annotate = () => Promise.reject(new KubeError('no answer', { code: 0, reason: 'Unreachable' }))

  expect(await whenDelivered({ clock, reporter })).toBe(2_000)
})

test('report names the Node that it is written to, so that a copy on another one is written again', async () => {
  const { node, clock, reporter } = reporting()
  reporter.seen({ uid: 'u1', version: '1', annotations: {} })
  reporter.report({ status: status('Applied'), currentConfig: undefined })
  await clock.advance(0)
  const { annotations } = node
  node.registerAgain('u2')
  for (const [key, text] of Object.entries(annotations)) node.write(key, text)
  reporter.seen(await node.get())
  await clock.advance(0)

  expect(node.annotations).toEqual({
    'nodewave.io/status': '{"phase":"Applied","since":"2026-01-01T00:00:00.000Z","node":"u2"}',
  })
})
