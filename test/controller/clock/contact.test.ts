import { expect, test } from 'vitest'
import { Contact } from '../../../src/controller/clock/contact.ts'
import { contactKube } from '../../../src/controller/clock/contact-kube.ts'
import { OutageLog } from '../../../src/controller/clock/outage-log.ts'
import { FakeKube, refusal } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

test('an interruption of five seconds is a hiccup, a longer one makes time count from its end', () => {
  const contact = new Contact()
  contact.lost('nodes', 0)
  contact.restored('nodes', 5_000)
  expect(contact.unbrokenSince(6_000)).toBeUndefined()
  contact.lost('nodes', 10_000)
  expect(contact.unbrokenSince(15_000)).toBeUndefined()
  expect(contact.unbrokenSince(16_000)).toBe(16_000)
  contact.restored('nodes', 20_000)
  expect(contact.unbrokenSince(60_000)).toBe(20_000)
})

test.each([
  ['of no time at all is a hiccup', 10_000, undefined],
  ['of five seconds is a hiccup', 15_000, undefined],
  ['of more than that is none', 15_001, 15_001],
  ['that ended before it began is none: the clock was put back', 9_999, 9_999],
])('an interruption %s, whatever time it is', (_, restored, since) => {
  const contact = new Contact()
  contact.lost('nodes', 10_000)
  contact.restored('nodes', restored)
  expect(contact.unbrokenSince(60_000)).toBe(since)
})

test('an interruption after which the server shows an older state is none however short it was', () => {
  const contact = new Contact()
  contact.lost('nodes', 10_000)
  contact.distrust(11_000)
  contact.restored('nodes', 11_000)
  expect(contact.unbrokenSince(60_000)).toBe(11_000)
})

test('an interruption that ended by a clock that was ahead counts from when that was put back', () => {
  const contact = new Contact()
  contact.lost('nodes', 0)
  contact.restored('nodes', 3_600_000)
  expect(contact.unbrokenSince(20_000)).toBe(20_000)
  expect(contact.unbrokenSince(60_000)).toBe(20_000)
})

test('an interruption that began by a clock that was ahead is one when that was put back', () => {
  const contact = new Contact()
  contact.lost('nodes', 3_600_000)
  expect(contact.unbrokenSince(0)).toBeUndefined()
  expect(contact.unbrokenSince(6_000)).toBe(6_000)
  contact.lost('requests', 3_600_000)
  contact.restored('requests', 7_000)
  contact.restored('nodes', 8_000)
  expect(contact.unbrokenSince(60_000)).toBe(8_000)
})

test('what is known of a cluster is known since the first answer, by a clock that was ahead since that was put back', () => {
  const contact = new Contact()
  contact.lost('nodes', 0)
  expect(contact.watchedSince(1_000)).toBeUndefined()
  contact.restored('requests', 3_600_000)
  contact.restored('nodes', 3_700_000)
  expect(contact.watchedSince(3_800_000)).toBe(3_600_000)
  expect(contact.watchedSince(20_000)).toBe(20_000)
  expect(contact.watchedSince(60_000)).toBe(20_000)
})

test('nodes are listed when they were last, however much the clock is put forward or back since', () => {
  const contact = new Contact()
  const at = (now: number, elapsed: number) => ({ now: () => now, elapsed: () => elapsed })
  expect(contact.listedAt(at(1_000, 0))).toBeUndefined()
  contact.listed(at(3_600_000, 10_000))
  contact.listed(at(3_700_000, 110_000))
  expect(contact.listedAt(at(3_800_000, 210_000))).toBe(3_700_000)
  expect(contact.listedAt(at(7_400_000, 210_000))).toBe(7_300_000)
  expect(contact.listedAt(at(200_000, 210_000))).toBe(100_000)
  expect(contact.listedAt(at(3_900_000, 310_000))).toBe(3_700_000)
})

test('nodes are listed at one instant, though two clocks differ by seconds, and never ahead', () => {
  const contact = new Contact()
  const at = (now: number, elapsed: number) => ({ now: () => now, elapsed: () => elapsed })
  contact.listed(at(100_000, 0))
  expect(contact.listedAt(at(220_000, 100_000))).toBe(100_000)
  expect(contact.listedAt(at(220_001, 100_000))).toBe(120_001)
  expect(contact.listedAt(at(110_000, 5_000))).toBe(110_000)
})

test('a channel that is there does not stand for another one that is lost', () => {
  const contact = new Contact()
  contact.lost('nodes', 0)
  contact.lost('requests', 0)
  contact.restored('requests', 10_000)
  expect(contact.unbrokenSince(60_000)).toBe(60_000)
})

test('a server that has no answer is asked every two seconds until it has, though nothing is to be written', async () => {
  const [kube, clock, contact, ending] = [new FakeKube(), new TestClock(0), new Contact(), new AbortController()]
  const restored = Promise.withResolvers<void>()
  const api = contactKube(kube, {
    contact,
    clock,
    outage: new OutageLog(() => {}, clock),
    signal: ending.signal,
    restored: restored.resolve,
  })
  for (const on of ['PATCH /n', 'GET /version', 'GET /version', 'GET /version', 'GET /version'])
    kube.failures.push({ on, error: refusal(0, 'Unreachable') })
  await expect(api.patch('/n', {})).rejects.toThrow('Unreachable')
  for (let asked = 0; asked < 5; asked += 1) {
    await clock.awaited(2_000)
    clock.advance(2_000)
  }
  await restored.promise
  expect(contact.unbrokenSince(11_000)).toBe(10_000)
  ending.abort()
})

test.for([403, 409, 429])('an answer %i is contact', async (code) => {
  const [kube, contact] = [new FakeKube(), new Contact()]
  const signal = AbortSignal.abort()
  const clock = new TestClock(0)
  const api = contactKube(kube, { contact, clock, outage: new OutageLog(() => {}, clock), signal, restored: () => undefined })
  kube.failures.push({ on: 'PATCH', error: refusal(code, 'Refused') })
  await expect(api.patch('/n', {})).rejects.toThrow('Refused')
  expect(contact.unbrokenSince(60_000)).toBeUndefined()
})

test('time counts for who takes over from when it counted for the one before, if that is later, and not from the future', () => {
  const contact = new Contact()
  contact.countFrom(5_000, 10_000)
  expect(contact.unbrokenSince(10_000)).toBe(5_000)
  contact.countFrom(4_000, 10_000)
  expect(contact.unbrokenSince(10_000)).toBe(5_000)
  contact.countFrom(60_000, 12_000)
  expect(contact.unbrokenSince(20_000)).toBe(12_000)
})
