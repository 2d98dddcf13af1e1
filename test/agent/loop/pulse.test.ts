import { expect, test } from 'vitest'
import { LONGEST_LOOK, Pulse } from '../../../src/agent/loop/pulse.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000

function supervised(machine: Machine) {
  const signs: number[] = []
  const supervisor = { interval: MINUTE, alive: async () => void signs.push(machine.clock.elapsed()) }
  machine.supervisor = supervisor
  return { signs, supervisor }
}

test('the agent tells its supervisor at each interval that it lives, beginning at once', async () => {
  const machine = new Machine()
  const { signs } = supervised(machine)
  machine.start()
  await machine.clock.advance(3 * MINUTE)

  expect(signs).toEqual([0, MINUTE, 2 * MINUTE, 3 * MINUTE])
})

test('the agent goes on telling while its guard waits for a long download, and while the API server is away', async () => {
  const machine = new Machine({ durations: { download: 25 * MINUTE } })
  const { signs } = supervised(machine)
  machine.start()
  machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.clock.advance(MINUTE)
  machine.host.faults.network = 'lost'
  await machine.clock.advance(59 * MINUTE)

  expect(signs).toHaveLength(61)
})

test('the agent falls silent when its guard has begun no look for longer than any look takes', async () => {
  const machine = new Machine()
  const { signs, supervisor } = supervised(machine)
  const stop = new AbortController()
  const pulse = new Pulse({ clock: machine.clock, log: { info: () => {}, warn: () => {} }, supervisor })
  const running = pulse.run(stop.signal)
  await machine.clock.advance(LONGEST_LOOK / 2)
  pulse.beat()
  await machine.clock.advance(3 * LONGEST_LOOK)
  expect(signs.at(-1)).toBe(1.5 * LONGEST_LOOK)
  pulse.beat()
  await machine.clock.advance(MINUTE)
  expect(signs.at(-1)).toBe(3.5 * LONGEST_LOOK + MINUTE)
  stop.abort()
  await running
})

test('a supervisor that cannot be told keeps the agent from nothing', async () => {
  const machine = new Machine()
  machine.supervisor = { interval: MINUTE, alive: async () => Promise.reject(new Error('no socket')) }
  machine.start()
  machine.assign({ flags: '--v=3' })

  await machine.until('Applied')
})
