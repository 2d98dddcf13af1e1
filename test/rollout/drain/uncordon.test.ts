import { expect, test } from 'vitest'
import { uncordonStrays } from '../../../src/rollout/drain/strays.ts'
import { condition, phases } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { a, b, done, upgrade } from './upgrade.ts'

test('a node is uncordoned when the change holds, and soaks with pods on it', () => {
  const proved = aNode('a')
    .on('new', { at: noon - 30_000 })
    .drainedFor('new')
  const decision = upgrade({ waves: [aWave('canary', 1, { soak: 10 * minute })] }, proved, b)

  expect(done(decision)).toEqual(['uncordon a'])
  expect(phases(decision)).toEqual({ Soaking: 1, Waiting: 1 })
})

test('a pool is not Ready before its last node is uncordoned', () => {
  const proved = aNode('a')
    .on('new', { at: noon - 30_000 })
    .drainedFor('new')
  const decision = upgrade({}, proved, aNode('b').on('new'))

  expect(done(decision)).toEqual(['uncordon a'])
  expect(condition(decision, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Uncordoning',
    message: '2 of 2 nodes are at new; uncordons "a"',
  })
})

test('a node stays cordoned while its agent is at work, and while it is not Ready', () => {
  expect(
    done(
      upgrade(
        {},
        aNode('a')
          .assignedTo('new', { at: noon - 1_000 })
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual([])
  expect(
    done(
      upgrade(
        {},
        aNode('a')
          .on('new', { at: noon - 1_000 })
          .notReady(noon - 500)
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual([])
})

test('a node whose agent put the change back is uncordoned; one that it could not put back is not', () => {
  const pool = { onFailure: 'Halt' as const }

  expect(
    done(
      upgrade(
        pool,
        aNode('a')
          .rolledBackFrom('new', { at: noon - 1_000 })
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual(['uncordon a'])
  expect(
    done(
      upgrade(
        pool,
        aNode('a')
          .assignedTo('new', { at: noon - 1_000 })
          .reporting('Failed', { active: 'older' })
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual([])
})

test('a halted pool uncordons what it was about to drain', () => {
  const pool = { onFailure: 'Halt' as const, maxUnavailable: 2, rejected: ['new'] }

  expect(done(upgrade(pool, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})

test('a node that a person holds in the middle of its drain is uncordoned', () => {
  expect(done(upgrade({}, a.drainedFor('new').held()))).toEqual(['uncordon a'])
})

test('a node on which no pod runs stays cordoned when a commit arrives for which it has to wait', () => {
  const unfit = aNode('a')
    .on('older', { at: noon - 30 * minute })
    .noting('Failed')
    .drainedFor('older', { at: noon - 31 * minute })
  const canary = b.labelled({ tier: 'canary' })
  const waves = [aWave('canary', { tier: 'canary' }), aWave('rest', '100%')]

  expect(done(upgrade({ waves, maxUnavailable: 2 }, unfit, canary))).toEqual(['cordon b Ours'])
})

test('a node that is deleted in the middle of its drain stays cordoned', () => {
  expect(done(upgrade({}, a.drainedFor('new').beingDeleted(), aNode('b').on('new')))).toEqual([])
  expect(uncordonStrays([a.drainedFor('new').beingDeleted()])).toEqual([])
})

test('a node that is not Ready stays cordoned whatever comes of its drain, unless it is held', () => {
  const down = noon - 500
  const halts = { onFailure: 'Halt' as const, rejected: ['new'] }
  const waves = [aWave('canary', { tier: 'canary' }), aWave('rest', '100%')]
  const changed = aNode('a')
    .on('older', { at: noon - 3 * minute })
    .drainedFor('older', { at: noon - 4 * minute })
  const undone = aNode('a')
    .rolledBackFrom('new', { at: noon - 1_000 })
    .drainedFor('new')

  for (const [pool, node] of [
    [{ waves }, changed],
    [halts, a.drainedFor('new')],
    [halts, undone],
  ] as const) {
    expect(done(upgrade(pool, node, b.labelled({ tier: 'canary' })))).toContain('uncordon a')
    expect(done(upgrade(pool, node.notReady(down), b.labelled({ tier: 'canary' })))).not.toContain('uncordon a')
  }
  expect(done(upgrade({}, a.drainedFor('new').notReady(down).held()))).toEqual(['uncordon a'])
})

test('a node that is not Ready loses the mark of our drain when that is over and the cordon is not ours, so that no cordon set later is taken for ours', () => {
  const halts = { onFailure: 'Halt' as const, rejected: ['new'] }
  const uncordoned = a.drainedFor('new').uncordoned()
  const found = a.drainedFor('new', { state: 'Found' })

  expect(done(upgrade(halts, uncordoned.notReady(), b))).toEqual(['unmark a'])
  expect(done(upgrade(halts, found.notReady(), b))).toEqual(['unmark a'])
})
