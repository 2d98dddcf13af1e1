import { expect, test } from 'vitest'
import { Machine, type MachineOptions } from '../support/machine.ts'

const MINUTE = 60_000
const BAD = 'bad\n'
const CONTAINERD = '/etc/containerd/config.toml'

/** A host with a commit that held its trial. */
async function settled(options: MachineOptions = {}): Promise<{ readonly machine: Machine; readonly good: string }> {
  const machine = new Machine(options)
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  return { machine, good }
}

test('agent undoes a flag by which the kubelet reports to another Node, though healthz is fine and its own Node still Ready', async () => {
  const { machine, good } = await settled()
  const assignedAt = machine.clock.elapsed()
  const deadly = machine.assign({ flags: '--hostname-override=wrong-name' })

  const status = await machine.until('Applied', 'RolledBack', 'Failed').then(() => machine.until('RolledBack', 'Failed'))

  expect(status).toMatchObject({ phase: 'RolledBack', digest: deadly, active: good, lastKnownGood: good })
  expect(status.error?.message).toContain('the kubelet has not reported to Node "a" since its start')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=2"\n')
  expect(machine.clock.elapsed() - assignedAt).toBeLessThan(2 * MINUTE)
})

test('agent undoes such a flag also when the API server was away until its trial', async () => {
  const { machine, good } = await settled()
  machine.assign({ flags: '--hostname-override=wrong-name' })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('wrong-name') ?? false)
  machine.host.faults.network = 'lost'
  await machine.clock.advance(50_000)
  expect(machine.host.files.text('/etc/default/kubelet')).toContain('wrong-name')
  machine.host.faults.network = undefined

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ phase: 'RolledBack', active: good })
})

test('agent goes back when the Node goes bad during the trial and the kubelet itself is fine', async () => {
  const { machine, good } = await settled()
  const digest = machine.assign({ flags: '--node-ip=10.9.9.9' })
  await machine.untilDigest(digest, 'Applied')
  await machine.clock.advance(MINUTE)
  machine.node.kubeletTold({ ready: false, kubeletVersion: undefined })
  const since = machine.clock.elapsed()

  const status = await machine.until('RolledBack', 'Failed')

  expect(status).toMatchObject({ phase: 'RolledBack', digest, active: good, error: { reason: 'TrialFailed' } })
  expect(status.error?.message).toContain('the Node is not Ready')
  expect(machine.clock.elapsed() - since).toBeLessThan(2 * MINUTE)
})

