/** A change that disturbs more than the kubelet is observed for longer than a kubelet may take to come up. */
import { expect, test } from 'vitest'
import { DEFAULT_TIMING } from '../../../src/agent/options.ts'
import { FLAGS, MINUTE, RULES, rules } from '../support/firewall.ts'
import { Machine } from '../support/machine.ts'

/** As with `--health-timeout=10`. @param comesUp milliseconds that its kubelet takes */
function machineInAHurry(comesUp: number): Machine {
  const timing = { ...DEFAULT_TIMING, healthy: 10_000 }
  const units = ['containerd.service', 'nftables.service']
  const machine = new Machine({ units, agent: { timing }, durations: { healthy: comesUp } })
  machine.start()
  return machine
}

test('agent whose kubelet may take less time than another unit is observed for applies a change of both, and goes back from it', async () => {
  const machine = machineInAHurry(8_000)
  const good = machine.assign({ ...rules('one\n'), flags: '--v=2' })
  expect(await machine.until('Applied', 'RolledBack', 'Failed')).toMatchObject({ phase: 'Applied', digest: good })
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign({ ...rules('two\n'), flags: '--v=3' })
  await machine.untilDigest(bad, 'Applied')
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ phase: 'RolledBack', digest: bad, active: good })
  expect([machine.host.files.text(RULES), machine.host.files.text(FLAGS)]).toEqual(['one\n', expect.stringContaining('--v=2')])
})

test('agent does not wait for a kubelet that takes too long for as long as it observes another unit', async () => {
  const machine = machineInAHurry(12_000)
  machine.assign({ ...rules('one\n'), flags: '--v=2' })
  const { error } = await machine.until('Applied', 'RolledBack', 'Failed')

  expect(error?.message).toContain('kubelet was not healthy after 10 s')
})
