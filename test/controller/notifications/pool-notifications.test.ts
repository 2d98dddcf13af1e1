import { expect, test } from 'vitest'
import {
  type NotifiedPool,
  obstacleNotifications,
  rolloutNotifications,
} from '../../../src/controller/notifications/pool-notifications.ts'
import type { HistoryEntry, PoolCondition } from '../../../src/protocol/node-pool.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]

function anEntry(more: Partial<HistoryEntry>): HistoryEntry {
  return {
    revision: A,
    fingerprint: 'f',
    subject: 'more pods',
    startedAt: '2026-11-21T10:00:00.000Z',
    result: 'Running',
    ...more,
  }
}

function aCondition(more: Partial<PoolCondition>): PoolCondition {
  return {
    ...{ type: 'Stalled', status: 'True', reason: 'Paused', message: 'why' },
    lastTransitionTime: '2026-11-21T09:00:00.000Z',
    ...more,
  }
}

function aPool(history: readonly HistoryEntry[], conditions: readonly PoolCondition[] = []): NotifiedPool {
  const nodes = { total: 3, current: 1, byPhase: {} }
  return { name: 'workers', uid: 'u', status: { history, conditions, nodes, target: { revision: B, fingerprint: 'g' } } }
}

const shown = (found: readonly { time: string; reason: string; message: string }[]) =>
  found.map(({ time, reason, message }) => `${time.slice(11, 16)} ${reason}: ${message}`)

test('rollouts are told by their start and their end, oldest first', () => {
  const ended = anEntry({ endedAt: '2026-11-21T10:30:00.000Z', result: 'Halted', message: '"n0": broken' })
  const found = rolloutNotifications(aPool([anEntry({ revision: B, startedAt: '2026-11-21T11:00:00.000Z' }), ended]), NOW)

  expect(shown(found)).toEqual([
    '10:30 RolloutHalted: aaaaaaa "more pods" failed on "n0": broken',
    '11:00 RolloutStarted: bbbbbbb "more pods"',
  ])
  expect(found[0]).toMatchObject({ severity: 'Warning', revision: A, subject: 'more pods', nodes: { total: 3, current: 1 } })
})

test('a notification names the author of its commit where the history has one', () => {
  const [found] = rolloutNotifications(aPool([anEntry({ author: 'Ada' })]), NOW)
  const [without] = rolloutNotifications(aPool([anEntry({})]), NOW)

  expect(found).toMatchObject({ revision: A, subject: 'more pods', author: 'Ada' })
  expect(without).not.toHaveProperty('author')
})

test('a rollout that has ended has the same start as before', () => {
  const [before] = rolloutNotifications(aPool([anEntry({})]), NOW)
  const after = rolloutNotifications(aPool([anEntry({ endedAt: '2026-11-21T10:30:00.000Z', result: 'Completed' })]), NOW)

  expect(shown(after)).toEqual(['10:00 RolloutStarted: aaaaaaa "more pods"', '10:30 RolloutCompleted: aaaaaaa "more pods"'])
  expect(after[0]?.id).toBe(before?.id)
  expect(after[1]?.id).not.toBe(before?.id)
})

test('a rollout that ended more than a day ago is no news', () => {
  const old = anEntry({ startedAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T11:59:59.000Z', result: 'Completed' })

  expect(rolloutNotifications(aPool([old]), NOW)).toEqual([])
})

test('a rollout that ended a day ago is told', () => {
  const old = anEntry({ startedAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T12:00:00.000Z', result: 'Completed' })

  expect(shown(rolloutNotifications(aPool([old]), NOW))).toEqual(['12:00 RolloutCompleted: aaaaaaa "more pods"'])
})

test('a pool made anew under the same name has ids of its own', () => {
  const pool = aPool([anEntry({})])

  expect(rolloutNotifications(pool, NOW)[0]?.id).not.toBe(rolloutNotifications({ ...pool, uid: 'v' }, NOW)[0]?.id)
})

test.each([
  [aCondition({}), 'Normal Paused'],
  [aCondition({ reason: 'DrainBlocked' }), 'Warning DrainBlocked'],
  [aCondition({ type: 'Reconciling', reason: 'WaitingForPromotion' }), 'Normal WaitingForPromotion'],
  [aCondition({ type: 'Reconciling', reason: 'WaitingForBudget' }), undefined],
  [aCondition({ status: 'False', reason: 'Completed' }), undefined],
  [aCondition({ type: 'Ready', reason: 'Completed' }), undefined],
])('of %j a person is told: %j', (condition, expected) => {
  const [found] = obstacleNotifications(aPool([], [condition]))

  expect(found && `${found.severity} ${found.reason}`).toBe(expected)
})

test('a halted pool is told of once, by its rollout', () => {
  const halted = anEntry({ endedAt: '2026-11-21T10:30:00.000Z', result: 'Halted' })

  expect(obstacleNotifications(aPool([halted], [aCondition({ reason: 'Halted' })]))).toEqual([])
})

test.each<readonly [when: string, top: Partial<HistoryEntry>]>([
  ['on its way back', {}],
  ['back', { result: 'Completed', endedAt: '2026-11-21T10:40:00.000Z' }],
])('a pool that rolled back is reported once, by the rollout that failed, when it is %s', (_, top) => {
  const failed = anEntry({ revision: B, fingerprint: 'bad', endedAt: '2026-11-21T10:30:00.000Z', result: 'RolledBack' })
  const condition = aCondition({ reason: 'RolledBack', lastTransitionTime: '2026-11-21T10:30:00.000Z' })

  expect(obstacleNotifications(aPool([anEntry(top), failed], [condition]))).toEqual([])
})

test('a commit that renders as one that rolled back before is reported', () => {
  const failed = anEntry({ revision: B, fingerprint: 'bad', endedAt: '2026-11-21T10:30:00.000Z', result: 'RolledBack' })
  const condition = aCondition({ reason: 'RolledBack', lastTransitionTime: '2026-11-21T11:00:00.000Z' })

  expect(
    obstacleNotifications(aPool([anEntry({ result: 'Completed' }), failed], [condition])).map(({ reason }) => reason),
  ).toEqual(['RolledBack'])
})

test('another reason of the same condition is another notification', () => {
  const idOf = (reason: PoolCondition['reason']) => obstacleNotifications(aPool([], [aCondition({ reason })]))[0]?.id

  expect(idOf('Paused')).not.toBe(idOf('DrainBlocked'))
})

test('rollouts that began or ended at one time are told oldest first, whatever the order of the history', () => {
  const first = anEntry({ startedAt: '2026-11-21T10:00:00.000Z', endedAt: '2026-11-21T11:30:00.000Z', result: 'Completed' })
  const second = anEntry({ revision: B, startedAt: '2026-11-21T11:00:00.000Z' })
  const third = anEntry({ startedAt: '2026-11-21T09:00:00.000Z', endedAt: '2026-11-21T09:30:00.000Z', result: 'Completed' })

  expect(rolloutNotifications(aPool([second, first, third]), NOW).map(({ time }) => time.slice(11, 16))).toEqual([
    '09:30',
    '11:00',
    '11:30',
  ])
})
