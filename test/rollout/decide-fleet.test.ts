import { expect, test } from 'vitest'
import { decideFleet, type FleetPolicy, POOL_STEPS, type PoolSteps } from '../../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { condition, selected } from './builders/decisions.ts'
import { noon } from './builders/instants.ts'
import { aNode, nodes } from './builders/nodes.ts'
import { aPool } from './builders/pools.ts'
import { aRollout } from './builders/revisions.ts'

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

/** How often the only pool is assessed when each look finds so many failures; `looks` counts from one. */
function looksAt(failuresIn: (looks: number) => number, maxFailures: number, remembered = 0): number {
  let looks = 0
  const remembering = (failures: number) => ({
    history: [{ ...aRollout('new', { result: 'Halted', startedAt: noon }), failures }],
  })
  const assess: PoolSteps['assess'] = (...args) => {
    const assessment = POOL_STEPS.assess(...args)
    looks += 1
    return assessment && { ...assessment, memory: { ...assessment.memory, ...remembering(failuresIn(looks)) } }
  }
  const web = pool('web', 4)
  const pools = [{ ...web, memory: { ...web.memory, ...remembering(remembered) } }]
  decideFleet({ pools, policy: { maxFailures: { count: maxFailures } }, controls: {} }, noon, { ...POOL_STEPS, assess })
  return looks
}

test('decideFleet looks once while no more nodes failed than the fleet bears', () => {
  expect(looksAt(() => 0, 1)).toBe(1)
  expect(looksAt(() => 1, 1)).toBe(1)
})

test('decideFleet looks again when a look finds more failures than the fleet bears', () => {
  expect(looksAt(() => 2, 1)).toBe(2)
})

test('decideFleet looks again when the failures that it remembers do not count any more', () => {
  expect(looksAt(() => 0, 1, 2)).toBe(2)
})

test('decideFleet looks at most five times when each look finds more failures', () => {
  expect(looksAt((looks) => looks, 0)).toBe(5)
})
