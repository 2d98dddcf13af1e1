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
  machine.node.registerAnew('u2')
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
