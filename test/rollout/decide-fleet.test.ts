import { expect, test } from 'vitest'
import { decideFleet, type FleetPolicy } from '../../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { condition, selected } from './builders/decisions.ts'
import { noon } from './builders/instants.ts'
import { aNode, nodes } from './builders/nodes.ts'
import { aPool } from './builders/pools.ts'

function pool(name: string, size: number) {
  const names = Array.from({ length: size }, (_, i) => `${name}-${i}`)
  return { ...aPool({ stable: 'older', maxUnavailable: 2 }).with(...nodes(...names).map((node) => node.on('older'))), name }
}

function counts(pools: readonly PoolSnapshot[], policy: FleetPolicy = {}): Record<string, number> {
  return Object.fromEntries(
    [...decideFleet({ pools, policy, controls: {} }, noon)].map(([name, decision]) => [name, selected(decision).length]),
  )
}

test('decideFleet gives each pool its own budget when the fleet has no cap', () => {
  expect(counts([pool('gpu', 4), pool('web', 4)])).toEqual({ gpu: 2, web: 2 })
})

test('decideFleet hands out its cap in the order of names, whatever the order of the pools', () => {
  const [gpu, web] = [pool('gpu', 4), pool('web', 4)]

  expect(counts([web, gpu], { maxUnavailable: { count: 3 } })).toEqual({ gpu: 2, web: 1 })
  expect(counts([gpu, web], { maxUnavailable: { count: 3 } })).toEqual({ gpu: 2, web: 1 })
})

test('decideFleet counts nodes of any pool that are unavailable already', () => {
  const dark = { ...aPool({ head: 'older', stable: 'older' }).with(aNode('x').on('older').notReady()), name: 'dark' }

  expect(counts([dark, pool('web', 4)], { maxUnavailable: { count: 2 } })).toEqual({ dark: 0, web: 1 })
})

test('decideFleet rounds a percentage of all nodes down', () => {
  expect(counts([pool('gpu', 5), pool('web', 6)], { maxUnavailable: { percent: 30 } })).toEqual({ gpu: 2, web: 1 })
})

test('a fleet that is paused gives no node of any pool anything, and says why', () => {
  const decisions = decideFleet({ pools: [pool('gpu', 2), pool('web', 2)], policy: {}, controls: { paused: 'storm' } }, noon)

  expect([...decisions.values()].flatMap(({ actions }) => actions)).toEqual([])
  expect([...decisions.values()].map((decision) => condition(decision, 'Stalled'))).toMatchObject([
    {
      status: 'True',
      reason: 'Paused',
      message: 'the whole fleet is paused: storm; nodes that have started finish; until: nodewave resume --all',
    },
    {
      status: 'True',
      reason: 'Paused',
      message: 'the whole fleet is paused: storm; nodes that have started finish; until: nodewave resume --all',
    },
  ])
})
