/** The way back takes a reboot, and what last worked does not run any more. */
import { expect, test } from 'vitest'
import { machineWithBootParameters, RUNNING } from '../support/boot-parameters.ts'
import { MINUTE } from '../support/firewall.ts'
import type { Machine } from '../support/machine.ts'

const HOUR = 60 * MINUTE
const orders = ({ logged }: Machine): number => logged.filter((line) => line.startsWith('the machine reboots')).length

/** It was rebooted for a change, and runs with that; the kubelet exits with what last worked. */
async function rebootedForward(isCutBy: (parameters: string) => boolean) {
  const machine = machineWithBootParameters()
  machine.start()
  machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const isCut = (): boolean => isCutBy(machine.host.files.text(RUNNING) ?? '')
  Object.defineProperty(machine.host.faults, 'network', { get: () => (isCut() ? 'lost' : undefined) })
  const host = JSON.stringify({ bootParameters: 'quiet tried' })
  const digest = machine.assign({ flags: '--v=3', host }, { GRANT: 'reboot' })
  machine.host.injectCrash(({ args }) => (args.includes('--v=2') ? 'panic: out of luck' : undefined))
  return { machine, digest }
}

test('agent that is cut off by a change reboots the machine three times to go back in vain, and then no more', async () => {
  const { machine, digest } = await rebootedForward((parameters) => parameters.includes('tried'))
  await machine.clock.advance(2 * HOUR)
  expect(orders(machine)).toBe(1 + 3 * 2)
  await machine.clock.advance(10 * HOUR)

  expect(orders(machine)).toBe(1 + 3 * 2)
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${digest}\n`)
})

test('agent whose change goes bad after its reboot reboots the machine three times to go back in vain, and says so', async () => {
  const { machine, digest } = await rebootedForward(() => false)
  await machine.untilDigest(digest, 'Applied')
  machine.host.injectCrash(() => 'panic: out of luck')
  await machine.clock.advance(2 * HOUR)

  expect(orders(machine)).toBe(1 + 3 * 2)
  expect(machine.status).toMatchObject({ phase: 'Failed', active: digest, error: { reason: 'RebootedInVain' } })
})

test('agent counts the reboots in vain anew for a fix that was being fetched meanwhile, and applied after them', async () => {
  const { machine, digest } = await rebootedForward(() => false)
  await machine.untilDigest(digest, 'Applied')
  const host = JSON.stringify({ bootParameters: 'quiet tried' })
  const fix = machine.assign({ flags: '--v=4', host }, { GRANT: 'reboot' })
  const [name = '', data = {}] = [...machine.node.configMaps].find(([, map]) => map['kubelet-flags'] === '--v=4') ?? []
  machine.node.configMaps.delete(name)
  machine.host.injectCrash(({ args }) => (args.includes('--v=4') ? undefined : 'panic: out of luck'))
  await machine.clock.advance(2 * HOUR)
  expect(orders(machine)).toBe(1 + 3 * 2)
  machine.node.configMaps.set(name, data)
  await machine.untilDigest(fix, 'Applied')
  machine.host.injectCrash(({ args }) => (args.includes('--v=2') ? undefined : 'panic: out of luck'))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ phase: 'RolledBack', digest: fix })
  expect(orders(machine)).toBe(1 + 3 * 2 + 1)
})
