import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const GOING = { Ready: 'False RollingBack', Reconciling: 'True RollingBack', Stalled: 'True RolledBack' }
const BACK = { Ready: 'False RolledBack', Reconciling: 'False RolledBack', Stalled: 'True RolledBack' }
const startedAt = noon - 10 * minute
const failed = { head: 'bad', stable: 'older', rejected: ['bad'] }
const before = [aRollout('bad', { result: 'RolledBack', startedAt: noon - hour }), aRollout('older', { result: 'Completed' })]
const goingBack = { ...failed, history: [aRollout('older', { startedAt }), ...before] }
const wentBack = { ...failed, history: [aRollout('older', { startedAt, result: 'Completed' }), ...before] }
const good = (name: string) => aNode(name).on('older')

test('a pool says RollingBack while nodes change back after a failure, and RolledBack when they are back', () => {
  const going = decide(aPool(goingBack).with(aNode('a').on('bad'), good('b')), noon)
  const back = decide(aPool(wentBack).with(good('a'), good('b')), noon)

  expect(verdict(going)).toEqual(GOING)
  expect(condition(going, 'Ready').message).toMatch(
    /^bad failed; the pool rolls back to older; push a fix or a revert, or: .*; 1 of 2 nodes are at older$/,
  )
  expect(verdict(back)).toEqual(BACK)
  expect(condition(back, 'Ready').message).toMatch(/^bad failed; the pool stays with older; push a fix/)
})

test('a pool that an operator rolls back says RollingBack until every node is back', () => {
  const rollback = { to: aRef('older'), from: aRef('new'), at: stamp(noon - minute) }
  const asked = (history: typeof before, ...members: readonly NodeDraft[]) => {
    const pool = aPool({ stable: 'older', controls: { rollback: 'older' }, history }).with(...members)
    return decide({ ...pool, memory: { ...pool.memory, rollback } }, noon)
  }

  expect(verdict(asked(goingBack.history, aNode('a').on('new'), good('b')))).toEqual(GOING)
  expect(verdict(asked(wentBack.history, good('a'), good('b')))).toEqual(BACK)
})

test('a pool that waits for a window on its way back says so, and that the commit failed', () => {
  const windows: readonly Window[] = [{ action: 'allow', schedule: '0 22 * * *', duration: hour, timeZone: 'UTC' }]
  const pool = aPool({ ...goingBack, rollbackOutsideWindows: false, windows }).with(aNode('a').on('bad'), good('b'))
  const decision = decide(pool, noon)

  expect(verdict(decision)).toEqual({
    Ready: 'False WaitingForWindow',
    Reconciling: 'True WaitingForWindow',
    Stalled: 'True RolledBack',
  })
  expect(condition(decision, 'Ready').message).toMatch(/^bad failed; the pool rolls back to older; .*no window is open/)
})

test('a pool that waits for its budget on the way back says so', () => {
  const lost = good('a').notReady(noon - hour)
  const decision = decide(aPool({ ...goingBack, maxUnavailable: 1 }).with(lost, aNode('b').on('bad')), noon)

  expect(verdict(decision)).toMatchObject({ Ready: 'False WaitingForBudget', Reconciling: 'True WaitingForBudget' })
})

test('a pool that waits on the way back for a node to be Ready again says so, and is not back', () => {
  const awaited = aNode('a')
    .on('older', { at: noon - 5 * minute })
    .notReady(noon - 2 * minute)
  const decision = decide(aPool(goingBack).with(awaited, good('b')), noon)

  expect(verdict(decision)).toEqual(GOING)
  expect(condition(decision, 'Ready').message).toMatch(
    /^bad failed; the pool rolls back to older; .*; "a" is not Ready: waits until 2026-11-21T12:13:00.000Z$/,
  )
})

test('a pool that went back stays RolledBack while a node joins', () => {
  const joining = aNode('b').assignedTo('older', { at: noon - 1000 })

  expect(verdict(decide(aPool(wentBack).with(good('a'), joining), noon))).toEqual({
    Ready: 'False RolledBack',
    Reconciling: 'True RollingOut',
    Stalled: 'True RolledBack',
  })
})

test('a pool that goes on with a fix while the newest commit is as one that failed rolls out, and rolls back to nothing', () => {
  const history = [aRollout('fix', { startedAt }), aRollout('bad', { result: 'Halted', startedAt: noon - hour })]
  const pool = aPool({ head: 'bad', commit: 'again', rejected: ['bad'], onFailure: 'Halt', history })
  const decision = decide(pool.with(aNode('a').on('bad'), aNode('b').on('fix')), noon)

  expect(verdict(decision)).toEqual({ Ready: 'False RolledBack', Reconciling: 'True RollingOut', Stalled: 'True RolledBack' })
  expect(condition(decision, 'Ready').message).toMatch(/^again renders the same as bad, which failed; the pool stays with fix; /)
})
