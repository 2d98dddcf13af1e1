import { expect, test } from 'vitest'
import { assess, decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))

/** `a: forward` */
function asked(pool: PoolSnapshot): string[] {
  return assess(pool, noon).proposal.requests.map(({ name, kind }) => `${name}: ${kind}`)
}

test('a node that is changed for the newest commit is forward work', () => {
  expect(asked(aPool({ stable: 'older', since: noon - minute }).with(...old('a')))).toEqual(['a: forward'])
})

test('a node whose agent asks for a greater disruption is finished first', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'reboot' })

  expect(asked(aPool({ stable: 'older', since: noon - 2 * minute }).with(blocked))).toEqual(['a: finish'])
})

test('a node that is drained is finished first', () => {
  const drained = aNode('a').on('older').drainedFor('new')
  const pool = aPool({ stable: 'older', since: noon - 2 * minute, disruption: 'drain', pods: { a: [] } })

  expect(asked(pool.with(drained))).toEqual(['a: finish'])
})

test('a node that a rollout left broken is repaired', () => {
  const broken = aNode('a').rolledBackFrom('bad').notReady()

  expect(asked(aPool({ stable: 'older', since: noon - 2 * minute }).with(broken))).toEqual(['a: repair'])
})

test('a pool goes back after a failure, by a rollback and by a revert', () => {
  const failed = aPool({ head: 'bad', stable: 'older', rejected: ['bad'] }).with(aNode('a').on('bad'))
  const reverted = aPool({ head: 'older', history: [aRollout('bad'), aRollout('older', { result: 'Completed' })] })
  const current = aPool({ head: 'new', history: [aRollout('new', { result: 'Completed' }), aRollout('older')] })
  const pool = current.with(aNode('a').on('new'))
  const rolledBack = { ...pool.memory, rollback: { to: aRef('older'), from: aRef('new'), at: '2026-11-21T11:00:00Z' } }

  expect(asked(failed)).toEqual(['a: rollback'])
  expect(asked(reverted.with(aNode('a').on('bad')))).toEqual(['a: rollback'])
  expect(
    asked({ ...pool, controls: { rollback: 'older' }, memory: { ...rolledBack, observedControls: { rollback: 'older' } } }),
  ).toEqual(['a: rollback'])
})

test('a node that comes late to a completed rollout is forward work', () => {
  const completed = aPool({ stable: 'new', history: [aRollout('new', { result: 'Completed' })] })

  expect(asked(completed.with(aNode('a').on('new'), ...old('b')))).toEqual(['b: forward'])
})

test('a node of the control plane that lacks the budget does not say that it waits for another one', () => {
  const controlPlane = new Map([['a', undefined]])
  const pool = aPool({ stable: 'older', since: noon - 9 * minute, maxUnavailable: 1, fleet: { controlPlane } }).with(
    ...old('a'),
    aNode('b')
      .on('new', { at: noon - 8 * minute })
      .notReady(),
  )

  expect(condition(decide(pool, noon), 'Ready').message).toBe(
    '0 of 2 nodes are at new; 1 Unreachable; "b" is not Ready: waits until 2026-11-21T12:14:00.000Z; ' +
      '1 wait for the budget; used up by "b" (not Ready): repair them, or raise maxUnavailable of the pool',
  )
})

test('no pass is due for the deadline of work that has ended', () => {
  const applied = aNode('a').on('same', { at: noon - 5 * minute })

  expect(
    decide(aPool({ head: 'same', stable: 'same', waves: [aWave('all', '100%')] }).with(applied), noon).wakeAt,
  ).toBeUndefined()
})

test('of many nodes that could begin, one more is asked for than may be unavailable', () => {
  const pool = aPool({ stable: 'older', since: noon - minute, maxUnavailable: 2 }).with(...old('a', 'b', 'c', 'd', 'e', 'f'))

  expect(asked(pool)).toHaveLength(3)
})
