import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, remembering } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

const options: PoolOptions = {
  stable: 'older',
  since: noon - 5 * minute,
  waves: [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')],
  wave: { index: 1, count: 2, name: 'canary' },
  maxUnavailable: 3,
}
const canary = aNode('a')
  .on('older')
  .on('new', { at: noon - 3 * minute, since: noon - 2 * minute })
const others = ['b', 'c', 'd'].map((name) => aNode(name).on('older'))
const assigned = (node: NodeDraft, wants: PoolOptions['wants'] = {}) =>
  assignments(decide(aPool({ ...options, wants }).with(node, ...others), noon))

test.each<readonly [what: string, node: NodeDraft]>([
  ['is in its soak', canary],
  [
    'is at work',
    aNode('a')
      .on('older')
      .assignedTo('new', { at: noon - minute })
      .reporting('Applying'),
  ],
  ['was put back', aNode('a').rolledBackFrom('new', { at: noon - minute })],
])('a canary that %s keeps its place when its labels change and the commit wants something else of it', (_, node) => {
  expect(assigned(node, { a: { digest: 'new, by other labels' } }).filter((action) => !action.startsWith('a '))).toEqual([])
})

test('a canary that is to be tried once more keeps its place when it is held', () => {
  const ofClockAhead = aNode('a').rolledBackFrom('new', { at: noon + 60 * minute })

  expect(assigned(ofClockAhead.held())).toEqual([])
})

test('a node that was assigned the commit in another pool takes no place in the wave of this one', () => {
  const moved = aNode('a').on('other', { at: noon - minute, revision: 'new', pool: 'gpu' })
  const inTrial = aNode('b').on('new', { at: noon - 3 * minute, since: noon - 2 * minute })
  const pool = aPool(options).with(moved, inTrial, aNode('c').on('older'))

  expect(assignments(decide(pool, noon))).toEqual([])
})

test('a canary keeps its place when its labels change and the commit can no longer be rendered for it', () => {
  expect(assigned(canary, { a: { problem: 'no such label' } })).toEqual([])
})

test('a canary that was assigned between two other commits of equal content keeps its place when its labels change', () => {
  const before = aPool({ ...options, commit: 'second' }).with(aNode('a').on('older'), ...others)
  const { memory } = remembering(before, decide(before, noon - 4 * minute))
  const relabelled = aNode('a').on('new, by former labels', { at: noon - 3 * minute, revision: 'second' })
  const pool = aPool({ ...options, commit: 'third' }).with(relabelled, ...others)

  expect(assignments(decide({ ...pool, memory }, noon))).toEqual(['a → new'])
})

test('a canary keeps its place when its labels change and somebody deletes the status of its pool', () => {
  const relabelled = aNode('a').on('new, by former labels', { at: noon - 3 * minute, revision: 'new' })
  const pool = aPool({ waves: options.waves ?? [], maxUnavailable: 3 }).with(relabelled, ...others)

  expect(assignments(decide(pool, noon))).toEqual(['a → new'])
})

test('a canary for which its new labels keep the commit from being rendered fails it only when its agent could report what became of its work', () => {
  const before = aPool({ ...options, since: noon - 45 * minute }).with(aNode('a').on('older'), ...others)
  const { memory } = remembering(before, decide(before, noon - 41 * minute))
  const late = aNode('a')
    .assignedTo('new', { at: noon - 40 * minute })
    .reporting('Verifying')
  const relabelled = aPool({ ...options, wants: { a: { problem: 'no such label' } } }).with(late, ...others)
  const begun = { ...relabelled, memory, watchedSince: noon - minute }
  const first = decide(begun, noon)

  expect([first.status.rejected, first.wakeAt]).toEqual([[], noon + minute])
  expect(decide(begun, noon + minute).status.rejected).toMatchObject([{ revision: 'new' }])
})

/** How its rollout ends after its labels changed, it was assigned again and drained before where that has to be, and is down then. */
function endOf(canary: NodeDraft, disruption: 'restart' | 'drain') {
  const wants = { a: { digest: 'new, by other labels', disruption } }
  const passes = [noon, noon + minute, noon + 2 * minute, noon + 20 * minute, noon + 40 * minute, noon + 60 * minute]
  let [node, { memory }] = [canary, aPool(options).with()]
  for (const now of passes) {
    const pool = aPool({ ...options, ...(now > noon && { wants }) }).with(node, ...others)
    const { actions, status } = decide({ ...pool, memory }, now)
    memory = status
    for (const action of actions) {
      if (action.kind === 'cordon') node = node.drainedFor(action.mark.digest, { at: now })
      if (action.kind === 'assign' && action.node === 'a')
        node = node.ready ? node.assignedBy(action).notReady(now) : node.assignedBy(action)
      if ('node' in action && action.node !== 'a') return action
      if (memory.rejected.length > 0) return 'rejected'
    }
  }
  return memory.rejected
}

test.each(['restart', 'drain'] as const)(
  'a canary that the commit took down fails it when its labels change, which takes a %s, and no other node is exposed',
  (disruption) => {
    expect(endOf(canary.reporting('Applying').notReady(noon - 2 * minute), disruption)).toBe('rejected')
  },
)

test('a canary whose labels change amid its work fails the commit when that takes it down, and no other node is exposed', () => {
  expect(endOf(canary.reporting('Applying'), 'restart')).toBe('rejected')
})

const atWork = aNode('a')
  .on('older')
  .assignedTo('new', { at: noon - 3 * minute })

test.each([
  ['is down', atWork.reporting('Applying').notReady(noon - 2 * minute), 'the agent is still at "Applying"'],
  [
    'could not be restored',
    atWork.reporting('Failed', { error: { reason: 'RestoreFailed', message: 'disk is full' } }),
    'disk is full',
  ],
])(
  'a canary that %s fails the commit before it is repaired, also when that can no longer be rendered for it',
  (_, broken, why) => {
    const pool = aPool({ ...options, wants: { a: { problem: 'no such label' } } }).with(broken, ...others)
    const decision = decide(pool, noon + 15 * minute)

    expect(decision.status.rejected).toMatchObject([{ revision: 'new' }])
    expect(decision.status.history[1]).toMatchObject({ result: 'RolledBack', message: expect.stringContaining(why) })
    expect(assignments(decision)).toEqual(['a → older'])
  },
)

test.each([
  ['is down', atWork.reporting('Applying').notReady(noon - 2 * minute)],
  ['could not be restored', atWork.reporting('Failed')],
])('a canary that was drained for the commit and %s fails it before it is repaired, under its cordon', (_, broken) => {
  const drained = broken.drainedFor('new', { at: noon - 4 * minute })
  const wants = { a: { problem: 'no such label' } }
  const pool = aPool({ ...options, wants, drain: 'Always', pods: { a: [] } }).with(drained, ...others)

  expect(decide(pool, noon + 15 * minute).status.rejected).toMatchObject([{ revision: 'new' }])
})
