import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, remembering, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

/** Where `new` has completed: what nodes are not at comes from their facts, or they were away. */
const completed = (options: PoolOptions & { readonly failures?: number } = {}) =>
  aPool({
    stable: 'new',
    maxUnavailable: 10,
    ...options,
    history: [
      {
        ...aRollout('new', { startedAt: noon - 3 * hour, result: 'Completed' }),
        ...(options.failures !== undefined && { failures: options.failures }),
      },
    ],
  })

const failed = (...names: string[]) => nodes(...names).map((node) => node.rolledBackFrom('new', { at: noon - hour }))
const others = nodes('x', 'y').map((node) => node.on('before'))

test('a completed pool gives new content to no further node when more nodes failed than it tolerates', () => {
  const decision = decide(completed().with(...failed('a'), ...others), noon)

  expect(assignments(decision)).toEqual([])
  expect(verdict(decision)).toEqual({ Ready: 'False NodesFailed', Reconciling: 'False NodesFailed', Stalled: 'True NodesFailed' })
})

test('a completed pool goes on to count a node that went down in its trial when another controller begins', () => {
  const down = aNode('a')
    .on('new', { at: noon - hour })
    .reporting('Applied', { lastKnownGood: 'before' })
    .notReady(noon - 30 * minute)
  const pool = completed().with(down, ...others)
  const begun = { ...remembering(pool, decide(pool, noon)), watchedSince: noon + minute }

  expect(assignments(decide(begun, noon + minute))).toEqual([])
})

const silent = aNode('a')
  .on('new', { at: noon - hour })
  .reporting('Applying')
const fallen = aNode('a')
  .on('new', { at: noon - hour })
  .reporting('Applied', { lastKnownGood: 'before' })
  .notReady(noon - 30 * minute)

test.each([
  ['has not ended its work', silent],
  ['went down in its trial', fallen],
])('a completed pool goes on to count a node that %s when the API server was away', (_, node) => {
  const pool = completed().with(node, ...others)
  const first = decide(pool, noon)
  const back = { ...remembering(pool, first), steadySince: noon + minute }

  expect(assignments(first)).toEqual([])
  expect(assignments(decide(back, noon + minute))).toEqual([])
})

test('a completed pool goes on while it tolerates the failures', () => {
  const decision = decide(completed({ maxFailures: 1 }).with(...failed('a'), ...others), noon)

  expect(assignments(decision)).toEqual(['x → new', 'y → new'])
})

test('a completed pool goes on when its rollout had as many failures', () => {
  const pool = completed({ failures: 1 })

  expect(assignments(decide(pool.with(...failed('a'), ...others), noon))).toEqual(['x → new', 'y → new'])
  expect(assignments(decide(pool.with(...failed('a', 'b'), ...others), noon))).toEqual([])
})

test('a failed node that is held, or whose reboot failed, stops no other', () => {
  const held = aNode('a')
    .rolledBackFrom('new', { at: noon - hour })
    .held()
  const error = { reason: 'NotRebooted', message: 'the machine still runs' }
  const rebooted = aNode('b')
    .on('new')
    .orderedToReboot('new', { boot: '1' }, { at: noon - hour })
    .reporting('Failed', { error })

  expect(assignments(decide(completed().with(held, rebooted, ...others), noon))).toEqual(['x → new', 'y → new'])
})

test('nodes that join, that have begun, or that a rollout has broken get their content beside a failure', () => {
  const joining = aYoungNode('j')
  const drained = aNode('d').on('before').drainedFor('new')
  const broken = aNode('k')
    .rolledBackFrom('older', { at: noon - 2 * minute })
    .notReady(noon - minute)

  const decision = decide(
    completed({ pods: { d: [] }, wants: { d: { disruption: 'drain' } } }).with(
      ...failed('a'),
      joining,
      drained,
      broken,
      ...others,
    ),
    noon,
  )

  expect(assignments(decision)).toEqual(['d → new', 'k → new', 'j → new'])
})

test('a node that somebody took its assignment from, and that still has the content, gets it back beside a failure', () => {
  const { assigned, ...robbed } = aNode('r').on('new')

  expect(assignments(decide(completed().with(...failed('a'), robbed, ...others), noon))).toEqual(['r → new'])
})

test('a node in an outage has not failed when its labels change meanwhile, and stops no other', () => {
  const down = aNode('a')
    .on('new', { at: noon - hour })
    .notReady(noon - 10 * minute)
  const relabelled = (node: NodeDraft) => completed({ wants: { a: { digest: 'new, by labels' } } }).with(node, ...others)
  const decision = decide(relabelled(down), noon)
  const again = down.assignedBy(decision.actions.find((action) => action.kind === 'assign' && action.node === 'a'))
  const later = decide({ ...relabelled(again), memory: decision.status }, noon + 20 * minute)

  expect(assignments(later)).toEqual(['x → new', 'y → new'])
  expect(later.status.history[0]).not.toHaveProperty('laterFailures')
})
