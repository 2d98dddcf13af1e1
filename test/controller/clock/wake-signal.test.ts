import { expect, test } from 'vitest'
import { WakeSignal } from '../../../src/controller/clock/wake-signal.ts'
import { TestClock } from '../test-clock.ts'

test('what is told while nobody waits is one wake at the next wait, and no more', async () => {
  const [trigger, clock, { signal }] = [new WakeSignal(), new TestClock(), new AbortController()]
  trigger.fire()
  trigger.fire()
  await trigger.wait(clock, { signal })
  let woken = false
  const second = trigger.wait(clock, { signal }).then(() => {
    woken = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(woken).toBe(false)
  trigger.fire()
  await second
})

test('a wait ends at its time, and no sooner', async () => {
  const [trigger, clock, { signal }] = [new WakeSignal(), new TestClock(), new AbortController()]
  let woken = false
  const waiting = trigger.wait(clock, { until: clock.now() + 1000, signal }).then(() => {
    woken = true
  })
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(woken).toBe(false)
  clock.advance(1000)
  await waiting
})

test('a wait ends with the signal, one that was given before too', async () => {
  const [trigger, clock, stop] = [new WakeSignal(), new TestClock(), new AbortController()]
  const waiting = trigger.wait(clock, { signal: stop.signal })
  stop.abort()
  await waiting
  await trigger.wait(clock, { signal: stop.signal })
})

test('a wait wakes no sooner than notBefore, and once for all that fired until then', async () => {
  const [trigger, clock, { signal }] = [new WakeSignal(), new TestClock(), new AbortController()]
  let wakes = 0
  const waiting = trigger.wait(clock, { notBefore: clock.elapsed() + 40, signal }).then(() => wakes++)
  trigger.fire()
  await clock.awaited(40)
  trigger.fire()
  expect(wakes).toBe(0)
  clock.advance(40)
  await waiting
  void trigger.wait(clock, { signal }).then(() => wakes++)
  await new Promise((resolve) => setImmediate(resolve))
  expect(wakes).toBe(1)
})

test('a wait whose notBefore has passed wakes at once', async () => {
  const [trigger, clock, { signal }] = [new WakeSignal(), new TestClock(), new AbortController()]
  trigger.fire()
  await trigger.wait(clock, { notBefore: clock.elapsed(), signal })
})

test('what is taken is the time of the first call since the last take', () => {
  const clock = new TestClock(1_000)
  const trigger = new WakeSignal(() => clock.elapsed())
  expect(trigger.take()).toBeUndefined()
  clock.advance(500)
  trigger.fire()
  clock.advance(200)
  trigger.fire()
  expect([trigger.take(), trigger.take()]).toEqual([1_500, undefined])
  trigger.fire()
  expect(trigger.take()).toBe(1_700)
})

test('what is taken still wakes whoever waits', async () => {
  const clock = new TestClock()
  const trigger = new WakeSignal(() => clock.elapsed())
  trigger.fire()
  trigger.take()
  await trigger.wait(clock, { signal: new AbortController().signal })
})
