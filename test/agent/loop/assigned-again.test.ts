import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const first = '2026-11-21T08:00:00.000Z'
const second = '2026-11-21T09:00:00.000Z'

test('agent says which assignment its report speaks of, and tries again what it put back when it is assigned again', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const bad = { flags: '--container-runtime-endpoint=unix:///not/there.sock' }
  machine.assign(bad, { ASSIGNED: first })
  expect(await machine.until('RolledBack')).toMatchObject({ assignedAt: first })

  machine.assign(bad, { ASSIGNED: second })

  expect(await machine.until('Applying')).toMatchObject({ assignedAt: second })
  expect(await machine.until('RolledBack')).toMatchObject({ assignedAt: second })
})

test('agent says nothing about a stamp that the annotation does not have', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' })

  expect(await machine.until('Applied')).not.toHaveProperty('assignedAt')
})

test('agent gives the host back when the annotation is removed from a Node that was registered again and assigned the same', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  const text = machine.node.annotations['nodewave.io/desired-config'] ?? ''
  machine.node.registerAgain('u2')
  await machine.clock.advance(60_000)
  machine.annotate(text)
  await machine.clock.advance(60_000)
  machine.annotate(null)
  await machine.clock.advance(60_000)

  expect(machine.status?.phase).toBe('Reverted')
  expect(machine.hostFiles()).toEqual(before)
})

test('agent reads a ConfigMap that is named anew, though the digest is that of what it has', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(digest, 'Applied')
  machine.annotate({ KUBELET_CONFIG: 'elsewhere', DIGEST: digest, ASSIGNED: '2026-11-21T08:00:00.000Z' })

  expect(await machine.until('Fetching')).toMatchObject({ error: { reason: 'DownloadFailed' } })
})

test.each([
  ['Applied', { flags: '--v=4' }],
  ['RolledBack', { flags: '--container-runtime-endpoint=unix:///not/there.sock' }],
] as const)(
  'agent refuses an older assignment that comes back after one that ended as %s, also after a restart',
  async (phase, content) => {
    const machine = new Machine()
    machine.start()
    machine.assign({ flags: '--v=3' }, { ASSIGNED: first, COUNTER: 1 })
    await machine.until('Applied')
    const backup = machine.node.annotations['nodewave.io/desired-config'] ?? ''
    machine.assign(content, { ASSIGNED: second, COUNTER: 2 })
    expect(await machine.until(phase)).toMatchObject({ assignedAt: second })
    const files = machine.hostFiles()
    machine.kill()
    machine.start()

    machine.annotate(backup)
    await machine.clock.advance(60_000)

    const message = 'failed to load config: refuse the desired-config: its COUNTER is 1, and one with 2 was accepted before'
    expect(machine.status).toMatchObject({
      phase: 'RolledBack',
      assignedAt: first,
      error: { reason: 'AssignmentReplayed', message },
    })
    expect(machine.hostFiles()).toEqual(files)
  },
)

test('agent stays with an older assignment that comes back before a newer one was applied, and takes that when it is assigned again', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' }, { ASSIGNED: first, COUNTER: 1 })
  await machine.until('Applied')
  const backup = machine.node.annotations['nodewave.io/desired-config'] ?? ''
  const files = machine.hostFiles()
  machine.assign({ flags: '--v=4' }, { ASSIGNED: second, COUNTER: 2 })
  await machine.until('Applying')

  machine.annotate(backup)
  await machine.clock.advance(60_000)
  expect(machine.status).toMatchObject({ phase: 'Applied', assignedAt: first })
  expect(machine.hostFiles()).toEqual(files)
  machine.assign({ flags: '--v=4' }, { ASSIGNED: '2026-11-21T10:00:00.000Z', COUNTER: 3 })
  expect(await machine.until('Applying', 'RolledBack')).toMatchObject({ phase: 'Applying' })
  await machine.until('Applied')
})

test('agent takes up what has no counter, what a person edited, and what a clock that was put back stamped', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' }, { ASSIGNED: second, COUNTER: 5 })
  await machine.until('Applied')

  const digest = machine.assign({ flags: '--v=4' })
  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ phase: 'Applied' })
  const edited = machine.assign({ flags: '--v=6' }, { ASSIGNED: second, COUNTER: 5 })
  await machine.untilDigest(edited, 'Applied')
  const later = machine.assign({ flags: '--v=5' }, { ASSIGNED: first, COUNTER: 6 })
  expect(await machine.untilDigest(later, 'Applied')).toMatchObject({ assignedAt: first })
})

