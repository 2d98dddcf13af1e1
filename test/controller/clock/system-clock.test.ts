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
