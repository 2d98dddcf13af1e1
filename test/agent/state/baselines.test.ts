import { expect, test } from 'vitest'
import { createContext } from '../../../src/agent/context.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import { rebase } from '../../../src/agent/state/rebase.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const CONFIG = '/var/lib/kubelet/config.yaml'
const memory = '/var/lib/nodewave'
const motd = (content: string) => JSON.stringify({ files: [{ path: '/etc/motd', content }] })
const kubeletConfig = (fields: string) => `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${fields}`

async function configured(config = 'maxPods: 120\n') {
  const machine = new Machine()
  machine.start()
  machine.assign({ config })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  return machine
}

test('agent lays a configuration over that of the cluster which the node joined last', async () => {
  const machine = new Machine()
  machine.host.files.put(CONFIG, kubeletConfig('clusterDNS: [10.96.0.10]\n'))
  machine.start()
  machine.assign({ config: 'maxPods: 120\n' })
  await machine.until('Applied')
  await machine.clock.advance(20 * MINUTE)
  const joined = kubeletConfig('clusterDNS: [10.200.0.10]\n')
  machine.host.files.put(CONFIG, joined)
  await machine.host.services.restart('kubelet.service')
  machine.node.registerAgain('u2')
  await machine.clock.advance(20 * MINUTE)
  await machine.untilDigest(machine.assign({ config: 'maxPods: 130\n' }), 'Applied')

  expect(machine.host.files.text(CONFIG)).toBe(kubeletConfig('clusterDNS:\n  - 10.200.0.10\nmaxPods: 130\n'))
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text(CONFIG)).toBe(joined)
})

test.each([
  ['is gone', (machine: Machine, path: string) => machine.host.files.remove(path)],
  ['was changed', (machine: Machine, path: string) => machine.host.files.put(path, kubeletConfig('clusterDNS: []\n'))],
])('agent reports Failed and leaves the host as it is when a baseline %s', async (_, damage) => {
  const machine = await configured()
  const before = machine.host.files.text(CONFIG)
  const contents = `${memory}/local/files`
  for (const name of await machine.host.files.list(contents)) await damage(machine, `${contents}/${name}`)
  machine.assign({ config: 'maxPods: 130\n' })

  expect((await machine.until('Failed')).error).toMatchObject({ reason: 'BaselineDamaged' })
  expect(machine.host.files.text(CONFIG)).toBe(before)
  machine.annotate(null)
  await machine.clock.advance(MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Failed', error: { reason: 'BaselineDamaged' } })
  expect(machine.host.files.text(CONFIG)).toBe(before)
})

test.each([
  ['is gone', undefined, 'BaselinesMissing'],
  ['is not JSON', '{"files":[', 'BaselinesUnreadable'],
  ['was changed', (text: string) => text.replace('"mode":420', '"mode":511'), 'BaselinesUnreadable'],
])('agent reports Failed and leaves the host as it is when the index of baselines %s', async (_, damage, reason) => {
  const machine = await configured()
  const before = machine.host.files.text(CONFIG)
  const path = `${memory}/local/index.json`
  const text = machine.host.files.text(path) ?? ''
  if (damage === undefined) await machine.host.files.remove(path)
  else machine.host.files.put(path, typeof damage === 'string' ? damage : damage(text))
  machine.assign({ config: 'maxPods: 130\n' })

  expect((await machine.until('Failed')).error).toMatchObject({ reason })
  expect(machine.host.files.text(CONFIG)).toBe(before)
})

test('agent goes on from the host as it is when baselines were damaged and somebody ran rebase', async () => {
  const machine = await configured()
  const contents = `${memory}/local/files`
  for (const name of await machine.host.files.list(contents)) await machine.host.files.remove(`${contents}/${name}`)
  const digest = machine.assign({ config: 'maxPods: 130\n' })
  await machine.until('Failed')
  machine.kill()
  expect(await rebase(createContext(machine.host.process(machine.node).ports, DEFAULT_OPTIONS))).toEqual([CONFIG])
  machine.start()
  await machine.untilDigest(digest, 'Applied')

  expect(machine.host.files.text(CONFIG)).toContain('maxPods: 130')
  expect(machine.host.files.text(CONFIG)).toContain('cgroupDriver: systemd')
})

test('agent that lost track of what is active still knows what the host had before', async () => {
  const machine = new Machine()
  machine.start()
  machine.host.files.put('/etc/motd', 'the machine\n')
  machine.assign({ host: motd('ours\n') })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  for (const damage of ['', undefined]) {
    machine.kill()
    if (damage === undefined) await machine.host.files.remove(`${memory}/meta/active`)
    else machine.host.files.put(`${memory}/meta/active`, damage)
    machine.start()
    await machine.clock.advance(MINUTE)
    expect(machine.status?.error?.reason).toBe('ActiveUnreadable')
    await machine.untilDigest(machine.assign({ host: motd(`ours ${damage}\n`) }), 'Applied')
    expect(machine.status).not.toHaveProperty('error')
  }
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text('/etc/motd')).toBe('the machine\n')
})

