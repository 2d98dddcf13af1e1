import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { kubeletBinary } from '../../../src/sim/host/kubelet-launch.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import { Machine } from '../support/machine.ts'
import { URL } from './a-machine.ts'

const KEY = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----\n'

function kubelet(version: string, binary = version): PackageDefinition {
  return {
    name: 'kubelet',
    version: `${version}-1.1`,
    files: { '/usr/bin/kubelet': Buffer.from(kubeletBinary(binary)).toString(), '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=\n' },
    conffiles: ['/etc/default/kubelet'],
  }
}

/** A host whose kubelet apt installed, unless `byHand`. */
function aMachine({ byHand = false } = {}): Machine {
  const machine = new Machine({ version: '1.35.4' })
  machine.host.packages.offers.set(URL, [kubelet('1.35.4'), kubelet('1.36.3'), kubelet('1.36.4', '1.36.1')])
  if (!byHand) machine.host.packages.put(kubelet('1.35.4'), { held: true })
  return machine
}

function content(version: string, flags = '--v=3'): NodeContent {
  const repositories = [{ name: 'release-upstream', apt: { url: URL, suite: '/', key: KEY } }]
  const install = { layout: 'kubeadm', package: { manager: 'apt', name: 'kubelet', version: `${version}-1.1` } }
  return { version, flags, host: JSON.stringify({ kubelet: install, repositories }) }
}

test.each([
  ['that apt installed', false],
  ['that somebody put there', true],
])('kubelet %s goes up by its package, runs in the new version, and is held', async (_, byHand) => {
  const machine = aMachine({ byHand })
  machine.start()
  machine.assign(content('1.36.3'))
  await machine.until('Applied')

  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
  expect(await machine.host.packages.installed('kubelet')).toMatchObject({ version: '1.36.3-1.1', held: true })
  expect(machine.host.files.text('/etc/default/kubelet')).toContain('--v=3')
})

test.each([
  ['that apt installed', false],
  ['that somebody put there', true],
])('kubelet %s comes back when the one of the package crashes, with the repository gone', async (_, byHand) => {
  const machine = aMachine({ byHand })
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  machine.host.injectCrash(({ version }) => (version === 'v1.36.3' ? 'panic' : undefined))
  machine.start()
  machine.assign(content('1.36.3'))
  await machine.clock.runUntil(() => machine.host.files.text('/usr/bin/kubelet')?.includes('1.36.3') === true)
  machine.host.packages.offers.clear()
  await machine.until('RolledBack')

  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test('kubelet goes back by its package when Git does, with the repository gone, and to what the host had when nothing is assigned', async () => {
  const machine = aMachine()
  machine.start()
  await machine.untilDigest(machine.assign(content('1.35.4')), 'Applied')
  await machine.untilDigest(machine.assign(content('1.36.3')), 'Applied')
  await machine.clock.advance(20 * 60_000)
  machine.host.packages.offers.clear()
  await machine.untilDigest(machine.assign(content('1.35.4')), 'Applied')
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await machine.host.packages.installed('kubelet')).toMatchObject({ version: '1.35.4-1.1', held: true })
})

test('kubelet of a package that nobody held yet is judged where it is, and held', async () => {
  const machine = aMachine({ byHand: true })
  machine.host.packages.put(kubelet('1.35.4'), { held: false })
  machine.start()
  machine.assign(content('1.35.4'))
  await machine.until('Applied')

  expect(await machine.host.packages.installed('kubelet')).toMatchObject({ version: '1.35.4-1.1', held: true })
})

test('kubelet whose package is only held from now on goes on running, and needs no disruption', async () => {
  const machine = aMachine()
  await machine.host.packages.hold('kubelet', false)
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  await machine.untilDigest(machine.assign(content('1.35.4'), { GRANT: 'none' }), 'Applied')

  expect(await machine.host.packages.installed('kubelet')).toMatchObject({ version: '1.35.4-1.1', held: true })
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('kubelet of a package judges its flags before anything is disturbed', async () => {
  const machine = aMachine()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content('1.36.3', '--no-such-flag'))

  expect((await machine.until('RolledBack')).error).toMatchObject({ reason: 'PreflightFailed' })
  expect(machine.hostFiles()).toEqual(before)
})

test('package whose kubelet is of another version is refused', async () => {
  const machine = aMachine()
  await machine.clock.advance(5000)
  machine.start()
  machine.assign(content('1.36.4'))

  expect((await machine.until('RolledBack')).error).toMatchObject({ reason: 'VersionNotAvailable' })
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test.each(['dnf', 'zypper'])('kubelet of %s is refused where apt manages the packages', async (manager) => {
  const machine = aMachine()
  machine.start()
  const host = JSON.stringify({ kubelet: { package: { manager, name: 'kubelet', version: '1.36.3' } } })
  machine.assign({ version: '1.36.3', host })

  expect((await machine.until('RolledBack')).error).toMatchObject({ reason: 'UnsupportedHostResource' })
})
