import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, phases, remembering } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { b, done, upgrade } from './upgrade.ts'

test('an agent that finds it needs a drain gets it, and then the greater grant', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'drain', active: 'older' })

  expect(done(upgrade({ disruption: 'restart' }, blocked, b))).toEqual(['cordon a Ours'])
  expect(done(upgrade({ disruption: 'restart', pods: { a: [aPod('x')] } }, blocked.drainedFor('new'), b))).toEqual(['evict a x'])
  expect(done(upgrade({ disruption: 'restart', pods: { a: [] } }, blocked.drainedFor('new'), b))).toEqual(['assign a new drain'])
})

test('an agent that waits for a greater grant disturbs nothing yet, and gets it within the budget', () => {
  const blocked = (name: string) =>
    aNode(name)
      .assignedTo('new', { at: noon - minute })
      .reporting('Blocked', { needs: 'drain', active: 'older' })

  expect(done(upgrade({ disruption: 'restart' }, blocked('a'), blocked('b')))).toHaveLength(1)
  expect(done(upgrade({ disruption: 'restart', drain: 'Never' }, blocked('a'), blocked('b')))).toHaveLength(1)
  expect(done(upgrade({ disruption: 'restart' }, blocked('a'), b.notReady(noon - minute)))).toEqual(['assign b new restart'])
})

test('an agent that waits for its drain does not fail by its deadline', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - 20 * minute })
    .reporting('Blocked', { needs: 'reboot', active: 'older' })
  const decision = upgrade({ since: noon - 30 * minute, pods: { a: [aPod('x')] } }, blocked.drainedFor('new'), b)

  expect(phases(decision)).toEqual({ Draining: 1, Waiting: 1 })
  expect(decision.status.rejected).toEqual([])
})

/** It is noon. */
const nights: readonly Window[] = [{ action: 'allow', schedule: '0 22 * * *', duration: 6 * hour, timeZone: 'UTC' }]

test.each([
  ['a window is closed', { windows: nights }, b, 'WaitingForWindow'],
  ['the pool is paused', { controls: { paused: 'storm' } }, b, 'Paused'],
  ['the budget is used up', {}, b.cordoned(), 'WaitingForBudget'],
] as const)('an agent that asked for a drain in time does not fail while %s', (_, options, other, reason) => {
  const asking = aNode('a')
    .assignedTo('new', { at: noon - 20 * minute })
    .reporting('Blocked', { needs: 'drain', active: 'older' })
  const decision = upgrade({ since: noon - 30 * minute, disruption: 'restart', ...options }, asking, other)

  expect(phases(decision).Failed).toBeUndefined()
  expect(decision.status.rejected).toEqual([])
  expect(done(decision)).toEqual([])
  expect(condition(decision, 'Ready').reason).toBe(reason)
})

test('an agent that asks to go back, and may not drain yet, fails by its deadline', () => {
  const error = { reason: 'TrialFailed', message: 'failed to validate config: kubelet went bad during its trial: out of luck' }
  const bad = aNode('a')
    .assignedTo('new', { at: noon - 20 * minute })
    .reporting('Blocked', { needs: 'drain', active: 'new', error })
  const decision = upgrade({ since: noon - 30 * minute, disruption: 'restart', windows: nights }, bad, b)

  expect(decision.status.rejected).toMatchObject([{ revision: 'new' }])
})

test('an agent gets a greater grant at once when the policy never drains', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'reboot' })

  expect(done(upgrade({ drain: 'Never' }, blocked))).toEqual(['assign a new reboot'])
})

test('an agent whose host went bad and that asks to go back by a reboot is drained, and granted that', () => {
  const error = { reason: 'TrialFailed', message: 'failed to validate config: kubelet went bad during its trial: out of luck' }
  const stuck = aNode('a')
    .assignedTo('new', { at: noon - 12 * minute })
    .reporting('Blocked', { needs: 'reboot', active: 'new', error })

  expect(done(upgrade({ since: noon - 30 * minute, pods: { a: [aPod('x')] } }, stuck, b))).toEqual(['cordon a Ours'])
  expect(done(upgrade({ since: noon - 30 * minute, pods: { a: [] } }, stuck.drainedFor('new'), b))).toEqual([
    'assign a new reboot',
  ])
})

test('agents that have to merge what others wrote restart within the budget, though a restart was granted before', () => {
  const error = { reason: 'ChangedByOthers', message: 'others have changed /var/lib/kubelet/config.yaml' }
  const merging = (name: string) => aNode(name).on('new').reporting('Blocked', { needs: 'restart', active: 'new', error })
  const pool = (...members: NodeDraft[]) => upgrade({ stable: 'new', since: noon - 3 * 60 * minute }, ...members)

  const all = pool(merging('a'), merging('b'), merging('c'))
  expect(done(all)).toEqual(['assign b new restart'])
  expect(phases(all)).toEqual({ Current: 3 })
  expect(
    done(
      pool(
        merging('a'),
        aNode('b')
          .on('new')
          .notReady(noon - minute),
      ),
    ),
  ).toEqual([])
})

