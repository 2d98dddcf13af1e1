import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { condition, phases, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { b, done, upgrade } from './upgrade.ts'

/** Ready, and its agent could not restore it: it does not serve. */
const x = aNode('x')
  .assignedTo('bad', { at: noon - hour })
  .reporting('Failed')
const canary = { waves: [aWave('canary', 1)], drain: { onTimeout: 'Skip' }, maxUnavailable: 2 } as const
/** A repair takes a drain, too. */
const drainAlways = { ...canary, drain: { onTimeout: 'Skip', mode: 'Always' } } as const
const longAgo = noon - 15 * minute
const atWork = b.assignedTo('new', { at: noon - minute }).reporting('Applying')

function doneOn(node: NodeView, other: NodeView, options: PoolOptions = canary): string[] {
  return done(upgrade(options, node, other)).sort()
}

test.each([
  ['is left out for now', noon - 5 * minute, 'Skipped'],
  ['may be drained again', longAgo, 'Skipped'],
  ['was called off', noon - 5 * minute, 'Released'],
] as const)('a broken canary that does not serve, and whose drain %s, gives its place to a sound node', (_, at, state) => {
  expect(doneOn(x.drainedFor('new', { at, state }), b)).toEqual(['assign x older restart', 'cordon b Ours'])
})

test('a broken canary that is not Ready keeps its place, and is not drained, though its drain was given up', () => {
  const down = x.notReady(noon - 20 * minute).drainedFor('new', { at: noon - 5 * minute, state: 'Skipped' })

  expect(doneOn(down, b)).toEqual(['assign x new drain'])
})

test('a restored canary whose drain was called off gives its place to a sound node', () => {
  const restored = aNode('x').rolledBackFrom('bad').drainedFor('new', { state: 'Released' })

  expect(doneOn(restored, b)).toEqual(['cordon b Ours'])
})

test('a broken node whose drain was given up is drained for its repair after another timeout', () => {
  const drained = (at: number) => doneOn(x.drainedFor('new', { at, state: 'Skipped' }), atWork, drainAlways)

  expect(drained(noon - 5 * minute)).toEqual([])
  expect(drained(longAgo)).toEqual(['cordon x Ours'])
})

test('a broken node whose drain was called off is not drained for its repair', () => {
  expect(doneOn(x.drainedFor('new', { at: longAgo, state: 'Released' }), atWork, drainAlways)).toEqual([])
})

test('a broken node that is drained for its repair remembers that its drain for the target was given up', () => {
  const { actions } = upgrade(drainAlways, x.drainedFor('new', { at: longAgo, state: 'Skipped' }), atWork)

  expect(actions).toEqual([{ kind: 'cordon', node: 'x', mark: { digest: 'older', at: noon, state: 'Ours', givenUp: 'new' } }])
})

const repaired = x.drainedFor('older').givenUpFor('new')

test('a broken node that is drained for its repair leaves the canary place to the node that is drained for the target', () => {
  const pods = { x: [aPod('x')], b: [aPod('y')] }

  expect(doneOn(repaired, b.drainedFor('new'), { ...drainAlways, pods })).toEqual(['evict b y', 'evict x x'])
  expect(doneOn(repaired, b, { ...drainAlways, pods })).toEqual(['cordon b Ours', 'evict x x'])
})

test('a repair whose drain is given up, too, counts as given up for the target', () => {
  const overdue = x.drainedFor('older', { at: longAgo }).givenUpFor('new')
  const { actions } = upgrade({ ...drainAlways, pods: { x: [aPod('x')] } }, overdue, atWork)

  expect(actions).toEqual([{ kind: 'uncordon', node: 'x', lifts: true, mark: { digest: 'new', at: noon, state: 'Skipped' } }])
})

test('a drain for a repair that an operator calls off is remembered beside the one that was given up', () => {
  const { actions } = upgrade(drainAlways, repaired.uncordoned(), atWork)

  expect(actions).toEqual([
    { kind: 'uncordon', node: 'x', lifts: false, mark: { digest: 'older', at: noon, state: 'Released', givenUp: 'new' } },
  ])
})

test('a repaired node whose drain was given up comes after all others', () => {
  const sound = aNode('x').on('older').drainedFor('new', { at: longAgo, state: 'Skipped' })

  expect(doneOn(sound, b)).toEqual(['cordon b Ours'])
})

test('a broken node whose drain was given up is drained again in its turn: when others were given up after it', () => {
  const later = b.drainedFor('new', { at: noon - minute, state: 'Skipped' })
  const { actions } = upgrade(drainAlways, x.drainedFor('new', { at: longAgo, state: 'Skipped' }), later)

  expect(actions).toEqual([{ kind: 'cordon', node: 'x', mark: { digest: 'new', at: noon, state: 'Ours' } }])
})

test('a pool waits when every node was given up, a broken one, too', () => {
  const givenUp = { at: noon - 5 * minute, state: 'Skipped' } as const
  const decision = upgrade(drainAlways, x.drainedFor('new', givenUp), b.drainedFor('new', givenUp))

  expect(phases(decision)).toEqual({ Skipped: 2 })
  expect(verdict(decision).Ready).toBe('False NoEligibleNode')
  expect(verdict(decision).Stalled).toBe('False NoEligibleNode')
})

test('a pool names a broken node whose drain was given up when that uses up the budget', () => {
  const decision = upgrade({ ...drainAlways, maxUnavailable: 1 }, x.drainedFor('new', { state: 'Skipped' }), b)

  expect(condition(decision, 'Ready').message).toBe(
    '0 of 2 nodes are at new; 1 Skipped; wave 1 of 2, "canary"; 1 wait for the budget; used up by "x" ' +
      '(the agent could not restore it): repair them, or raise maxUnavailable of the pool',
  )
})

test('a broken canary that no stable content can repair gives its place to a sound node only until it may be drained again', () => {
  const without = (at: number) =>
    done(
      decide(
        aPool({ since: noon - minute, disruption: 'drain', ...canary }).with(x.drainedFor('new', { at, state: 'Skipped' }), b),
        noon,
      ),
    )

  expect(without(noon - 5 * minute)).toEqual(['cordon b Ours'])
  expect(without(longAgo)).toEqual(['cordon x Ours'])
})
