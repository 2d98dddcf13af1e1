import { expect, test } from 'vitest'
import { condition, phases, verdict } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aPod } from '../builders/pods.ts'
import { a, b, done, kept, upgrade } from './upgrade.ts'

test('a cordoned node whose pods are not known yet waits, and holds its place in the budget', () => {
  const decision = upgrade({}, a.drainedFor('new'), b)

  expect(done(decision)).toEqual([])
  expect(phases(decision)).toEqual({ Cordoned: 1, Waiting: 1 })
  expect(verdict(decision).Reconciling).toBe('True Draining')
  expect(decision.wakeAt).toBe(noon + 14 * minute)
})

test('the pods that may go are evicted, and no others', () => {
  const pods = {
    a: [aPod('x'), aPod('agent', { controller: 'DaemonSet' }), aPod('job', { finished: true }), aPod('y', { terminating: true })],
  }
  const decision = upgrade({ pods, drain: { gracePeriodSeconds: 20 } }, a.drainedFor('new'), b)

  expect(decision.actions).toEqual([
    { kind: 'evict', node: 'a', pod: { namespace: 'shop', name: 'x', uid: 'uid-x' }, gracePeriodSeconds: 20 },
  ])
  expect(phases(decision)).toEqual({ Draining: 1, Waiting: 1 })
})

test('one pod that nobody consented to lose, and none on the node is evicted', () => {
  const decision = upgrade({ pods: { a: [aPod('x'), aPod('scratch', { emptyDir: true })] } }, a.drainedFor('new'), b)

  expect(done(decision)).toEqual([])
  expect(verdict(decision)).toEqual({
    Ready: 'False DrainBlocked',
    Reconciling: 'False DrainBlocked',
    Stalled: 'True DrainBlocked',
  })
  expect(condition(decision, 'Stalled').message).toBe(
    `"a", drained since ${stamp(noon - minute)}: pod "shop/scratch" has an emptyDir volume, whose data would be lost; allow this with drain: {deleteEmptyDirData: true}, or delete the pod; and 1 more pod`,
  )
})

test('a refused pod is asked for again when its time has come, not before', () => {
  const early = upgrade({ pods: { a: [aPod('x', { refusal: kept(noon + 5_000, 'shop') })] } }, a.drainedFor('new'))
  const later = upgrade({ pods: { a: [aPod('x', { refusal: kept(noon, 'shop') })] } }, a.drainedFor('new'))

  expect(done(early)).toEqual([])
  expect(early.wakeAt).toBe(noon + 5_000)
  expect(condition(early, 'Ready')).toMatchObject({ reason: 'Draining' })
  expect(condition(early, 'Ready').message).toContain(
    'pod "shop/x" is protected by PodDisruptionBudget "shop", which needs 4 healthy pods and has 4',
  )
  expect(done(later)).toEqual(['evict a x'])
})

test('a pod that several budgets cover is told of at once: no time will bring its eviction', () => {
  const decision = upgrade({ pods: { a: [aPod('x', { refusal: kept(noon + 5_000, 'one', 'two') })] } }, a.drainedFor('new'))

  expect(verdict(decision).Stalled).toBe('True DrainBlocked')
  expect(condition(decision, 'Stalled').message).toContain('is covered by the PodDisruptionBudgets "one" and "two"')
})

test('a node without pods to wait for is granted what it needs, in one step and whatever the budget', () => {
  const pods = { a: [aPod('agent', { controller: 'DaemonSet' })] }

  expect(done(upgrade({ pods }, a.drainedFor('new'), b))).toEqual(['assign a new drain'])
  expect(done(upgrade({ pods, disruption: 'reboot' }, a.drainedFor('new'), b))).toEqual(['assign a new reboot'])
})

test('what blocks the longest is told first', () => {
  const pods = { a: [aPod('x', { emptyDir: true })], b: [aPod('y', { emptyDir: true })] }
  const decision = upgrade({ pods, maxUnavailable: 2 }, a.drainedFor('new'), b.drainedFor('new', { at: noon - 2 * minute }))

  expect(condition(decision, 'Stalled').message).toMatch(/^"b", drained since .*; and 1 more$/)
})
