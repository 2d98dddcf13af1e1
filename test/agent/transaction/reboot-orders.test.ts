import { expect, test } from 'vitest'
import { createContext } from '../../../src/agent/context.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import { reboot } from '../../../src/agent/transaction/reboot.ts'
import { Machine } from '../support/machine.ts'

test.each([
  [2, 1],
  [3, 0],
])('machine that was ordered %i times in this boot is ordered %i times more', async (earlier, more) => {
  const machine = new Machine()
  const { ports, journal, kinds, state, options } = createContext(machine.host.process(machine.node).ports, DEFAULT_OPTIONS)
  let orders = 0
  const services = { ...ports.services, bootId: async () => 'boot-1', reboot: async () => void orders++ }
  const context = { ports: { ...ports, services }, journal, kinds, paths: state.paths, timing: options.timing, agent: '1' }
  const line = { at: 'rebooting', boot: 'boot-1', elapsed: machine.clock.elapsed() } as const

  expect(
    await reboot(
      Array.from({ length: earlier }, () => line),
      context,
    ),
  ).toEqual({ kind: 'suspended' })
  expect(orders).toBe(more)
})
