import { expect, test } from 'vitest'
import { systemClock } from '../../../src/controller/clock/system-clock.ts'

test('system clock counts the CPU time of a pass, and that of the kernel for it', () => {
  const milliseconds = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const before = milliseconds()
  const used = systemClock.cpuUsed?.()

  expect(used).toBeGreaterThanOrEqual(before)
  expect(used).toBeLessThanOrEqual(milliseconds())
})

test('system clock sleeps until its time, not at all when that has passed, and no longer than its signal lasts', async () => {
  const [ending, { signal }] = [new AbortController(), new AbortController()]
  let isAwake = false
  const sleeping = systemClock.sleepUntil(Date.now() + 3_600_000, ending.signal).then(() => {
    isAwake = true
  })
  for (let times = 0; times < 3; times++) await systemClock.sleepUntil(Date.now() - 1_000, signal)
  expect(isAwake).toBe(false)
  ending.abort()
  await sleeping
})
