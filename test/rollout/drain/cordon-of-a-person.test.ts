import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, phases } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { a, b, done, upgrade } from './upgrade.ts'

test('a cordon that somebody else set is never taken back, and the node is left until it is', () => {
  const decision = upgrade({ maxUnavailable: 2 }, a.cordoned(), b)

  expect(done(decision)).toEqual(['cordon b Ours'])
  expect(phases(decision)).toEqual({ Waiting: 1, Skipped: 1 })
  expect(done(upgrade({ maxUnavailable: 2, disruption: 'restart' }, a.cordoned()))).toEqual([])
})

test('a cordon that somebody else set stays when its node is changed by consent', () => {
  const pool = { cordoned: 'Change' as const }
  const found = { state: 'Found' as const }

  expect(done(upgrade({ ...pool, disruption: 'restart' }, a.cordoned()))).toEqual(['assign a new restart'])
  expect(done(upgrade(pool, a.cordoned()))).toEqual(['cordon a Found'])
  expect(done(upgrade({ ...pool, pods: { a: [] } }, a.drainedFor('new', found)))).toEqual(['assign a new drain'])
  expect(
    done(
      upgrade(
        pool,
        aNode('a')
          .on('new', { at: noon - 1_000 })
          .drainedFor('new', found),
        b.cordoned(),
      ),
    ),
  ).toEqual(['unmark a', 'cordon b Found'])
})

test('a person who uncordons a node in the middle of its drain calls the drain off', () => {
  const decision = upgrade({ pods: { a: [aPod('x')] } }, a.drainedFor('new').uncordoned(), b)

  expect(decision.actions[0]).toEqual({
    kind: 'uncordon',
    node: 'a',
    lifts: false,
    mark: { digest: 'new', at: noon, state: 'Released' },
  })
  expect(done(upgrade({}, a.drainedFor('new', { at: 0, state: 'Released' })))).toEqual([])
  expect(done(upgrade({ head: 'newer' }, a.drainedFor('new', { at: 0, state: 'Released' })))).toEqual(['cordon a Ours'])
})

test.each([
  ['the stable content', a],
  ['a superseded commit', aNode('a').on('mid')],
])(
  'a person who uncordons a node in the middle of its drain calls the drain off, also when it is not Ready with %s',
  (_, node) => {
    const released = node
      .notReady(noon - 2_000)
      .drainedFor('new')
      .uncordoned()
    const decision = upgrade({ waves: [aWave('canary', 1)], maxUnavailable: 2 }, released, b)

    expect(done(decision)).toEqual(['unmark a Released', 'cordon b Ours'])
  },
)

test('a node that joins and whose drain for the proven content a person called off is reached by the next commit, once it is its turn', () => {
  const joining = aNode('a').drainedFor('older', { at: 0, state: 'Released' })
  const waves = [aWave('canary', { rack: '9' }), aWave('rest', '100%')]

  expect(done(upgrade({ drain: 'Always', head: 'older' }, joining))).toEqual([])
  expect(done(upgrade({ drain: 'Always', waves }, joining, b.labelled({ rack: '9' })))).toEqual(['cordon b Ours'])
  expect(done(upgrade({ drain: 'Always' }, joining))).toEqual(['cordon a Ours'])
  expect(done(upgrade({ pods: { a: [] } }, joining.drainedFor('new')))).toEqual(['assign a new drain'])
  expect(done(upgrade({ drain: 'Never', disruption: 'restart' }, joining))).toEqual(['assign a new restart'])
})

test('a person who uncordoned a node for an older change does not mean the newer one', () => {
  expect(done(upgrade({ head: 'newer' }, a.drainedFor('new').uncordoned()))).toEqual(['unmark a'])
})

test('a person who takes away their own cordon leaves the node like any other', () => {
  expect(done(upgrade({ cordoned: 'Change' }, a.drainedFor('new', { state: 'Found' }).uncordoned()))).toEqual(['unmark a'])
})

test('a person who uncordons a node that broke after its drain, and cordons it later, has that cordon for their own', () => {
  const halted = { since: noon - 50 * minute, onFailure: 'Halt', rejected: ['new'] } as const
  const drained = aNode('a')
    .assignedTo('new', { at: noon - 40 * minute })
    .drainedFor('new', { at: noon - 45 * minute })
    .uncordoned()
  const down = drained.reporting('Applied').notReady(noon - 30 * minute)
  const unrestored = drained.reporting('Failed', { error: { reason: 'RestoreFailed', message: 'no space left' } })
  const stuck = drained.reporting('Applying')

  for (const broken of [down, unrestored, stuck]) expect(done(upgrade(halted, broken))).toEqual(['unmark a'])
  expect(done(upgrade({ since: noon - 50 * minute }, stuck.assignedTo('new').reporting('Applying')))).toEqual([])
})

test('a person who cordons again a node whose drain was called off has it for their own', () => {
  expect(done(upgrade({}, a.drainedFor('new', { state: 'Released' }).cordoned()))).toEqual([])
  expect(done(upgrade({ cordoned: 'Change' }, a.drainedFor('new', { state: 'Released' }).cordoned()))).toEqual([])
})

test('a node that was uncordoned in the middle of the drain that its agent asked for is not drained for that under a cordon of a person', () => {
  const asking = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { active: 'older', needs: 'drain' })

  expect(done(upgrade({}, asking.drainedFor('new', { state: 'Released' }).cordoned()))).toEqual([])
  expect(done(upgrade({}, asking.cordoned()))).toEqual(['cordon a Found'])
})

test('a node that somebody cordoned is left although its agent refuses what a backup brought back', () => {
  const error = { reason: 'AssignmentReplayed', message: 'its COUNTER is 5' }
  const refusing = aNode('a')
    .assignedTo('other', { at: noon - hour, counter: 5 })
    .reporting('RolledBack', { active: 'older', counter: 9, error })
  const pool = aPool({ stable: 'older', since: noon - minute, waves: [aWave('all', '100%')] })
  const others = aNode('b').on('older')

  expect(assignments(decide(pool.with(refusing, others), noon))).toContain('a → new')
  expect(assignments(decide(pool.with(refusing.cordoned(), others), noon))).toEqual(['b → new'])
})
