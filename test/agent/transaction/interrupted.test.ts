import { expect, test } from 'vitest'
import { ServiceCallKilled } from '../../../src/agent/ports.ts'
import { Machine } from '../support/machine.ts'

test('a systemctl that is killed, as by a stop of the agent, is an interruption: the change is undone and tried again', async () => {
  const machine = new Machine()
  machine.start()
  const { services } = machine.host
  const restart = services.restart.bind(services)
  let isFirst = true
  services.restart = async (unit) => {
    const isKilled = isFirst
    isFirst = false
    if (isKilled) throw new ServiceCallKilled(`systemctl restart ${unit} was killed`)
    return restart(unit)
  }
  machine.assign({ flags: '--v=2' })

  expect(await machine.until('Applied', 'RolledBack', 'Failed')).toMatchObject({ phase: 'Applied', attempts: 2 })
})
