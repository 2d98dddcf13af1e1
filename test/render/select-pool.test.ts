import { expect, test } from 'vitest'
import { selectPool } from '../../src/render/select-pool.ts'
import { aFleet, aNode, WORKERS } from './fleets.ts'

const { pools } = aFleet({
  'NodePool workers': WORKERS,
  'NodePool gpu': 'nodeSelector: {matchLabels: {gpu: "true", zone: a}}',
})

test('selectPool gives the pool whose labels the node has, all of them', () => {
  expect(selectPool(pools, aNode('n', { labels: { role: 'worker', gpu: 'true' } }))).toEqual({ kind: 'owned', pool: 'workers' })
  expect(selectPool(pools, aNode('n', { labels: { gpu: 'true', zone: 'a' } }))).toEqual({ kind: 'owned', pool: 'gpu' })
})

test('selectPool leaves a node alone when no pool selects it', () => {
  expect(selectPool(pools, aNode('n', { labels: { role: 'control-plane', gpu: 'true' } }))).toEqual({ kind: 'unowned' })
})

test('selectPool names both pools and their places when two claim a node', () => {
  expect(selectPool(pools, aNode('n', { labels: { role: 'worker', gpu: 'true', zone: 'a' } }))).toEqual({
    kind: 'contested',
    pools: ['gpu', 'workers'],
    problem: {
      message: 'node "n" is claimed by the pools "gpu" and "workers"; make their nodeSelectors exclude each other',
      where: [
        expect.objectContaining({ file: 'NodePool-gpu.yaml', line: 5 }),
        expect.objectContaining({ file: 'NodePool-workers.yaml', line: 5 }),
      ],
    },
  })
})
