import { expect, test } from 'vitest'
import { dueNotifications, withSent } from '../../../src/controller/notifications/due-notifications.ts'
import { sentIn, textOf } from '../../../src/controller/notifications/sent-record.ts'
import type { Notification } from '../../../src/notify/notification.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

/** @param age seconds */
function aNotification(id: string, age: number): Notification {
  const time = new Date(NOW - age * 1000).toISOString()
  return { id, reason: 'Paused', severity: 'Normal', pool: 'workers', time, message: '', nodes: { total: 1, current: 1 } }
}

function due(wanted: readonly Notification[], { told = {}, sentAt = [] as number[], perMinute = 2 } = {}) {
  const input = { wanted, told: new Map(Object.entries<string[]>(told)), sentAt, channel: { perMinute } }
  const { due: found, wakeAt } = dueNotifications(input, NOW)
  return { ids: found.map(({ id }) => id), wakeIn: wakeAt === undefined ? undefined : (wakeAt - NOW) / 1000 }
}

test('what was told is told once', () => {
  expect(due([aNotification('a', 60), aNotification('b', 50)], { told: { workers: ['a'] } })).toEqual({
    ids: ['b'],
    wakeIn: undefined,
  })
})

test('what began a moment ago waits until it has lasted for ten seconds', () => {
  expect(due([aNotification('a', 10), aNotification('b', 9), aNotification('c', 2)])).toEqual({ ids: ['a'], wakeIn: 1 })
})

test('what a leader has stamped whose clock was an hour ahead is told at once', () => {
  expect(due([aNotification('a', -3_600), aNotification('b', -59)])).toEqual({ ids: ['a'], wakeIn: 69 })
})

test('more than the limit of a minute waits until there is room', () => {
  const wanted = [aNotification('a', 60), aNotification('b', 50), aNotification('c', 40)]

  expect(due(wanted, { sentAt: [NOW - 59_000] })).toEqual({ ids: ['a'], wakeIn: 1 })
  expect(due(wanted, { sentAt: [NOW - 59_000, NOW - 1000, NOW] })).toEqual({ ids: [], wakeIn: 1 })
})

test('more than the limit when nothing was sent within the minute waits for a minute', () => {
  const wanted = [aNotification('a', 60), aNotification('b', 50), aNotification('c', 40)]

  expect(due(wanted)).toEqual({ ids: ['a', 'b'], wakeIn: 60 })
})

test('as many as a minute has room for are sent, and no later time is told', () => {
  const wanted = [aNotification('a', 60), aNotification('b', 50)]

  expect(due(wanted)).toEqual({ ids: ['a', 'b'], wakeIn: undefined })
  expect(due(wanted.slice(1), { sentAt: [NOW - 59_000] })).toEqual({ ids: ['b'], wakeIn: undefined })
})

test('memory is bounded, and ends with its pool', () => {
  const many = Array.from({ length: 40 }, (_, index) => aNotification(`n${index}`, 0))
  const told = withSent(new Map([['gone', ['x']]]), many, { pools: new Set(['workers']), wanted: [] })

  expect([...told.keys()]).toEqual(['workers'])
  expect(told.get('workers')).toHaveLength(30)
  expect(told.get('workers')?.at(-1)).toBe('n39')
})

test('what is remembered of thousands of pools fits into one object of the cluster, though all stall and have a history', () => {
  const names = Array.from({ length: 4_000 }, (_, index) => `${index}`.padStart(63, 'p'))
  const idsOf = (pool: string, count: number, round: string) =>
    Array.from({ length: count }, (_, index) => ({ ...aNotification(`${round}${index}-and-the-rest`, 60), pool }))
  const wanted = names.flatMap((pool) => idsOf(pool, 13, '0000'))
  const before = names.flatMap((pool) => idsOf(pool, 40, '9999'))
  const standing = { pools: new Set(names), wanted }
  const told = withSent(withSent(new Map(), before, standing), wanted, standing)

  expect(textOf(told).length).toBeLessThan(2 ** 20)
  expect(dueNotifications({ wanted, told: sentIn(textOf(told)), sentAt: [], channel: { perMinute: 600 } }, NOW).due).toEqual([])
})

test('a rollout of today is not told again, however many obstacles came since', () => {
  const rollout = aNotification('rollout', 3600)
  const obstacles = Array.from({ length: 40 }, (_, index) => aNotification(`n${index}`, 60))
  const told = obstacles.reduce(
    (before, each) => withSent(before, [each], { pools: new Set(['workers']), wanted: [rollout, each] }),
    withSent(new Map(), [rollout], { pools: new Set(['workers']), wanted: [rollout] }),
  )
  expect(due([rollout], { told: Object.fromEntries(told) as Record<string, string[]> }).ids).toEqual([])
})
