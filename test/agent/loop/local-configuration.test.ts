import { expect, test } from 'vitest'
import type { HostDocument } from '../../../src/protocol/host-document.ts'
import { Machine } from '../support/machine.ts'

const host = (document: HostDocument): string => JSON.stringify(document)

test('agent does not restart the kubelet when it adopts a node that already is as assigned', async () => {
  const machine = new Machine()
  await machine.clock.advance(5000)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ version: '1.35.4', config: 'clusterDomain: cluster.local\nrotateCertificates: true\n' })
  await machine.until('Applied')

  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  expect(machine.hostFiles()).toEqual(before)
  expect(machine.node.patches).toHaveLength(1)
})

test('agent keeps flags that somebody else put into KUBELET_EXTRA_ARGS in front of its own', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/default/kubelet', '# mine\nKUBELET_EXTRA_ARGS="--node-ip=10.0.0.7"\n')
  machine.start()
  const first = machine.assign({ flags: '--v=3', opts: '--max-pods=60' })
  await machine.untilDigest(first, 'Applied')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe(
    '# mine\nKUBELET_EXTRA_ARGS="--node-ip=10.0.0.7 --v=3 --max-pods=60"\n',
  )
  const second = machine.assign({ flags: '--v=5' })
  await machine.untilDigest(second, 'Applied')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('# mine\nKUBELET_EXTRA_ARGS="--node-ip=10.0.0.7 --v=5"\n')
})

test("agent leaves kubeadm's own flags alone, unless told to write there", async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3', host: host({ kubelet: { flagsFile: 'kubeadm-flags' } }) })
  await machine.until('Applied')

  expect(machine.host.files.text('/var/lib/kubelet/kubeadm-flags.env')).toBe(
    'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock --v=3"\n',
  )
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
})

test('agent finds the file of KUBELET_EXTRA_ARGS where the unit of an rpm package reads it', async () => {
  const machine = new Machine()
  machine.host.files.put(
    '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf',
    '[Service]\nEnvironmentFile=-/etc/sysconfig/kubelet\n',
  )
  machine.start()
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')

  expect(machine.host.files.text('/etc/sysconfig/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text('/etc/sysconfig/kubelet')).toBeUndefined()
})

test('agent replaces the whole configuration file in mode full, and gives it back when the mode is overlay again', async () => {
  const machine = new Machine()
  machine.start()
  const full = machine.assign({ config: 'maxPods: 9\n', host: host({ kubelet: { configMode: 'full' } }) })
  await machine.untilDigest(full, 'Applied')
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toBe(
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 9\n',
  )
  const overlay = machine.assign({ config: 'maxPods: 9\n' })
  await machine.untilDigest(overlay, 'Applied')
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toContain('clusterDNS:\n  - 10.96.0.10\n')
})

test('agent gives back every byte, mode and owner, and removes what was new, when the annotation is removed', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'welcome\n', { mode: 0o600, uid: 7, gid: 8 })
  machine.host.files.put('/etc/old', 'old\n', { mode: 0o640, gid: 8 })
  const before = machine.hostFiles()
  machine.start()
  machine.assign({
    version: '1.36.3',
    flags: '--v=3',
    config: 'maxPods: 50\n',
    host: host({
      kubelet: machine.release('1.36.3'),
      files: [
        { path: '/etc/motd', content: 'hello\n', mode: '0644', owner: 'kube', group: 'kube' },
        { path: '/etc/new/file', contentBase64: 'AAEC' },
        { path: '/etc/old', state: 'absent' },
      ],
      units: [{ name: 'tuned.service', content: '[Service]\n[Install]\n', enabled: true, state: 'running' }],
    }),
  })
  await machine.until('Applied')
  expect(machine.hostFiles()['/etc/motd']).toBe('644 992:991 hello\n')
  expect(machine.hostFiles()['/etc/old']).toBeUndefined()
  expect(await machine.host.services.show('tuned.service')).toMatchObject({ enabled: true, active: 'active' })
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
  expect(await machine.host.services.show('tuned.service')).toMatchObject({ enabled: false, active: 'inactive' })
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
  expect(machine.host.files.text('/var/lib/nodewave/local/index.json')).toBeUndefined()
})

test('agent puts back a file that the next configuration does not name, and restarts nothing for it', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'welcome\n')
  machine.start()
  const first = machine.assign({ flags: '--v=3', host: host({ files: [{ path: '/etc/motd', content: 'hello\n' }] }) })
  await machine.untilDigest(first, 'Applied')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const second = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(second, 'Applied')

  expect(machine.host.files.text('/etc/motd')).toBe('welcome\n')
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('agent takes a file as it is now when it becomes managed again', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'one\n')
  const managed = host({ files: [{ path: '/etc/motd', content: 'ours\n' }] })
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=3', host: managed }), 'Applied')
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
  machine.host.files.put('/etc/motd', 'two\n')
  await machine.untilDigest(machine.assign({ flags: '--v=4', host: managed }), 'Applied')
  await machine.untilDigest(machine.assign({ flags: '--v=4' }), 'Applied')

  expect(machine.host.files.text('/etc/motd')).toBe('two\n')
})
