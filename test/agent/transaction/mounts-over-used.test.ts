import { expect, test } from 'vitest'
import type { HostUnit } from '../../../src/protocol/host-document.ts'
import { Machine } from '../support/machine.ts'

const MOUNT = '[Mount]\nWhat=/dev/sdb\nWhere=/x\n[Install]\nWantedBy=local-fs.target\n'

async function refusedWith(unit: HostUnit) {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  machine.assign({ flags: '--v=3', host: JSON.stringify({ units: [unit] }) })
  const { error } = await machine.until('Applied', 'RolledBack', 'Failed')
  expect(machine.hostFiles()).toEqual(before)
  return error
}

test.each([
  ['var-lib-nodewave.mount', '/var/lib/nodewave'],
  ['var-lib.mount', '/var/lib/nodewave'],
  ['var.automount', '/var/lib/nodewave'],
  ['-.mount', '/var/lib/nodewave'],
  ['run-nodewave.mount', '/run/nodewave'],
  ['etc.mount', '/etc/nodewave'],
  ['var-lib-kubelet.mount', '/var/lib/kubelet'],
  ['etc-kubernetes.mount', '/etc/kubernetes'],
])('agent refuses %s, which would hide %s from whoever starts next', async (name, hidden) => {
  for (const how of [{ state: 'running' as const }, { enabled: true }])
    expect(await refusedWith({ name, content: MOUNT, ...how })).toEqual({
      reason: 'UnitNotAllowed',
      message: `failed to validate config: mount "${name}": it would hide "${hidden}", which is in use; mount it before the machine becomes a node, as by its image or cloud-init`,
    })
})

test.each(['var-lib-nodewave\\x2ddata.mount', 'var-lib-containerd.mount', 'srv.mount', 'var-lib-kubelet-plugins.mount'])(
  'agent applies %s, which hides nothing that it knows to be in use',
  async (name) => {
    const machine = new Machine()
    machine.start()
    const digest = machine.assign({ host: JSON.stringify({ units: [{ name, content: MOUNT, state: 'running' }] }) })

    expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
  },
)

test('agent takes over a mount that holds its state already', async () => {
  const machine = new Machine({ units: ['containerd.service', 'var-lib.mount'] })
  machine.host.files.put('/etc/systemd/system/var-lib.mount', MOUNT)
  await machine.host.services.start('var-lib.mount')
  machine.start()
  const units = [{ name: 'var-lib.mount', content: MOUNT, enabled: true, state: 'running' }]
  const digest = machine.assign({ host: JSON.stringify({ units }) })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})

test('agent of a machine that is no node yet lets it have a disk for its kubelet', async () => {
  const machine = new Machine({ layout: 'bare', units: [] })
  machine.host.files.put('/etc/kubernetes/kubelet.conf', 'credential\n', { mode: 0o600 })
  machine.host.files.put('/var/lib/dpkg/status', '')
  machine.start()
  const host = JSON.stringify({
    kubelet: { layout: 'managed', ...machine.release('1.36.3') },
    units: [{ name: 'var-lib-kubelet.mount', content: MOUNT, state: 'running' }],
  })
  const digest = machine.assign({ version: '1.36.3', config: 'clusterDNS: [10.96.0.10]\n', host })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})
