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

test('a canary that the commit took down fails it when its labels change meanwhile, and no other node is exposed', () => {
  const wants = { a: { digest: 'new, by other labels' } }
  const down = canary.reporting('Applying').notReady(noon - 2 * minute)
  const before = decide(aPool(options).with(down, ...others), noon)
  const changed = { ...aPool({ ...options, wants }).with(down, ...others), memory: before.status }
  const after = decide(changed, noon + minute)
  expect(assignments(after)).toEqual(['a → new, by other labels'])
  const again = down.assignedTo('new, by other labels', { at: noon + minute, revision: 'new' })
  const later = { ...aPool({ ...options, wants }).with(again, ...others), memory: after.status }
  const end = decide(later, noon + 16 * minute)

  expect(assignments(end)).toEqual(['a → older'])
  expect(end.status.rejected).toMatchObject([{ revision: 'new' }])
})
