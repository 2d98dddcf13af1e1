import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { phases } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { a, b, done, upgrade } from './upgrade.ts'

test('a broken node that somebody cordoned is mended all the same', () => {
  const broken = aNode('a').rolledBackFrom('bad').cordoned()

  expect(done(upgrade({ disruption: 'restart', history: [] }, broken))).toEqual(['assign a new restart'])
})

test('an outage is not drained: its pods could not end; it comes when the node is back', () => {
  const decision = upgrade({ maxUnavailable: 2 }, a.notReady(), b)

  expect(done(decision)).toEqual(['cordon b Ours'])
  expect(phases(decision)).toEqual({ Waiting: 1, Unreachable: 1 })
})

test('a machine whose kubelet has never reported needs no drain: nothing can run there', () => {
  const bare = aNode('a').running('').notReady()

  expect(done(upgrade({}, bare))).toEqual(['assign a new drain'])
})

test('a node that the rollout left not Ready is mended before it is uncordoned', () => {
  const left = aNode('a')
    .rolledBackFrom('new', { at: noon - minute })
    .notReady()
    .drainedFor('new')

  expect(done(upgrade({ head: 'newer', disruption: 'restart' }, left, b))).toEqual(['assign a newer restart'])
})

test('a node that the rollout left not Ready, and that a person uncordoned, is mended and not cordoned again', () => {
  const fallen = aNode('a')
    .assignedTo('bad', { at: noon - 2 * minute })
    .notReady()
    .drainedFor('new')
    .uncordoned()
  const stale = aNode('a')
    .assignedTo('bad', { at: noon - 2 * minute })
    .notReady()
    .drainedFor('bad')
    .uncordoned()

  expect(done(upgrade({}, fallen, b))).toEqual(['assign a new drain'])
  expect(done(upgrade({}, stale, b))).toEqual(['cordon a Ours'])
})

test('a node that the rollout left not Ready is mended without a drain', () => {
  expect(
    done(
      upgrade(
        { head: 'newer' },
        aNode('a')
          .rolledBackFrom('new', { at: noon - minute })
          .notReady(),
      ),
    ),
  ).toEqual(['assign a newer drain'])
})

test('a node that a superseded commit left sound is not changed without its drain while it is not Ready for less than a minute', () => {
  const history = [aRollout('newer', { startedAt: noon - minute }), aRollout('new', { result: 'Superseded' })]
  const worked = aNode('a').on('new', { at: noon - 20 * minute })
  const undone = aNode('a').rolledBackFrom('new', { at: noon - 20 * minute })
  const blink = noon - minute + 1
  const drained = upgrade({ head: 'newer', history, pods: { a: [aPod('x')] } }, worked.notReady(blink).drainedFor('newer'))

  expect(done(upgrade({ head: 'newer', history }, worked.notReady(blink)))).toEqual([])
  expect(done(upgrade({ head: 'newer', history }, undone.notReady(blink)))).toEqual([])
  expect(done(drained)).toEqual(['evict a x'])
  expect(drained.wakeAt).toBe(noon + 1)
  expect(done(upgrade({ head: 'newer', history }, worked.notReady(noon - minute)))).toEqual(['assign a newer drain'])
  expect(done(upgrade({ head: 'newer', history }, worked))).toEqual(['cordon a Ours'])
})

test('a broken node that is not Ready by a stamp from far ahead does not wait for the drain that would end with it', () => {
  const history = [aRollout('newer', { startedAt: noon - minute }), aRollout('new', { result: 'Superseded' })]
  const undone = aNode('a').rolledBackFrom('new', { at: noon - 20 * minute })

  expect(done(upgrade({ head: 'newer', history }, undone.notReady(noon + 90 * minute)))).toEqual(['assign a newer drain'])
})

test('a node that a minute ago was at work and is not Ready is drained: it may well come back by itself', () => {
  expect(
    done(
      upgrade(
        { head: 'newer' },
        aNode('a')
          .assignedTo('new', { at: noon - minute })
          .notReady(),
      ),
    ),
  ).toEqual(['cordon a Ours'])
})

test('nodes that are down and use up the budget try the change without a drain', () => {
  expect(done(upgrade({}, a.notReady(noon - 15 * minute), b))).toEqual(['assign a new drain'])
  expect(done(upgrade({}, a.notReady(noon - 14 * minute), b))).toEqual([])
  expect(upgrade({}, a.notReady(noon - 14 * minute), b).wakeAt).toBe(noon + minute)
})

test('a node that went down in its drain is looked at again when its pods are given up, though the deadline is long past', () => {
  const node = aNode('a')
    .assignedTo('new', { at: noon - 20 * minute })
    .notReady(noon - 14 * minute)
    .drainedFor('newer', { at: noon - 30 * minute })
  const decision = upgrade({ head: 'newer', pods: { a: [aPod('x', { terminating: true })] } }, node)

  expect(done(decision)).toEqual([])
  expect(decision.wakeAt).toBe(noon + minute)
})

test('a node that blinks is not given what it would be drained for when the clock is put forward by more than work may take', () => {
  const pool = aPool({ stable: 'older', disruption: 'drain', maxUnavailable: 2 }).with(a.notReady(noon - 30 * minute))

  expect(done(decide(pool, noon))).toEqual(['assign a new drain'])
  expect(done(decide({ ...pool, steadySince: noon - minute }, noon))).toEqual([])
})