test('agent does not end a trial well while the API server is away, and does when it is back', async () => {
  const { machine, good } = await settled()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(digest, 'Applied')
  machine.host.faults.network = 'lost'
  await machine.clock.advance(30 * MINUTE)
  expect(machine.host.files.text('/var/lib/nodewave/meta/last-known-good')).toBe(`${good}\n`)
  machine.host.faults.network = undefined
  await machine.clock.advance(MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/last-known-good')).toBe(`${digest}\n`)
})

test('agent reports that a configuration held its trial', async () => {
  const { machine, good } = await settled()

  expect(machine.status).toMatchObject({ phase: 'Applied', digest: good, lastKnownGood: good })
})

/** containerd, which dies again and again with one content of its file. */
function loopOn(machine: Machine, state: () => object): void {
  const { services, files } = machine.host
  const show = services.show.bind(services)
  const isBad = (): boolean => files.text(CONTAINERD) === BAD
  services.show = async (unit) => ({ ...(await show(unit)), ...(unit === 'containerd.service' && isBad() ? state() : {}) })
}

const runtimeFile = (content: string) => ({
  host: JSON.stringify({
    files: [{ path: CONTAINERD, content }],
    units: [{ name: 'containerd.service', restartOn: [CONTAINERD] }],
  }),
})

test('agent undoes a change after which another unit that it restarted crash-loops', async () => {
  const machine = new Machine()
  machine.host.files.put(CONTAINERD, 'good\n')
  let pid = 5000
  loopOn(machine, () => ({ active: 'active', mainPid: pid++, runningFor: 10, restarts: 4 }))
  machine.start()
  const digest = machine.assign(runtimeFile(BAD))

  const status = await machine.until('Applied', 'RolledBack', 'Failed')

  expect(status).toMatchObject({ phase: 'RolledBack', digest, error: { reason: 'HealthCheckFailed' } })
  expect(status.error?.message).toContain('containerd.service exited 3 times')
  expect(machine.host.files.text(CONTAINERD)).toBe('good\n')
})

test('agent goes back when another unit that it restarted begins to crash during the trial', async () => {
  const machine = new Machine()
  machine.host.files.put(CONTAINERD, 'good\n')
  machine.start()
  const digest = machine.assign(runtimeFile(BAD))
  await machine.untilDigest(digest, 'Applied')
  await machine.clock.advance(MINUTE)
  loopOn(machine, () => ({ active: 'activating', mainPid: 0, runningFor: 0, lastExit: 1 }))

  const status = await machine.until('RolledBack', 'Failed')

  expect(status.error?.message).toContain('containerd.service went bad during its trial: containerd.service is activating')
  expect(machine.host.files.text(CONTAINERD)).toBe('good\n')
})

/** CRI-O, which does not start with one content of its file, and stays dead. */
function crio(machine: Machine, dead: 'failed' | 'inactive' = 'failed'): void {
  const { services, files } = machine.host
  const real = {
    restart: services.restart.bind(services),
    show: services.show.bind(services),
    words: services.lastWords.bind(services),
  }
  let isDead = false
  services.restart = async (unit) => {
    if (unit === 'crio.service') isDead = files.text('/etc/crio/crio.conf') === BAD
    if (unit === 'crio.service' && isDead) throw new Error('systemctl restart crio.service: exit 1: Job for crio.service failed')
    return real.restart(unit)
  }
  services.show = async (unit) => {
    const isGone = unit === 'crio.service' && isDead
    return { ...(await real.show(unit)), ...(isGone ? { active: dead, mainPid: 0, runningFor: 0, lastExit: 1 } : {}) }
  }
  services.lastWords = async (unit, since) =>
    unit === 'crio.service' ? ['crio: unknown key "bad" in crio.conf'] : real.words(unit, since)
}

const crioFile = (content: string) => ({
  host: JSON.stringify({
    files: [{ path: '/etc/crio/crio.conf', content }],
    units: [{ name: 'crio.service', restartOn: ['/etc/crio/crio.conf'] }],
  }),
})

test('agent starts a unit again that did not start with the new file, and says why it did not', async () => {
  const machine = new Machine({ units: ['crio.service'] })
  crio(machine)
  machine.host.files.put('/etc/crio/crio.conf', 'good\n')
  machine.start()
  machine.assign(crioFile(BAD))

  const status = await machine.until('Applied', 'RolledBack', 'Failed')

  expect(status).toMatchObject({ phase: 'RolledBack' })
  expect(status.error).toEqual({
    reason: 'UnitNotStarted',
    message: 'failed to validate config: crio.service did not start: crio: unknown key "bad" in crio.conf',
  })
  expect((await machine.host.services.show('crio.service')).active).toBe('active')
})

test('agent starts a unit that has failed when its file changes', async () => {
  const machine = new Machine({ units: ['crio.service'] })
  crio(machine)
  machine.host.files.put('/etc/crio/crio.conf', BAD)
  await machine.host.services.restart('crio.service').catch(() => {})
  machine.start()
  machine.assign(crioFile('good\n'))
  await machine.until('Applied')

  expect((await machine.host.services.show('crio.service')).active).toBe('active')
})

test('agent starts a unit again that ran before and has ended without a failure since', async () => {
  const machine = new Machine({ units: ['crio.service'] })
  crio(machine, 'inactive')
  machine.host.files.put('/etc/crio/crio.conf', 'good\n')
  machine.start()
  machine.assign(crioFile(BAD))
  await machine.until('RolledBack')

  expect((await machine.host.services.show('crio.service')).active).toBe('active')
})

test('agent waits for what a kubelet that was not restarted finds out about its network', async () => {
  const { machine } = await settled()
  const path = '/etc/cni/net.d/00-net.conflist'
  const digest = machine.assign({ flags: '--v=2', host: JSON.stringify({ files: [{ path, content: '{{{' }] }) })
  await machine.clock.runUntil(() => machine.host.files.text(path) !== undefined)
  await machine.clock.advance(10_000)
  machine.node.kubeletTold({ ready: false, kubeletVersion: undefined })

  const status = await machine.until('Applied', 'RolledBack').then(() => machine.until('RolledBack'))

  expect(status).toMatchObject({ digest, error: { reason: 'HealthCheckFailed' } })
  expect(status.error?.message).toContain('the Node is not Ready')
  expect(machine.host.files.text(path)).toBeUndefined()
})
