import { expect, test } from 'vitest'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { a, b, done, upgrade } from './upgrade.ts'

test('a node whose agent is at work stays cordoned when a newer commit needs no drain', () => {
  const atWork = aNode('a')
    .assignedTo('new', { at: noon - 1_000 })
    .drainedFor('new')

  expect(done(upgrade({ head: 'newer', disruption: 'restart' }, atWork, b))).toEqual(['assign a newer restart'])
})

test('a newer commit that needs no drain uncordons the node, then takes it like any other', () => {
  expect(done(upgrade({ head: 'newer', disruption: 'restart' }, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})

test('a newer commit that needs a drain goes on with the one under way', () => {
  expect(done(upgrade({ head: 'newer', pods: { a: [aPod('x')] } }, a.drainedFor('new'), b))).toEqual([
    'cordon a Ours',
    'evict a x',
  ])
  expect(upgrade({ head: 'newer', pods: { a: [aPod('x')] } }, a.drainedFor('new'), b).actions[0]).toMatchObject({
    mark: { digest: 'newer', at: noon - minute },
  })
  expect(done(upgrade({ head: 'newer', pods: { a: [] } }, a.drainedFor('new'), b))).toEqual(['assign a newer drain'])
})

test('a cordoned node is the canary of the newer commit, so that no second one is cordoned for it', () => {
  for (const [cordoned, other] of [
    [a, b],
    [b, a],
  ] as const)
    expect(
      done(
        upgrade(
          { head: 'newer', waves: [aWave('canary', 1)], maxUnavailable: 2, pods: { [cordoned.name]: [] } },
          cordoned.drainedFor('new'),
          other,
        ),
      ),
    ).toEqual([`assign ${cordoned.name} newer drain`])
})

test('nodes under drain whose turn a newer commit takes away are uncordoned', () => {
  const pool = { head: 'newer', waves: [aWave('canary', 1)], maxUnavailable: 2, pods: { a: [], b: [] } }

  expect(done(upgrade(pool, a.drainedFor('new'), b.drainedFor('new'))).map((text) => text.split(' ')[0])).toEqual([
    'uncordon',
    'assign',
  ])
})

test('a revert in the middle of a drain uncordons the node', () => {
  expect(done(upgrade({ head: 'older', history: [] }, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})
