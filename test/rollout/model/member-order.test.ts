import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { inOrder } from '../../../src/rollout/model/member-order.ts'
import { selected } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { wantedConfig } from '../builders/revisions.ts'

test('nodes are taken zone by zone', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 3 }).with(
    aNode('a').on('older').inZone('west'),
    aNode('b').on('older').inZone('east'),
    aNode('c').on('older').inZone('west'),
    aNode('d').on('older').inZone('east'),
  )

  expect(selected(decide(pool, noon)).slice(0, 2).toSorted()).toEqual(['b', 'd'])
})

test('nodes that an unfinished rollout broke come before all others, whatever their wave', () => {
  const waves = [aWave('canary', { rack: '1' }, { soak: minute })]
  const pool = aPool({ stable: 'older', waves }).with(
    aNode('a').on('older').labelled({ rack: '1' }),
    aNode('b').on('unfinished').notReady().inZone('zone-z'),
  )

  expect(selected(decide(pool, noon))).toEqual(['b', 'a'])
})

test('a broken node takes the place of the canary', () => {
  const pool = aPool({ stable: 'older', waves: [aWave('canary', 1, { soak: minute })] }).with(
    ...['a', 'b', 'c', 'd', 'e'].map((name) => aNode(name).on('older')),
    aNode('z').rolledBackFrom('unfinished'),
  )

  expect(selected(decide(pool, noon))).toEqual(['z'])
})

test('nodes in an outage on the stable content wait for their wave', () => {
  const pool = aPool({ stable: 'older', waves: [aWave('canary', 1)], maxUnavailable: 3 }).with(
    aNode('a').on('older').notReady(),
    aNode('b').on('older').notReady(),
    aNode('c').on('older'),
  )

  expect(selected(decide(pool, noon))).toEqual(['c'])
})

test('nodes of a passed wave come before those of the open one', () => {
  const waves = [aWave('canary', { rack: '1' }), aWave('rest', '100%')]
  const pool = aPool({ stable: 'older', since: noon - minute, waves, wave: { index: 2, count: 2, name: 'rest' } }).with(
    aNode('a').on('older').inZone('zone-a'),
    aNode('b').on('older').labelled({ rack: '1' }).inZone('zone-b'),
  )

  expect(selected(decide(pool, noon))).toEqual(['b', 'a'])
})

test('nodes that do not change are no canaries', () => {
  const wants = { a: { digest: 'older' }, b: { digest: 'older' }, c: { digest: 'older' } }
  const pool = aPool({ stable: 'older', waves: [aWave('canary', 1, { soak: minute })], wants }).with(
    ...['a', 'b', 'c', 'd', 'e'].map((name) => aNode(name).on('older')),
  )

  expect(selected(decide(pool, noon))).toHaveLength(1)
  expect(['d', 'e']).toContain(selected(decide(pool, noon))[0])
})

test('a node at work that asks for more comes before others, in however late a wave', () => {
  const asks = aMember(aNode('a').on('older').assignedTo('new'), { wave: 3, assigned: true })
  const waits = aMember(aNode('b').on('older'), { wave: 0 })

  expect(inOrder([waits, asks]).map(({ node }) => node.name)).toEqual(['a', 'b'])
})

test('a broken node whose drain for the target was given up comes last for its repair, too', () => {
  const skipped = aMember(aNode('a').on('bad').drainedFor('new', { state: 'Skipped' }), {
    wanted: wantedConfig({ digest: 'older' }),
    broken: true,
  })
  const waits = aMember(aNode('b').on('older'))

  expect(inOrder([skipped, waits]).map(({ node }) => node.name)).toEqual(['b', 'a'])
})
