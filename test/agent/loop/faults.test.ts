import { expect, test } from 'vitest'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { Machine } from '../support/machine.ts'
import { forbidden, MINUTE } from './some-faults.ts'

const BAD = '--container-runtime-endpoint=unix:///not/there.sock'

test('agent that starts again does not try again what failed, and writes nothing', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: BAD })
  await machine.until('RolledBack')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const patches = machine.node.patches.length
  for (let times = 0; times < 3; times++) {
    machine.kill()
    machine.start()
    await machine.clock.advance(10 * MINUTE)
  }

  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  expect(machine.node.patches).toHaveLength(patches)
  expect(machine.status).toMatchObject({ digest, phase: 'RolledBack' })
})

test('agent tries a failed configuration once more when it is assigned again', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: BAD }, { ASSIGNED: '2026-01-01T00:00:00Z' })
  const first = await machine.until('RolledBack')
  await machine.clock.advance(MINUTE)
  machine.assign({ flags: BAD }, { ASSIGNED: '2026-01-01T01:00:00Z' })
  await machine.clock.runUntil(() => machine.status?.phase === 'RolledBack' && machine.status.since !== first.since)

  expect(machine.status?.error?.reason).toBe('HealthCheckFailed')
})

test('agent drops a download when something newer is assigned, and applies that', async () => {
  const machine = new Machine({ durations: { download: 10 * MINUTE } })
  machine.start()
  machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.clock.advance(MINUTE)
  const newer = machine.assign({ flags: '--v=4' })
  const assignedAt = machine.clock.elapsed()
  await machine.untilDigest(newer, 'Applied')

  expect(machine.clock.elapsed() - assignedAt).toBeLessThan(10_000)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test('agent that is told to drop a download, and to be what it is already, shows what it is', async () => {
  const machine = new Machine({ durations: { download: 10 * MINUTE } })
  machine.start()
  const first = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(first, 'Applied')
  const second = machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.untilDigest(second, 'Applying')
  machine.assign({ flags: '--v=3' })
  await machine.clock.advance(MINUTE)

  expect(machine.status).toMatchObject({ digest: first, phase: 'Applied' })
})

test('agent whose first assignment is taken back while it downloads does not go on to show that it applies', async () => {
  const machine = new Machine({ durations: { download: 10 * MINUTE } })
  machine.start()
  machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.until('Applying')
  await machine.clock.advance(MINUTE)
  machine.annotate(null)
  await machine.clock.advance(MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Reverted' })
  expect(machine.status).not.toHaveProperty('assigned')
})

test('agent takes back its first report, whenever it dies and the assignment is removed before it is back', async () => {
  let reported = 0
  for (let effect = 1; effect <= 14; effect++) {
    const machine = new Machine()
    machine.assign({ flags: '--v=3' })
    const agent = machine.start({ afterEffect: effect })
    await machine.clock.runUntil(() => agent.dead)
    machine.kill()
    if (machine.status?.phase === 'Applying') reported++
    machine.annotate(null)
    machine.start()
    await machine.clock.advance(MINUTE)
    expect([undefined, 'Reverted'], `dead after effect ${effect}`).toContain(machine.status?.phase)
  }
  expect(reported).toBeGreaterThan(2)
})

test('agent finishes what it has begun before it takes up what is assigned meanwhile', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: BAD })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('not/there') ?? false)
  const newer = machine.assign({ flags: '--v=4' })
  await machine.untilDigest(newer, 'Applied')

  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=4"\n')
})

test.each(['EIO', 'ENOSPC'] as const)(
  'agent says so and leaves the node as it is when the disk answers %s, and goes on when it works again',
  async (code) => {
    const machine = new Machine()
    machine.start()
    await machine.clock.advance(5000)
    const before = machine.hostFiles()
    machine.host.faults.disk = code
    const digest = machine.assign({ flags: '--v=3' })

    const status = await machine.until('Staging')

    expect(status.error?.message).toMatch(new RegExp(`^failed to sync: internal failure: ${code}: `))
    expect(machine.hostFiles()).toEqual(before)
    machine.host.faults.disk = undefined
    expect(await machine.until('Applied')).toMatchObject({ digest })
  },
)

test('agent puts the host back once the disk works again when it broke in the middle of a change', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  machine.assign({ flags: BAD, config: 'maxPods: 9\n' })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('not/there') ?? false)
  machine.host.faults.disk = 'EIO'
  await machine.clock.advance(MINUTE)
  machine.host.faults.disk = undefined

  await machine.clock.advance(5 * MINUTE)
  expect(machine.status?.error?.reason).toBe('HealthCheckFailed')
  expect(machine.hostFiles()).toEqual(before)
})