test('a counter that no controller wrote shuts out no later assignment', async () => {
  const machine = new Machine()
  machine.start()
  const forged = machine.assign({ flags: '--v=3' }, { ASSIGNED: first, COUNTER: Number.MAX_SAFE_INTEGER })
  await machine.untilDigest(forged, 'Applied')
  const digest = machine.assign({ flags: '--v=4' }, { ASSIGNED: second, COUNTER: machine.clock.now() })
  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ assignedAt: second })
})

test('agent refuses an older assignment of a former Node that comes back from a backup', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' }, { ASSIGNED: first, COUNTER: 1 })
  await machine.until('Applied')
  const backup = machine.node.annotations['nodewave.io/desired-config'] ?? ''
  await machine.untilDigest(machine.assign({ flags: '--v=4' }, { ASSIGNED: second, COUNTER: 2 }), 'Applied')
  machine.node.registerAgain('u2')
  await machine.untilDigest(machine.assign({ flags: '--v=5' }, { ASSIGNED: second, COUNTER: 3 }), 'Applied')
  machine.node.registerAgain('u1')
  machine.annotate(backup)

  expect(await machine.until('RolledBack')).toMatchObject({ error: { reason: 'AssignmentReplayed' } })
  const later = machine.assign({ flags: '--v=6' }, { ASSIGNED: second, COUNTER: 4 })
  expect(await machine.untilDigest(later, 'Applied')).toMatchObject({ phase: 'Applied' })
})

test('a host whose clock was put back by years still knows an older assignment', async () => {
  const machine = new Machine()
  machine.start()
  const now = machine.clock.now()
  machine.assign({ flags: '--v=3' }, { ASSIGNED: first, COUNTER: now })
  await machine.until('Applied')
  const backup = machine.node.annotations['nodewave.io/desired-config'] ?? ''
  machine.clock.jump(-5 * 366 * 86_400_000)
  await machine.untilDigest(machine.assign({ flags: '--v=4' }, { ASSIGNED: second, COUNTER: now + 1 }), 'Applied')
  machine.annotate(backup)

  expect(await machine.until('RolledBack')).toMatchObject({ error: { reason: 'AssignmentReplayed' } })
})

test('a Node that is registered again begins anew, by whatever counter', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' }, { ASSIGNED: second, COUNTER: 2 })
  await machine.until('Applied')
  machine.node.registerAgain('u2')
  const digest = machine.assign({ flags: '--v=4' }, { ASSIGNED: first, COUNTER: 1 })
  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ assignedAt: first })
})

test('agent says which counter it accepted on this Node, also when it refuses an older one, and after a restart', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' }, { ASSIGNED: first, COUNTER: 7 })
  expect(await machine.until('Applied')).toMatchObject({ counter: 7 })
  machine.assign({ flags: '--v=4' }, { ASSIGNED: second, COUNTER: 6 })
  expect(await machine.until('RolledBack')).toMatchObject({ counter: 7, error: { reason: 'AssignmentReplayed' } })
  machine.kill()
  machine.node.registerAgain('u2')
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=5' }, { ASSIGNED: second, COUNTER: 3 }), 'Applied')
  expect(machine.status).toMatchObject({ counter: 3 })
})

test('agent says nothing of counters where none was accepted', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' })
  expect(await machine.until('Applied')).not.toHaveProperty('counter')
})

test('agent refuses an assignment of before counters that comes back, and takes later ones of a controller without counters', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=3' }, { ASSIGNED: first }), 'Applied')
  const backup = machine.node.annotations['nodewave.io/desired-config'] ?? ''
  await machine.untilDigest(machine.assign({ flags: '--v=4' }, { ASSIGNED: second, COUNTER: Date.parse(second) }), 'Applied')
  machine.annotate(backup)
  expect(await machine.until('RolledBack')).toMatchObject({
    error: { reason: 'AssignmentReplayed' },
    counter: Date.parse('2026-11-21T09:00:00.000Z'),
  })

  await machine.untilDigest(machine.assign({ flags: '--v=5' }, { ASSIGNED: '2026-11-21T10:00:00.000Z' }), 'Applied')
  machine.annotate(backup)
  expect(await machine.until('RolledBack')).toMatchObject({ counter: Date.parse('2026-11-21T10:00:00.000Z') })
})

test('agent takes what a person assigns without COUNTER and ASSIGNED, and what has a stamp that nobody can read', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=3' }, { ASSIGNED: second, COUNTER: Date.parse(second) }), 'Applied')
  await machine.untilDigest(machine.assign({ flags: '--v=4' }), 'Applied')
  const digest = machine.assign({ flags: '--v=5' }, { ASSIGNED: 'soon' })
  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ counter: Date.parse('2026-11-21T09:00:00.000Z') })
})
