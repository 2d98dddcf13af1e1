import { expect, test } from 'vitest'
import { VirtualClock } from '../../src/sim/virtual-clock.ts'

test('virtual clock wakes sleepers in the order they are due, and at their time', async () => {
  const clock = new VirtualClock(1000)
  const woken: string[] = []
  const sleeper = async (name: string, milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds)
    woken.push(`${name} at ${clock.now()}`)
  }
  void sleeper('late', 300)
  void sleeper('early', 100).then(() => sleeper('again', 100))
  await clock.advance(250)
  expect(woken).toEqual(['early at 1100', 'again at 1200'])
  expect(clock.elapsed()).toBe(250)
  await clock.advance(50)
  expect(woken.at(-1)).toBe('late at 1300')
})

test('virtual clock ends a sleep early when its signal aborts', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const slept = clock.sleep(1_000_000, stop.signal)
  stop.abort()
  await slept
  expect(clock.elapsed()).toBe(0)
})

test('virtual clock jumps on the wall and not in durations', () => {
  const clock = new VirtualClock(1000)
  clock.jump(-500)
  expect([clock.now(), clock.elapsed()]).toEqual([500, 0])
})

test('virtual clock says so when a condition does not come', async () => {
  await expect(new VirtualClock().runUntil(() => false, { within: 5000 })).rejects.toThrow('not so after 5000 ms')
})
