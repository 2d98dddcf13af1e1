import { expect, test } from 'vitest'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { FakeNode } from '../support/fake-node.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
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

test('agent that loses the network while it applies keeps what works, and reports when the network is back', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/default/kubelet')?.includes('--v=3') ?? false)
  machine.host.faults.network = 'lost'
  await machine.clock.advance(5 * MINUTE)
  expect(machine.status?.phase).not.toBe('Applied')
  machine.host.faults.network = undefined

  expect(await machine.until('Applied')).toMatchObject({ digest })
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
})

test('agent that starts without an API server takes up what was interrupted, from its checkpoint', async () => {
  const machine = new Machine()
  const digest = machine.assign({ flags: '--v=3' })
  const process = machine.start({ afterEffect: 14 })
  await machine.clock.runUntil(() => process.dead)
  machine.kill()
  machine.host.faults.network = 'lost'
  machine.node.configMaps.clear()
  machine.start()
  await machine.clock.advance(MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${digest}\n`)
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
})

test('agent that starts without an API server leaves a node alone that is as assigned', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.kill()
  machine.host.faults.network = 'lost'
  const before = machine.hostFiles()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.start()
  await machine.clock.advance(20 * MINUTE)

  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
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

/** It goes on to take up assignments, and a removal counts again. */
async function expectGivenBackAfterNext(machine: Machine): Promise<void> {
  const next = machine.assign({ flags: '--v=4' })
  await machine.untilDigest(next, 'Applied')
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
}

test('agent does not take a Node that was deleted and registered again for an assignment that was removed', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.kill()
  machine.start()
  machine.node.registerAgain('u2')
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', active: digest })
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  await expectGivenBackAfterNext(machine)
})

test('agent keeps its host when etcd is restored from a time in which its Node was registered again and not assigned yet', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.node.registerAgain('u2')
  await machine.clock.advance(20 * MINUTE)
  const backup = machine.node.annotations
  machine.assign({ flags: '--v=3' }, { ASSIGNED: '2026-01-01T01:00:00Z' })
  await machine.clock.advance(20 * MINUTE)
  machine.node.restore(backup)
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', active: digest, error: { reason: 'AssignmentLost' } })
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  await expectGivenBackAfterNext(machine)
})

test.each([
  ['while the agent runs', false],
  ['while the agent is away', true],
])(
  'agent keeps its host when etcd is restored from before the first assignment %s, until it is assigned again',
  async (_, isAway) => {
    const machine = new Machine()
    machine.start()
    const digest = machine.assign({ flags: '--v=3' })
    await machine.until('Applied')
    await machine.clock.advance(20 * MINUTE)
    if (isAway) machine.kill()
    machine.node.restore({})
    if (isAway) machine.start()
    await machine.clock.advance(20 * MINUTE)
    machine.kill()
    machine.start()
    await machine.clock.advance(20 * MINUTE)

    expect(machine.status).toMatchObject({ phase: 'RolledBack', active: digest, error: { reason: 'AssignmentLost' } })
    const missing = machine.node.annotations
    machine.assign({ flags: '--v=3' })
    await machine.until('Applied')
    machine.node.restore(missing)
    await machine.clock.advance(20 * MINUTE)
    expect(machine.status).toMatchObject({ phase: 'RolledBack', active: digest, error: { reason: 'AssignmentLost' } })
    expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
    await expectGivenBackAfterNext(machine)
  },
)

test('agent keeps its host when etcd is restored from before the first assignment, whenever it dies then', async () => {
  for (let effect = 1; effect <= 8; effect++) {
    const machine = new Machine()
    machine.start()
    const digest = machine.assign({ flags: '--v=3' })
    await machine.until('Applied')
    await machine.clock.advance(20 * MINUTE)
    machine.kill()
    machine.node.restore({})
    machine.start({ afterEffect: effect })
    await machine.clock.advance(6 * MINUTE)
    machine.start()
    await machine.clock.advance(6 * MINUTE)
    expect(machine.status, `dead after effect ${effect}`).toMatchObject({ phase: 'RolledBack', active: digest })
  }
})

test('agent keeps its host when etcd is restored from between two adoptions, and gives it back when it is assigned nothing', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  machine.annotate(null)
  await machine.until('Reverted')
  const backup = machine.node.annotations
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  machine.node.restore(backup)
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status?.error?.message).toBe(
    'failed to load config: refuse the desired-config: the Node has none, and shows no report about one, as after a restore of etcd; the host stays as it is until it is assigned again; to let go of it: kubectl annotate --overwrite node a nodewave.io/desired-config={}, and when that is Applied, remove it',
  )
  machine.annotate('{}')
  await machine.until('Applied')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
  machine.annotate(null)
  await machine.until('Reverted')
})

test('agent without an API server concludes nothing from a download that fails', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
  machine.kill()
  const digest = machine.assign({
    version: '1.36.3',
    flags: '--v=4',
    host: JSON.stringify({ kubelet: machine.release('1.36.3') }),
  })
  const process = machine.start({ after: { method: 'append' } })
  await machine.clock.runUntil(() => process.dead)
  machine.kill()
  await machine.host.files.removeTree('/var/lib/nodewave/staging')
  machine.host.faults.network = 'lost'
  machine.start()
  await machine.clock.advance(20 * MINUTE)
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  machine.host.faults.network = undefined

  await machine.untilDigest(digest, 'Applied')
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

/** A machine whose agent may not read ConfigMaps; the seconds at which it tried to. */
function forbidden(random: () => number) {
  const machine = new Machine({ random })
  const askedAt: number[] = []
  const { configMap } = FakeNode.prototype
  let isAllowed = false
  machine.node.configMap = (namespace, name) => {
    askedAt.push(Math.floor(machine.clock.elapsed() / 1000))
    if (isAllowed) return configMap.call(machine.node, namespace, name)
    throw new KubeError('configmaps is forbidden', { code: 403, reason: 'Forbidden' })
  }
  machine.start()
  machine.assign({ flags: '--v=3' })
  return { machine, askedAt, allow: () => (isAllowed = true) }
}

test('agent asks at ever longer pauses for what it may not read, and not in step with others', async () => {
  const stories = [() => 0.5, () => 0.1, () => 0.9].map(forbidden)
  for (const { machine } of stories) await machine.clock.advance(130_000)

  expect(stories.map(({ askedAt }) => askedAt)).toEqual([
    [0, 1, 3, 7, 15, 31, 63, 123],
    [0, 0, 1, 4, 9, 18, 37, 73, 109],
    [0, 1, 4, 9, 21, 43, 88],
  ])
})

test('agent that waits for the API server goes on at once when its watch stands again', async () => {
  const { machine, allow } = forbidden(() => 0.5)
  await machine.clock.advance(64_000)
  allow()
  machine.node.reconnect()
  await machine.until('Applied')

  expect(machine.clock.elapsed()).toBeLessThan(70_000)
})
