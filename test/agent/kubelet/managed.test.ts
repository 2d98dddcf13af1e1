import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { BAD_FLAGS, expectSameEndAfterDeath, expectWholeOnFullDisk, hostOf } from '../support/kind-stories.ts'
import { Machine } from '../support/machine.ts'
import { aStaticPod } from '../support/static-pods.ts'

const CONFIG = 'clusterDNS: [10.96.0.10]\nstaticPodPath: /etc/kubernetes/manifests\n'

/** A machine with the credential that the agent has obtained, and nothing else. */
function bare(): Machine {
  const machine = new Machine({ layout: 'bare', units: [] })
  machine.host.files.put('/etc/kubernetes/kubelet.conf', 'credential\n', { mode: 0o600 })
  machine.host.files.put('/var/lib/dpkg/status', '')
  return machine
}

function content(machine: Machine, { version = '1.36.3', ...more }: Partial<NodeContent> = {}): NodeContent {
  const units = [
    {
      name: 'containerd.service',
      content: '[Service]\nExecStart=/usr/local/bin/containerd\n[Install]\nWantedBy=multi-user.target\n',
      enabled: true,
      state: 'running',
    },
  ]
  const host = JSON.stringify({ kubelet: { layout: 'managed', ...machine.release(version) }, units })
  return { version, flags: '--v=3', config: CONFIG, host, ...more }
}

test('managed layout brings a kubelet to a machine that has none, upgrades it, and takes it away again', async () => {
  const machine = bare()
  const before = await hostOf(machine)
  machine.start()
  await machine.untilDigest(machine.assign(content(machine)), 'Applied')
  const { files, units, directories } = await hostOf(machine)
  expect(units).toMatchObject({ 'kubelet.service': 'true true active', 'containerd.service': 'true true active' })
  expect(files['/etc/kubernetes/kubelet-flags.env']).toBe('644 0:0 KUBELET_FLAGS="--v=3"\n')
  expect(files['/etc/systemd/system/kubelet.service']).toContain(
    'ExecStart=/usr/bin/kubelet --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml $KUBELET_FLAGS\n',
  )
  expect(directories).toHaveProperty('/etc/kubernetes/manifests')
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')

  await machine.untilDigest(machine.assign(content(machine, { version: '1.36.4', flags: '--v=4' })), 'Applied')
  expect(machine.host.services.healthyVersion()).toBe('v1.36.4')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await hostOf(machine)).toEqual(before)
})

test('managed layout writes no file of flags where the assignment has none', async () => {
  const machine = bare()
  machine.start()
  const { flags: _, ...rest } = content(machine)
  await machine.untilDigest(machine.assign(rest), 'Applied')

  expect((await hostOf(machine)).files).not.toHaveProperty('/etc/kubernetes/kubelet-flags.env')
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
})

/** The first content of a machine that joins a control plane. */
function withStaticPod(machine: Machine, image: string): NodeContent {
  const first = content(machine)
  return {
    ...first,
    host: JSON.stringify({ ...JSON.parse(first.host ?? ''), staticPods: [aStaticPod({ name: 'kube-vip', image })] }),
  }
}

test('managed layout leaves a machine without a kubelet when a static pod of its first content cannot run', async () => {
  const machine = bare()
  const before = await hostOf(machine)
  machine.start()
  const { error } = await machine.untilDigest(machine.assign(withStaticPod(machine, 'broken')), 'RolledBack')

  expect(error?.reason).toBe('StaticPodNotReady')
  expect(await hostOf(machine)).toEqual(before)
})

test('managed layout starts the kubelet after everything else', async () => {
  const machine = bare()
  const started: string[] = []
  const { start } = machine.host.services
  machine.host.services.start = async (unit) => {
    started.push(unit)
    return start.call(machine.host.services, unit)
  }
  machine.start()
  await machine.untilDigest(machine.assign(content(machine)), 'Applied')

  expect(started).toEqual(['containerd.service', 'kubelet.service'])
})

test('managed layout puts a kubelet that somebody disabled in order again, and restarts it for another configuration', async () => {
  const machine = bare()
  machine.start()
  await machine.untilDigest(machine.assign(content(machine)), 'Applied')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  await machine.host.services.disable('kubelet.service')
  await machine.clock.advance(6 * 60_000)
  expect(await machine.host.services.show('kubelet.service')).toMatchObject({ enabled: true, mainPid })
  await machine.untilDigest(machine.assign(content(machine, { config: `${CONFIG}maxPods: 50\n` })), 'Applied')

  expect((await machine.host.services.show('kubelet.service')).mainPid).not.toBe(mainPid)
})

test('managed layout is refused without a configuration, and where a package installed the kubelet', async () => {
  const { config: _, ...without } = content(bare())
  const machine = bare()
  machine.start()
  machine.assign(without)
  expect((await machine.until('RolledBack')).error?.reason).toBe('KubeletConfigMissing')

  const packaged = new Machine()
  packaged.start()
  packaged.assign(content(packaged))
  expect((await packaged.until('RolledBack')).error?.reason).toBe('LayoutMismatch')
})

test('managed layout leaves the machine bare when the kubelet does not run', async () => {
  const machine = bare()
  const before = await hostOf(machine)
  machine.start()
  machine.assign(content(machine, { flags: '--no-such-flag' }))
  await machine.until('RolledBack')

  expect(await hostOf(machine)).toEqual(before)
})

test('managed layout whose first configuration goes bad in its trial leaves the machine bare, and takes the next one', async () => {
  const machine = bare()
  const before = await hostOf(machine)
  machine.start()
  await machine.untilDigest(machine.assign(content(machine)), 'Applied')
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
  await machine.until('RolledBack')
  expect(machine.status?.error?.reason).toBe('TrialFailed')
  expect(await hostOf(machine)).toEqual(before)
  await machine.untilDigest(machine.assign(content(machine, { flags: '--v=4' })), 'Applied')

  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
})

const scene = { machine: bare, content: (machine: Machine) => content(machine) }

test('managed layout comes to the same end when the agent or the machine dies after any effect', () =>
  expectSameEndAfterDeath(scene, { flags: '--v=3', phase: 'Applied' }))

test('managed layout is taken back when the kubelet crashes, also when the agent dies meanwhile', () =>
  expectSameEndAfterDeath(scene, { flags: BAD_FLAGS, phase: 'RolledBack', deaths: [{}] }))

test('managed layout is there whole, or not at all, when the disk is full from any effect on', () => expectWholeOnFullDisk(scene))