test('agent returns to the kubelet that a package manager brought since, not to an older one', async () => {
  const machine = new Machine({ version: '1.34.0' })
  machine.start()
  machine.assign({ version: '1.36.1', flags: '--v=2', host: JSON.stringify({ kubelet: machine.release('1.36.1') }) })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put('/usr/bin/kubelet', 'simulated kubelet v1.36.5\n')
  await machine.host.services.restart('kubelet.service')
  await machine.clock.advance(11 * MINUTE)
  expect(machine.status?.drift).toEqual(['/usr/bin/kubelet'])
  await machine.untilDigest(machine.assign({ flags: '--v=2' }), 'Applied')

  expect(machine.host.services.healthyVersion()).toBe('v1.36.5')
})

test('agent gives back what somebody wrote into a managed file since, once it is not managed any more', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'welcome\n')
  machine.start()
  await machine.untilDigest(machine.assign({ host: motd('ours\n') }), 'Applied')
  machine.host.files.put('/etc/motd', 'theirs\n')
  await machine.clock.advance(6 * MINUTE)
  expect(machine.host.files.text('/etc/motd')).toBe('ours\n')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text('/etc/motd')).toBe('theirs\n')
})

test('agent applies its configuration once more, over what kubeadm wrote, when kubeadm rewrites the file', async () => {
  const machine = await configured()
  const upgraded = kubeletConfig('clusterDNS:\n  - 10.96.0.10\nclusterDomain: new.local\n')
  machine.host.files.put(CONFIG, upgraded)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.status).not.toHaveProperty('drift')
  expect(machine.host.files.text(CONFIG)).toBe(`${upgraded}maxPods: 120\n`)
  expect((await machine.host.services.show('kubelet.service')).mainPid).not.toBe(mainPid)
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text(CONFIG)).toBe(upgraded)
})

test('agent does not restart the kubelet for ever when somebody keeps writing the same over its configuration', async () => {
  const machine = await configured()
  const theirs = kubeletConfig('clusterDomain: puppet.local\n')
  const pids = new Set<number>()
  for (let times = 0; times < 6; times++) {
    machine.host.files.put(CONFIG, theirs)
    await machine.clock.advance(30 * MINUTE)
    pids.add((await machine.host.services.show('kubelet.service')).mainPid)
  }

  expect(pids.size).toBe(1)
  expect(machine.status).toMatchObject({ phase: 'Applied', drift: [CONFIG] })
})

test('agent waits for a grant when what others wrote would need a restart that was not granted', async () => {
  const machine = await configured()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.assign({ config: 'maxPods: 120\n' }, { GRANT: 'none' })
  await machine.until('Applied')
  machine.host.files.put(CONFIG, kubeletConfig('clusterDomain: new.local\n'))
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Blocked', needs: 'restart' })
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('agent of a pool asks for a turn before it restarts the kubelet over what kubeadm wrote, and takes it when it is given', async () => {
  const machine = await configured()
  machine.assign({ config: 'maxPods: 120\n' }, { POOL: 'workers', ASSIGNED: '2026-11-21T08:00:00.000Z' })
  await machine.until('Applied')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const upgraded = kubeletConfig('clusterDNS:\n  - 10.96.0.10\nclusterDomain: new.local\n')
  machine.host.files.put(CONFIG, upgraded)
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status).toMatchObject({
    phase: 'Blocked',
    needs: 'restart',
    drift: [CONFIG],
    error: { reason: 'ChangedByOthers', message: expect.stringContaining(CONFIG) },
  })
  await machine.clock.advance(24 * 60 * MINUTE)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  machine.assign({ config: 'maxPods: 120\n' }, { POOL: 'workers', ASSIGNED: '2026-11-22T09:00:00.000Z' })

  expect(await machine.until('Applied')).not.toHaveProperty('drift')
  expect(machine.host.files.text(CONFIG)).toBe(`${upgraded}maxPods: 120\n`)
})

test('agent of a pool that asks for a turn needs none any more when the others put their change back', async () => {
  const machine = await configured()
  machine.assign({ config: 'maxPods: 120\n' }, { POOL: 'workers' })
  await machine.until('Applied')
  const before = machine.host.files.text(CONFIG) ?? ''
  machine.host.files.put(CONFIG, kubeletConfig('clusterDomain: new.local\n'))
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status?.phase).toBe('Blocked')
  machine.host.files.put(CONFIG, before)
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.status).not.toHaveProperty('needs')
})

test('agent whose last-known-good cannot be read reports Failed, and does not go back to years ago', async () => {
  const machine = new Machine({ version: '1.30.0' })
  machine.start()
  const good = machine.assign({ version: '1.36.1', host: JSON.stringify({ kubelet: machine.release('1.36.1') }) })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.untilDigest(bad, 'Applied')
  machine.host.files.put(`${memory}/checkpoints/${good.replace(':', '-')}/content.json`, '')
  machine.host.injectCrash((launch) => (launch.version === 'v1.36.3' ? 'panic: no' : undefined))

  expect((await machine.until('RolledBack', 'Failed')).error?.message).toMatch(/it cannot be rolled back, since the checkpoint/)
  expect(machine.status).toMatchObject({ phase: 'Failed', active: bad })
  expect(machine.host.files.text('/usr/bin/kubelet')).toBe('simulated kubelet v1.36.3\n')
})
