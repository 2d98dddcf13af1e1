import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { a, b, done, upgrade } from './upgrade.ts'

test('a node that must be drained is cordoned first, as far as the budget goes', () => {
  const decision = upgrade({}, a, b)

  expect(decision.actions).toHaveLength(1)
  expect(decision.actions[0]).toMatchObject({ kind: 'cordon', mark: { digest: 'new', at: noon, state: 'Ours' } })
})

test('a change that needs no drain, and a pool that never drains, cordon nobody', () => {
  expect(done(upgrade({ disruption: 'restart' }, a))).toEqual(['assign a new restart'])
  expect(done(upgrade({ drain: 'Never' }, a))).toEqual(['assign a new drain'])
  expect(done(upgrade({ drain: 'Never', disruption: 'reboot' }, a))).toEqual(['assign a new reboot'])
})

test('a pool that always drains does so before a mere restart, and not where nothing is disturbed', () => {
  expect(done(upgrade({ drain: 'Always', disruption: 'restart' }, a))).toEqual(['cordon a Ours'])
  expect(done(upgrade({ drain: 'Always', disruption: 'none' }, a))).toEqual(['assign a new none'])
})

test('nodes that need no drain are changed though others need one', () => {
  const wants = { a: { disruption: 'drain' as const } }

  expect(done(upgrade({ disruption: 'restart', wants, maxUnavailable: 2 }, a, b)).toSorted()).toEqual([
    'assign b new restart',
    'cordon a Ours',
  ])
})

test('nodes that join are drained within the budget, and need none where no drain comes first', () => {
  const pool = { stable: 'older', head: 'older', since: undefined, maxUnavailable: 1 } as const
  const joining = [aYoungNode('x'), aYoungNode('y')]
  const first = (disruption: 'drain' | 'restart') => {
    const draft = aPool({ stable: pool.stable, head: pool.head, maxUnavailable: 1, wants: {}, disruption }).with(...joining)
    return decide(draft, noon).actions.map(({ kind }) => kind)
  }

  expect(first('restart')).toEqual(['assign', 'assign'])
  expect(first('drain')).toEqual(['cordon'])
})

test('nodes that were put back are drained within the budget, for content that they run already', () => {
  const undone = ['x', 'y', 'z'].map((name) =>
    aNode(name)
      .on('older')
      .rolledBackFrom('new', { at: noon - 5 * minute }),
  )
  const back = { stable: 'older', head: 'older', maxUnavailable: 2 } as const

  expect(done(upgrade(back, ...undone))).toEqual(['cordon x Ours', 'cordon z Ours'])
  expect(done(upgrade({ ...back, disruption: 'restart' }, ...undone))).toHaveLength(3)
})
