import { expect, test } from 'vitest'
import { decideFleet } from '../../src/rollout/decide-fleet.ts'
import { aNode, aPool, nodes, noon, taken } from './builders.ts'

function pool(name: string, size: number) {
  const names = Array.from({ length: size }, (_, i) => `${name}-${i}`)
  return { ...aPool({ stable: 'older', maxUnavailable: 2 }).with(...nodes(...names).map((node) => node.on('older'))), name }
}

function counts(fleet: Parameters<typeof decideFleet>[0]): Record<string, number> {
  return Object.fromEntries([...decideFleet(fleet, noon)].map(([name, decision]) => [name, taken(decision).length]))
}

test('decideFleet gives each pool its own budget when the fleet has no cap', () => {
  expect(counts({ pools: [pool('gpu', 4), pool('web', 4)] })).toEqual({ gpu: 2, web: 2 })
})

test('decideFleet hands out its cap in the order of names, whatever the order of the pools', () => {
  const [gpu, web] = [pool('gpu', 4), pool('web', 4)]

  expect(counts({ pools: [web, gpu], maxUnavailable: { count: 3 } })).toEqual({ gpu: 2, web: 1 })
  expect(counts({ pools: [gpu, web], maxUnavailable: { count: 3 } })).toEqual({ gpu: 2, web: 1 })
})

test('decideFleet counts nodes of any pool that are unavailable already', () => {
  const dark = { ...aPool({ head: 'older', stable: 'older' }).with(aNode('x').on('older').notReady()), name: 'dark' }

  expect(counts({ pools: [dark, pool('web', 4)], maxUnavailable: { count: 2 } })).toEqual({ dark: 0, web: 1 })
})

test('decideFleet rounds a percentage of all nodes down', () => {
  expect(counts({ pools: [pool('gpu', 5), pool('web', 6)], maxUnavailable: { percent: 30 } })).toEqual({ gpu: 2, web: 1 })
})
