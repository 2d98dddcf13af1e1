/** A slice that restarts takes down all that runs in it, pods among it; systemd sets its limits when it reads its file. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const NAME = 'kubepods.slice'
const withDropIn = (text: string) => ({ host: JSON.stringify({ units: [{ name: NAME, dropIns: { '10-limits.conf': text } }] }) })

test.each([
  ['changes', withDropIn('[Slice]\nMemoryMax=8G\n')],
  ['goes', { flags: '--v=3' }],
])('agent restarts no slice when its drop-in %s', async (_, content) => {
  const machine = new Machine({ units: [NAME] })
  const { services } = machine.host
  await services.start(NAME)
  machine.start()
  await machine.untilDigest(machine.assign(withDropIn('[Slice]\nMemoryMax=4G\n')), 'Applied')
  const { mainPid } = await services.show(NAME)
  let reloads = 0
  const reload = services.reload.bind(services)
  services.reload = async () => {
    reloads++
    await reload()
  }

  await machine.untilDigest(machine.assign(content), 'Applied')

  expect(await services.show(NAME)).toMatchObject({ active: 'active', mainPid })
  expect(reloads).toBeGreaterThan(0)
})