test('agent gives up an assignment that takes the machine down three times', async () => {
  const machine = new Machine()
  const digest = machine.assign({ flags: '--v=3' })
  for (let times = 0; times < 3; times++) {
    const process = machine.start({ after: { method: 'writeAtomic', subject: '/etc/default/kubelet' } })
    await machine.clock.runUntil(() => process.dead)
    machine.host.powerOff()
    machine.kill()
    await machine.clock.advance(MINUTE)
    machine.host.powerOn()
  }
  machine.start()

  expect(await machine.until('RolledBack')).toMatchObject({ digest, attempts: 3, error: { reason: 'Interrupted' } })
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
})

test('agent is not led astray when the clock jumps', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('--v=3') ?? false)
  machine.clock.jump(-365 * 24 * 60 * MINUTE)
  await machine.clock.advance(500)
  machine.clock.jump(2 * 365 * 24 * 60 * MINUTE)

  expect(await machine.until('Applied')).toMatchObject({ digest })
})

test('agent rolls back when the Node that was Ready does not become so again', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('--v=3') ?? false)
  await machine.clock.advance(1000)
  machine.node.kubeletTold({ ready: false, kubeletVersion: undefined })

  expect((await machine.until('RolledBack')).error?.message).toBe('failed to validate config: the Node is not Ready')
})

test('agent does not blame a change for a Node that was not Ready before it', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  machine.node.kubeletTold({ ready: false, kubeletVersion: undefined })
  machine.assign({ host: JSON.stringify({ files: [{ path: '/etc/cni/net.d/10.conf', content: '{}' }] }) })

  expect((await machine.until('Applied')).error).toBeUndefined()
})

test('agent asks for a person when the host cannot be put back, and loses no original over it', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  await machine.clock.advance(5000)
  machine.assign({ flags: '--v=3', config: 'maxPods: 9\n' })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('--v=3') ?? false)
  machine.host.injectCrash(() => 'panic: bad memory')

  const status = await machine.until('Failed')

  expect(status.error?.message).toBe(
    'failed to validate config: kubelet exited 3 times: bad memory; the change was undone, and the host is not healthy yet: failed to validate config: kubelet exited 3 times: bad memory',
  )
  machine.host.injectCrash(() => undefined)
  await machine.untilDigest(machine.assign({ flags: '--v=4' }), 'Applied')
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.hostFiles()).toEqual(before)
})

test.each([
  ['is not JSON', 'not json', 'Failed'],
  ['names what is not there', '{"KUBELET_CONFIG":"missing"}', 'Fetching'],
])('agent that could not put a file back keeps its original over an annotation that %s', async (_, text, phase) => {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'welcome\n')
  const before = machine.hostFiles()
  machine.start()
  await machine.clock.advance(5000)
  const { restore } = MemoryFiles.prototype
  machine.host.files.restore = () => Promise.reject(new Error('EIO: i/o error'))
  machine.assign({ flags: BAD, host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n' }] }) })
  const { error } = await machine.until('Failed')
  machine.host.files.restore = restore
  machine.annotate(text)
  await machine.clock.runUntil(() => machine.status?.error?.message !== error?.message)
  expect(machine.status?.phase).toBe(phase)
  const content = { flags: '--v=3', host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'other\n' }] }) }
  await machine.untilDigest(machine.assign(content), 'Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
})

test('agent that could not put a file back leaves it to its owner again once something was applied', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'welcome\n')
  machine.start()
  await machine.clock.advance(5000)
  const withMotd = (flags: string) => ({ flags, host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n' }] }) })
  const { restore } = MemoryFiles.prototype
  machine.host.files.restore = () => Promise.reject(new Error('EIO: i/o error'))
  machine.assign(withMotd(BAD))
  await machine.until('Failed')
  machine.host.files.restore = restore
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
  expect(machine.host.files.text('/etc/motd')).toBe('welcome\n')
  machine.host.files.put('/etc/motd', 'new owner\n')
  await machine.untilDigest(machine.assign(withMotd('--v=3')), 'Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text('/etc/motd')).toBe('new owner\n')
})

test('agent asks at ever longer pauses for what it may not read, and not in step with others', async () => {
  const stories = [() => 0.5, () => 0.1, () => 0.9].map(forbidden)
  for (const { machine } of stories) await machine.clock.advance(130_000)

  expect(stories.map(({ askedAt }) => askedAt)).toEqual([
    [0, 1, 3, 7, 15, 31, 63, 123],
    [0, 0, 1, 4, 9, 18, 37, 73, 109],
    [0, 1, 4, 9, 21, 43, 88],
  ])
})
