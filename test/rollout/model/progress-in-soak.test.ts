import { expect, test } from 'vitest'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { justApplied, type ProgressOptions, phase, progress } from './some-progress.ts'

test('a node soaks until it has been applied and Ready for as long as its wave says', () => {
  expect(progress(justApplied, { soak: 10 * minute })).toEqual({ phase: 'Soaking', pending: true, until: noon + 6 * minute })
  expect(phase(justApplied, { soak: 10 * minute, now: noon + 6 * minute })).toBe('Current')
})

test('a node soaks again when it was not Ready in between', () => {
  expect(progress(justApplied.readyAgain(noon - minute), { soak: 10 * minute }).until).toBe(noon + 9 * minute)
})

test('a soak ends in time though the clock of the node is a day ahead', () => {
  const ahead = aNode('a')
    .on('new', { at: noon - 5 * minute, since: noon + 24 * hour })
    .readyAgain(noon + 24 * hour)

  expect(progress(ahead, { soak: 10 * minute }).until).toBe(noon + 20 * minute)
  expect(phase(ahead, { soak: 10 * minute, now: noon + 20 * minute })).toBe('Current')
})

test('a soak is longer by two seconds when the clock of the node is two seconds ahead', () => {
  const ahead = aNode('a').on('new', { at: noon - minute, since: noon + 2000 })

  expect(progress(ahead, { soak: minute })).toMatchObject({ phase: 'Soaking', until: noon + 2000 + minute })
})

test('a soak is counted from the deadline of the work when the agent writes no date', () => {
  const applied = aNode('a')
    .assignedTo('new', { at: noon - 5 * minute })
    .reporting('Applied')
  const dateless = Object.assign(applied, { status: { ...applied.status, since: 'yesterday' } })

  expect(progress(dateless, { soak: 10 * minute }).until).toBe(noon + 20 * minute)
})

test('a soak is not skipped though the clock of the node is a day behind', () => {
  const behind = aNode('a').on('new', { at: noon - 5 * minute, since: noon - 24 * hour })

  expect(progress(behind, { soak: 10 * minute }).until).toBe(noon + 5 * minute)
})

test('a clock that is put forward fails no node at work, and ends no soak', () => {
  const at = noon - 40 * minute
  const now = noon
  const atWork = aNode('a').assignedTo('new', { at })
  const clock = { now, steadySince: noon - minute }

  expect(phase(atWork.reporting('Verifying'), clock)).toBe('Applying')
  expect(phase(atWork, { ...clock, agentTimeout: 5 * minute })).toBe('Assigned')
  expect(progress(atWork.reporting('Verifying'), clock).until).toBe(noon + 14 * minute)
  expect(progress(aNode('a').on('new', { at }).notReady(at), clock)).toMatchObject({
    phase: 'Unreachable',
    until: noon + 14 * minute,
  })
  expect(progress(aNode('a').on('new', { at }), { ...clock, soak: 10 * minute }).until).toBe(noon + 9 * minute)
})

test('who has just begun to watch ends no soak before agents and nodes had the time to show what became of them', () => {
  const soaking = aNode('a').on('new', { at: noon - 40 * minute })
  const begun = (watchedSince: number, soak: number) => progress(soaking, { watchedSince, soak })

  expect(begun(noon - minute, 10 * minute)).toMatchObject({ phase: 'Soaking', until: noon + minute })
  expect(begun(noon - 10_000, 30_000)).toMatchObject({ phase: 'Soaking', until: noon + 20_000 })
  expect(begun(noon - 2 * minute, 10 * minute).phase).toBe('Current')
  expect(begun(noon, 0).phase).toBe('Current')
  expect(begun(noon + hour, 10 * minute).until).toBe(noon + 2 * minute)
})

test('a node that goes down within its soak holds up the wave, and fails when that lasts for a minute', () => {
  const fallen = justApplied.notReady(noon - 1000)

  expect(progress(fallen, { soak: 10 * minute })).toEqual({ phase: 'Unreachable', pending: true, until: noon + 59_000 })
  expect(progress(fallen, { soak: 10 * minute, now: noon + 59_000 }).failure).toEqual({
    reason: 'NotReady',
    message: `node is not Ready since ${stamp(noon - 1000)}`,
  })
})

test('a node under pressure fails in its soak, for as long as the pressure lasts, unless that is older than its assignment or younger than the soak', () => {
  const squeezed = justApplied.under('DiskPressure', noon - 2 * minute)

  expect(progress(squeezed, { soak: 10 * minute }).failure).toEqual({
    reason: 'DiskPressure',
    message: `node has DiskPressure since ${stamp(noon - 2 * minute)}, in its soak`,
  })
  expect(phase(justApplied.under('DiskPressure', noon - 5 * minute), { soak: 10 * minute })).toBe('Failed')
  expect(phase(justApplied.under('DiskPressure', noon - 6 * minute), { soak: 10 * minute })).toBe('Soaking')
  expect(phase(squeezed, { soak: 4 * minute })).toBe('Failed')
  expect(phase(squeezed, { soak: 2 * minute })).toBe('Current')
})

test('a node whose clock is a day behind fails under pressure in its soak, and not under one from before or after it', () => {
  const day = 24 * hour
  const soaked = aNode('a')
    .on('new', { at: noon - 20 * minute, since: noon - day - 18 * minute })
    .readyAgain(noon - 2 * day)
  const under = (since: Instant) => phase(soaked.under('DiskPressure', since), { soak: 10 * minute })

  expect(under(noon - day - 18 * minute)).toBe('Failed')
  expect(under(noon - day - 8 * minute - 1)).toBe('Failed')
  expect(under(noon - day - 8 * minute)).toBe('Current')
  expect(under(noon - day - 18 * minute - 1)).toBe('Current')
})