test('a wave whose agents all ask for a drain opens no other wave, and says what it waits for', () => {
  const asking = (name: string) =>
    aNode(name)
      .assignedTo('new', { at: noon - 20 * minute })
      .reporting('Blocked', { needs: 'drain', active: 'older' })
  const options = { since: noon - 30 * minute, disruption: 'restart', waves: [aWave('canary', 2)], windows: nights } as const
  const decision = upgrade(options, asking('x'), asking('y'), aNode('c').on('older'), b)

  expect(done(decision)).toEqual([])
  expect(decision.status.wave).toMatchObject({ index: 1, name: 'canary' })
  expect(phases(decision)).toEqual({ Waiting: 4 })
  expect(condition(decision, 'Ready').reason).toBe('WaitingForWindow')
})

test('a node that is drained because its agent asked for it is uncordoned when a pause stops drains, and when the pool halts', () => {
  const drained = aNode('a')
    .on('older')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'drain', active: 'older' })
    .drainedFor('new')
  const stops = { controls: { paused: 'the drain hurts', stopDrains: true } } as const
  const halts = { onFailure: 'Halt', rejected: ['new'] } as const

  expect(done(upgrade(stops, drained, b))).toEqual(['uncordon a'])
  expect(done(upgrade(halts, drained, b))).toEqual(['uncordon a'])
  expect(done(upgrade({ controls: { paused: '' }, pods: { a: [aPod('x')] } }, drained, b))).toEqual(['evict a x'])
})

test('an agent that waits for its drain fails no commit when its node is not Ready for a moment', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - hour })
    .reporting('Blocked', { needs: 'reboot', active: 'older' })
  const whenDownFor = (minutes: number) =>
    upgrade({ since: noon - 2 * hour, windows: nights }, blocked.notReady(noon - minutes * minute), b)

  expect(whenDownFor(1).status.rejected).toEqual([])
  expect(whenDownFor(1).wakeAt).toBe(noon + 14 * minute)
  expect(whenDownFor(15).status.rejected.map(({ revision }) => revision)).toEqual(['new'])
})

test('a wave waits for a node whose agent asks for a drain, and that is not Ready for a moment', () => {
  const node = aNode('a')
    .assignedTo('new', { at: noon - 5 * minute })
    .reporting('Blocked', { needs: 'drain', active: 'older' })
  const options = { since: noon - hour, waves: [aWave('canary', 2)], maxUnavailable: 2, maxFailures: 1 }
  const nextTo = (other: NodeDraft) => upgrade(options, node.notReady(noon - 1000), other)
  const failed = aNode('b').rolledBackFrom('new', { at: noon - 40 * minute })

  expect(nextTo(aNode('b').on('new', { at: noon - 40 * minute })).status.history[0]?.result).toBe('Running')
  expect(nextTo(failed).status.rejected).toEqual([])
})

test('an agent that asks for a drain gets it when its node is Ready again, or was not sound before', () => {
  const asks = aNode('a')
    .assignedTo('new', { at: noon - 10 * minute })
    .reporting('Blocked', { needs: 'drain', active: 'older' })
  const options = { since: noon - hour, disruption: 'restart' } as const
  const down = asks.notReady(noon - 2 * minute)

  expect(done(upgrade(options, down))).toEqual([])
  expect(done(upgrade(options, down.readyAgain(noon)))).toEqual(['cordon a Ours'])
  expect(done(upgrade(options, down.takenDown()))).toEqual(['assign a new drain'])
})

test('an agent that asks for a drain, and failed because its node is not Ready, is not drained before that is back when the controller starts again', () => {
  const asks = aNode('a')
    .assignedTo('new', { at: noon - 50 * minute })
    .reporting('Blocked', { needs: 'drain', active: 'older' })
    .notReady(noon - 20 * minute)
  const options = { stable: 'older', since: noon - hour, disruption: 'restart', maxUnavailable: 1, maxFailures: 1 } as const
  const members = [asks, aNode('b').on('new', { at: noon - 40 * minute }), aNode('c').on('older')]
  const failed = decide(aPool({ ...options, windows: nights }).with(...members), noon - minute)
  const startedAgain = { ...remembering(aPool(options).with(...members), failed), steadySince: noon, listedAt: noon }
  const decision = decide(startedAgain, noon + 2 * minute)

  expect(phases(decision)).toEqual({ Current: 1, Failed: 1, Waiting: 1 })
  expect(done(decision)).toEqual([])
})
