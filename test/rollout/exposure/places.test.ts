import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition, selected } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const waves = [aWave('canary', 1, { soak: minute })]
const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))
/** Its clock is a little slow: what the content did to it seems to have happened before. */
const brokenSince = (name: string, at: number) =>
  aNode(name)
    .on('older')
    .assignedTo('new', { at })
    .notReady(at - 2_000)

function opened(...members: readonly NodeDraft[]): PoolSnapshot {
  const since = noon - 60 * minute
  return aPool({ head: 'new', stable: 'older', since, waves, wave: { index: 1, count: 2, name: 'canary' } }).with(...members)
}

test('a canary of one tries one more node when the first was down before it was assigned', () => {
  const pool = opened(brokenSince('a', noon - 50 * minute), ...old('d', 'e'))

  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('a canary that seemed sound keeps its place while it is not Ready', () => {
  const pool = opened(brokenSince('a', noon - 50 * minute), brokenSince('b', noon - minute), ...old('d', 'e'))

  expect(assignments(decide(pool, noon))).toEqual([])
})

test('no further node is tried when canaries that seemed sound break one after the other', () => {
  const pool = opened(brokenSince('a', noon - 50 * minute), brokenSince('b', noon - 30 * minute), ...old('d', 'e'))

  expect(assignments(decide(pool, noon))).toEqual([])
  expect(condition(decide(pool, noon), 'Ready').message).toBe(
    '0 of 4 nodes are at new; 2 Unreachable; wave 1 of 2, "canary"; no eligible node for new; "a", "b": not Ready',
  )
})

test('a canary that seemed sound lets the next wave open when it is Ready again and has soaked', () => {
  const healed = aNode('b').on('new', { at: noon - 30 * minute })
  const pool = opened(brokenSince('a', noon - 50 * minute), healed, ...old('d', 'e'))

  expect(decide(pool, noon).status.wave?.name).toBe('rest')
})

test('a canary that was Ready when it was assigned fails the commit, whatever its clock says of when it went down, and no other is tried', () => {
  const broken = brokenSince('a', noon - 50 * minute).seemingSound()
  const [early, late] = [noon - 45 * minute, noon].map((at) => decide(opened(broken, ...old('d', 'e')), at))

  expect(early && assignments(early)).toEqual([])
  expect(late?.status.rejected).toMatchObject([{ revision: 'new' }])
})
