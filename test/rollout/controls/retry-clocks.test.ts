import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, remembering, verdict } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { completedBut, halted } from './some-retries.ts'

test('a node that fails again is not tried without end when the retry was stamped by a clock that has been put back since', () => {
  const run = aRollout('new', { result: 'Completed', startedAt: noon - 60 * minute })
  const history = [{ ...run, retriedAt: stamp(noon + 24 * 60 * minute) }]
  const [failedBefore, failedSince] = [noon - minute, noon].map((at) =>
    aPool({ head: 'new', stable: 'new', history, maxFailures: 1 }).with(
      aNode('a').rolledBackFrom('new', { at }),
      aNode('b').on('new'),
    ),
  ) as [PoolSnapshot, PoolSnapshot]

  const first = decide(failedBefore, noon)
  const again = decide(remembering(failedSince, first), noon + minute)

  expect(assignments(first)).toEqual(['a → new'])
  expect(first.status.history[0]?.retriedAt).toBe('2026-11-21T12:00:00.000Z')
  expect(assignments(again)).toEqual([])
})

test('a retry assigns a node again that failed when the clock was a day ahead, and does not take that for a failure of its own', () => {
  const failed = aNode('a').rolledBackFrom('bad-commit', { at: noon + 24 * 60 * minute })
  const decision = decide(aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(failed, aNode('b').on('older')), noon)

  expect(assignments(decision)[0]).toBe('a → bad-commit')
  expect(decision.status.rejected).toEqual([])
})

test('a retry goes on when the leader that began it had a clock which was ahead', () => {
  const [startedAt, assignedBefore] = [noon + 5 * minute - 1000, noon + 4 * minute]
  const history = [aRollout('new', { startedAt }), aRollout('new', { result: 'Halted', startedAt: noon - minute })]
  const pool = aPool({ head: 'new', onFailure: 'Halt', history })
  const failed = (at: number) => pool.with(aNode('a').rolledBackFrom('new', { at }), aNode('b').on('older'))

  const first = decide(failed(assignedBefore), noon)
  const again = decide(remembering(failed(startedAt), first), noon + minute)

  expect(first.actions[0]).toMatchObject({ kind: 'assign', node: 'a', digest: 'new', at: startedAt })
  expect(first.status.rejected).toEqual([])
  expect(verdict(again).Stalled).toBe('True Halted')
})

test('a retry of a completed commit assigns a node once when it was stamped by a clock which is ahead', () => {
  const run = aRollout('new', { result: 'Completed', startedAt: noon - 60 * minute })
  const retriedAt = noon + 5 * minute
  const history = [{ ...run, retriedAt: stamp(retriedAt) }]
  const pool = aPool({ head: 'new', stable: 'new', history, maxFailures: 1 })
  const failed = (at: number) => pool.with(aNode('a').rolledBackFrom('new', { at }), aNode('b').on('new'))

  const first = decide(failed(noon - minute), noon)
  const again = decide(remembering(failed(retriedAt), first), noon + minute)

  expect(first.actions).toMatchObject([{ kind: 'assign', node: 'a', digest: 'new', at: retriedAt }])
  expect(assignments(again)).toEqual([])
})

test('a retry assigns a node again when the leader before, whose clock was ahead, had assigned it', () => {
  const assignedBefore = noon + 4 * minute
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } })
  const failed = (at: number) => pool.with(aNode('a').rolledBackFrom('bad-commit', { at }), aNode('b').on('older'))

  const first = decide(failed(assignedBefore), noon)
  const again = decide(remembering(failed(assignedBefore + 1), first), noon + minute)

  expect(first.actions[0]).toMatchObject({ kind: 'assign', node: 'a', digest: 'bad-commit', at: assignedBefore + 1 })
  expect(first.status.rejected).toEqual([])
  expect(verdict(again).Stalled).toBe('True Halted')
})

test('a retry of a completed commit assigns a node again when the leader before, whose clock was ahead, had assigned it', () => {
  const assignedBefore = noon + 4 * minute
  const failed = (at: number) => {
    const node = aNode('a').assignedTo('new', { at })
    return node.reporting('RolledBack', {
      since: noon - 1000,
      active: 'older',
      error: { reason: 'Failed', message: 'it failed' },
    })
  }
  const first = decide(completedBut(failed(assignedBefore), { retry: 'new' }), noon)
  const again = completedBut(failed(assignedBefore + 1), { retry: 'new' })

  expect(first.actions[0]).toMatchObject({ kind: 'assign', node: 'a', digest: 'new', at: assignedBefore + 1 })
  expect(assignments(decide(remembering(again, first), noon + minute))).toEqual([])
})
