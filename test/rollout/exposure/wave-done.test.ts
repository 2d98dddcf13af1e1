import { expect, test } from 'vitest'
import { assessPool } from '../../../src/rollout/assess-pool.ts'
import { isWaveDone } from '../../../src/rollout/exposure/wave-progress.ts'
import type { WaveProgress } from '../../../src/rollout/model/pool-state.ts'
import { noon } from '../builders/instants.ts'
import { NO_WAVES } from '../builders/members.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const [FIRST, LAST] = [0, 1]
const state = assessPool(aPool({ waves: [aWave('canary', 1), aWave('rest', '100%')] }).with(aNode('a')), noon)

test.each<readonly [what: string, isDone: boolean, open: number, waves: Partial<WaveProgress>]>([
  ['of which a node is current', true, FIRST, { current: 1, total: 1, newest: { total: 1, heard: 1 }, beyond: 3 }],
  ['that waits for a node', false, FIRST, { pending: 1, current: 1, total: 2, newest: { total: 2, heard: 1 }, beyond: 3 }],
  ['whose only node failed', false, FIRST, { total: 1, newest: { total: 1, heard: 1 }, beyond: 3 }],
  [
    'that was not heard from, after one that was',
    false,
    FIRST,
    { current: 1, total: 2, newest: { total: 1, heard: 0 }, beyond: 3 },
  ],
  ['that never had a node', true, FIRST, { beyond: 3 }],
  ['that never had a node, as no other wave had', false, FIRST, {}],
  ['without a node of its own, after one that is current', true, FIRST, { current: 1, total: 1, beyond: 3 }],
  ['that is the last one, with a node that is current', true, LAST, { current: 1, total: 2, newest: { total: 1, heard: 0 } }],
  ['that is the last one, with no node that is current', false, LAST, { total: 2, newest: { total: 1, heard: 1 } }],
])('a wave %s is done: %s', (_, isDone, open, waves) => {
  expect(isWaveDone({ ...state, open, counts: { ...state.counts, waves: { ...NO_WAVES, ...waves } } })).toBe(isDone)
})
