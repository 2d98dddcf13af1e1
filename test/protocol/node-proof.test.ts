import { expect, test } from 'vitest'
import { formatNodeProof, type NodeProof, parseNodeProof } from '../../src/protocol/node-proof.ts'

const digest = `v1:${'a'.repeat(64)}`
const wanted: NodeProof = {
  digest,
  assignedAt: Date.UTC(2026, 10, 21, 8),
  state: 'Wanted',
  podCapacity: 110,
  pauseImage: 'pause:3.10',
  pressures: ['DiskPressure'],
}

test('a proof reads as it was written', () => {
  const failed: NodeProof = { ...wanted, state: 'Failed', endedAt: Date.UTC(2026, 10, 21, 9), message: 'no network' }

  expect(parseNodeProof(formatNodeProof(wanted, 'u1'), 'u1')).toEqual(wanted)
  expect(parseNodeProof(formatNodeProof(failed, 'u1'), 'u1')).toEqual(failed)
  expect(formatNodeProof(wanted, 'u1')).toBe(
    `{"state":"Wanted","digest":"${digest}","assignedAt":"2026-11-21T08:00:00.000Z","podCapacity":110,"pauseImage":"pause:3.10","pressures":["DiskPressure"],"node":"u1"}`,
  )
})

test.each([
  ['is no JSON', '{'],
  ['is no object', '7'],
  ['is null', 'null'],
  ['has another state', `{"state":"Perhaps","digest":"${digest}","assignedAt":"2026-11-21T08:00:00Z"}`],
  ['has no digest', '{"state":"Wanted","assignedAt":"2026-11-21T08:00:00Z"}'],
  ['has no date', `{"state":"Wanted","digest":"${digest}","assignedAt":"soon"}`],
  ['is too long', `{"state":"Wanted","digest":"${digest}","assignedAt":"2026-11-21T08:00:00Z","message":"${'x'.repeat(4000)}"}`],
])('a proof that %s is none', (_, annotation) => {
  expect(parseNodeProof(annotation, 'u1')).toBeUndefined()
})

test('a proof that was copied from another Node is wanted again', () => {
  const failed: NodeProof = { ...wanted, state: 'Failed', endedAt: Date.UTC(2026, 10, 21, 9), message: 'no network' }

  expect(parseNodeProof(formatNodeProof({ ...wanted, state: 'Passed' }, 'u1'), 'u2')).toEqual(wanted)
  expect(parseNodeProof(formatNodeProof(failed, 'u1'), 'u2')).toEqual(wanted)
})

test('a proof of a controller that did not say for which Node is read as it is', () => {
  const text = `{"state":"Passed","digest":"${digest}","assignedAt":"2026-11-21T08:00:00.000Z"}`
  expect(parseNodeProof(text, 'u2')?.state).toBe('Passed')
})

test('control characters of a container show as what they are', () => {
  expect(parseNodeProof(formatNodeProof({ ...wanted, message: 'a\u001b[2J' }, 'u1'), 'u1')?.message).toBe('a\\u{1b}[2J')
})
