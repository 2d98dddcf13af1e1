import { expect, test } from 'vitest'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { Memory } from '../../../src/rollout/model/snapshot.ts'
import { commitBlocker } from '../../../src/rollout/target/commit-blocker.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRevision, aRollout } from '../builders/revisions.ts'

const completed = aRollout('older', { result: 'Completed', startedAt: noon - 20 * hour })

/** Why a pool of a fleet that has stopped may not begin with `new`. */
function reasonFor(memory: Partial<Memory>, node: NodeView): string | undefined {
  const pool = aPool({ stable: 'older', fleet: { stopped: { why: '3 nodes failed', isConfirmed: true } } }).with(node)
  return commitBlocker({ ...pool, memory: { ...pool.memory, ...memory } }, noon)?.reason
}

/** As many rollouts that did not complete after `older`, one an hour. */
function superseded(count: number): Memory['history'] {
  const hours = Array.from({ length: count }, (_, index) => index + 1)
  return hours.map((ago) => aRollout(`before ${ago}`, { result: 'Superseded', startedAt: noon - ago * hour }))
}

const heldLongAgo = aNode('a')
  .held()
  .on('new', { at: noon - 15 * hour })

test('a commit stays withheld when a node has it from a rollout that made room in the history', () => {
  const memory = { target: aRef('before 1'), history: [...superseded(9), completed] }

  expect(reasonFor(memory, heldLongAgo)).toBe('FleetStopped')
})

test('a commit stays withheld when a node has it from a rollout that made room for content which another one has replaced since', () => {
  const last = aRollout('last', { result: 'Completed', startedAt: noon - hour / 2 })
  const memory = { target: aRef('last'), stable: aRef('last'), history: [last, ...superseded(8), completed] }

  expect(reasonFor(memory, heldLongAgo)).toBe('FleetStopped')
})

test('a pool has begun with a commit when a node got it after the oldest rollout that nothing made room behind', () => {
  const after = aNode('a').on('new', { at: noon - 5 * hour })

  expect(reasonFor({ target: aRef('before 1'), history: [...superseded(9), completed] }, after)).toBeUndefined()
  expect(reasonFor({ target: aRef('before 1'), history: [...superseded(4), completed] }, after)).toBeUndefined()
})

test('a commit stays withheld when nodes have it as another release rendered it, and that failed', () => {
  const failed = { revision: 'new', fingerprint: 'of first' }
  const memory = {
    target: failed,
    rejected: [failed],
    history: [aRollout('first', { result: 'Halted', startedAt: noon - hour }), completed],
  }

  expect(reasonFor(memory, aNode('a').on('first', { at: noon - hour + minute / 2, revision: 'new' }))).toBe('FleetStopped')
})

test('a commit stays withheld when a node got the stable content under its name', () => {
  const completedBefore = { ...aRollout('first', { result: 'Completed' }), fingerprint: 'of new', abandoned: true as const }
  const memory = {
    target: aRef('next'),
    stable: { revision: 'first', fingerprint: 'of new' },
    history: [aRollout('next', { startedAt: noon - hour }), completedBefore],
  }

  expect(reasonFor(memory, aNode('a').on('new', { at: noon }))).toBe('FleetStopped')
})

test('a commit stays withheld when nodes have its content under another name, and the status tells of no rollout', () => {
  const equal = aNode('a').on('new', { at: noon - hour, revision: 'first of new' })
  const pool = aPool({ stable: 'older', fleet: { stopped: { why: '3 nodes failed', isConfirmed: true } } }).with(equal)
  const known = new Map([...pool.known, ['first of new', { ...aRevision('new', [equal]), revision: 'first of new' }]])
  const reasonAfter = (history: Memory['history']) =>
    commitBlocker({ ...pool, known, memory: { ...pool.memory, history } }, noon)?.reason

  expect(reasonAfter([])).toBe('FleetStopped')
  expect(reasonAfter([completed])).toBeUndefined()
})
