import { expect, test } from 'vitest'
import { unit } from '../../../src/agent/resources/unit.ts'
import { Machine } from '../support/machine.ts'

test.each([
  ['disabling a unit that runs', { enabled: false }, 'none'],
  ['stopping a unit that runs', { running: false }, 'restart'],
] as const)('%s disturbs as "%s" says', async (_, wanted, disruption) => {
  const { host, node } = new Machine()
  const { change } = await unit.of({ name: 'containerd.service', ...wanted }).observe(host.process(node).ports)
  expect(change?.disruption).toBe(disruption)
})
