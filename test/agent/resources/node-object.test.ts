import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

test('settings of the Node object are nothing to do for the agent, which says that they are applied', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.start()
  const node = { labels: { tier: 'front' }, taints: [{ key: 'gpu', effect: 'NoExecute' }] }
  machine.assign({ host: JSON.stringify({ node }) }, { GRANT: 'none' })
  await machine.until('Applied')

  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})