test('a node whose clock is a day behind fails under pressure in a soak that began again when the clock of the controller jumped', () => {
  const day = 24 * hour
  const soaked = aNode('a')
    .on('new', { at: noon - 20 * minute, since: noon - day - 18 * minute })
    .readyAgain(noon - 2 * day)
  const again = { soak: 10 * minute, steadySince: noon - 5 * minute }

  expect(phase(soaked.under('DiskPressure', noon - day - minute), again)).toBe('Failed')
  expect(phase(soaked.under('DiskPressure', noon - day - 18 * minute - 1), again)).toBe('Soaking')
  expect(phase(soaked.under('DiskPressure', noon - day - minute), { ...again, now: noon + 5 * minute })).toBe('Current')
})

test('a node that failed under pressure fails without a soak, too, until that pressure ends or it is assigned again', () => {
  const failedAs = ['DiskPressure']
  const node = aNode('a').on('new', { at: noon - 20 * minute, since: noon - hour })

  expect(phase(node.under('DiskPressure', noon - 19 * minute), { failedAs })).toBe('Failed')
  expect(phase(node.under('DiskPressure', noon - hour), { failedAs })).toBe('Failed')
  expect(phase(node.under('DiskPressure', noon - hour - 1), { failedAs })).toBe('Current')
  expect(phase(node.under('MemoryPressure', noon - 19 * minute), { failedAs })).toBe('Current')
  expect(phase(node, { failedAs })).toBe('Current')
})

test('a node that comes under pressure after its soak does not fail because another process has begun to watch since', () => {
  const soaked = aNode('a').on('new', { at: noon - 30 * minute })
  const begun = { soak: 5 * minute, watchedSince: noon - minute }

  expect(progress(soaked.under('DiskPressure', noon - 25 * minute), begun)).toMatchObject({
    phase: 'Soaking',
    until: noon + minute,
  })
  expect(phase(soaked.under('DiskPressure', noon - 25 * minute - 1), begun)).toBe('Failed')
})

test('a node that went down after its soak stays an outage when the time comes that its clock, a day ahead, said it had applied', () => {
  const ahead = aNode('a').on('new', { at: noon - hour, since: noon + 24 * hour })
  const fallen = ahead.notReady(noon - 30 * minute)
  const outage = { phase: 'Unreachable', pending: false }

  expect(progress(fallen, { soak: minute })).toEqual(outage)
  expect(progress(fallen, { soak: minute, now: noon + 24 * hour - minute })).toEqual(outage)
  expect(progress(fallen, { soak: minute, now: noon + 25 * hour })).toEqual(outage)
})

test('a node whose clock is a day ahead fails when it goes down in its soak and that lasts, and not for a moment', () => {
  const fallen = aNode('a')
    .on('new', { at: noon, since: noon + 24 * hour })
    .notReady(noon + 24 * hour + minute)
  const soak = 10 * minute

  expect(progress(fallen, { soak, now: noon + minute })).toMatchObject({ phase: 'Unreachable', pending: true })
  expect(phase(fallen, { soak, now: noon + 26 * minute - 1 })).toBe('Unreachable')
  expect(progress(fallen, { soak, now: noon + 26 * minute }).failure).toEqual({
    reason: 'NotReady',
    message: 'node is not Ready since 2026-11-22T12:01:00.000Z',
  })
})

test('a node whose clock is a day ahead is an outage when it went down after its soak', () => {
  const fallen = aNode('a')
    .on('new', { at: noon, since: noon + 24 * hour })
    .notReady(noon + 24 * hour + 20 * minute)

  expect(progress(fallen, { soak: 10 * minute, now: noon + hour })).toEqual({ phase: 'Unreachable', pending: false })
})

test('a node that goes down after its soak is an outage, and holds up the wave no longer than the timeout', () => {
  const fallen = justApplied.notReady(noon - minute)

  expect(progress(fallen, { soak: minute, now: noon + 14 * minute })).toEqual({ phase: 'Unreachable', pending: false })
})

test('a node that goes down before its agent proved the digest fails though the wave has no soak', () => {
  const fallen = justApplied.reporting('Applied', { lastKnownGood: 'older' }).notReady(noon - minute)

  expect(phase(fallen, { now: noon + 14 * minute })).toBe('Failed')
})

test('a node that was not Ready in its soak fails only when its kubelet could report again, after all nodes were listed again', () => {
  const restored = justApplied.notReady(noon - 4 * minute)
  const since = (clock: ProgressOptions) => progress(restored, { soak: 10 * minute, now: noon + 2 * minute, ...clock })

  expect(since({ listedAt: noon })).toEqual({ phase: 'Unreachable', pending: true, until: noon + 8 * minute })
  expect(since({ listedAt: noon, now: noon + 8 * minute }).failure?.reason).toBe('NotReady')
  expect(since({ listedAt: noon - 5 * minute }).failure?.reason).toBe('NotReady')
  expect(since({ listedAt: noon, failedAs: ['NotReady'] }).failure?.reason).toBe('NotReady')
})

test('an interruption after which nodes are not listed again gives a node that is not Ready in its soak a minute', () => {
  const fallen = justApplied.notReady(noon - 4 * minute)
  const since = (clock: ProgressOptions) => progress(fallen, { soak: 10 * minute, listedAt: noon - hour, ...clock })

  expect(since({ steadySince: noon - 59_000 })).toMatchObject({ pending: true, until: noon + 1_000 })
  expect(since({ steadySince: noon - minute }).failure?.reason).toBe('NotReady')
})
