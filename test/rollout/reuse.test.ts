import { expect, test } from 'vitest'
import { assessPool } from '../../src/rollout/assess-pool.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { scatteredOrder } from '../../src/rollout/reuse.ts'
import { noon } from './builders/instants.ts'
import { nodes } from './builders/nodes.ts'
import { aPool } from './builders/pools.ts'

const pool = aPool().with(...nodes('a', 'b', 'c'))
const last = assessPool(pool, noon)

function orderOf(changed: PoolSnapshot) {
  return { kept: scatteredOrder(changed, last), fresh: scatteredOrder(changed, undefined) }
}

test('scatteredOrder keeps the order while a pool has nodes of the same names', () => {
  const again = aPool().with(...nodes('a', 'b', 'c'))

  expect(scatteredOrder(pool, last)).toBe(last.order)
  expect(scatteredOrder(again, last)).toBe(last.order)
})

test.each([
  ['one node of three has another name', aPool().with(...nodes('a', 'b', 'd'))],
  ['all nodes have other names', aPool().with(...nodes('x', 'y', 'z'))],
  ['a node left', aPool().with(...nodes('a', 'b'))],
  ['a node came', aPool().with(...nodes('a', 'b', 'c', 'd'))],
  ['the same names belong to another pool', { ...pool, name: 'gpu' }],
])('scatteredOrder is made again when %s', (_, changed) => {
  const { kept, fresh } = orderOf(changed)

  expect(kept).not.toBe(last.order)
  expect(kept).toEqual(fresh)
})
