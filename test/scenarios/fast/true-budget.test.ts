import { expect, test } from 'vitest'
import type { RolloutPolicy } from '../../../src/rollout/model/policy.ts'
import { Random } from '../random.ts'
import { restoreNode } from './faults/node-records-change.ts'
import { trueBudget } from './invariants/true-budget.ts'
import { drawRules } from './rules.ts'
import type { SimNode } from './sim-node.ts'
import { START, World } from './world.ts'

/** A pool of two nodes, one of which may be down. */
function aWorld(): { readonly world: World; readonly a: SimNode; readonly b: SimNode } {
  const [[pool, policy] = ['', undefined]] = drawRules(new Random(1)).pools
  const rules = new Map([[pool, { ...policy, maxUnavailable: { count: 1 } } as RolloutPolicy]])
  const world = new World({ pools: rules, fleet: {} })
  world.push({ [pool]: 'first' })
  const [a, b] = ['a', 'b'].map((name) => {
    world.join(name, { pool, zone: 'zone-0' })
    return world.nodes.get(name)
  })
  if (!a || !b) throw new Error('the nodes have not joined')
  return { world, a, b }
}

/** As the controller does it. */
function cordon({ name }: SimNode, world: World): void {
  const node = world.nodes.get(name)
  const observed = world.controller.pass()
  const mark = { digest: 'first', at: START, state: 'Ours' } as const
  if (node) world.cordon({ kind: 'cordon', node: name, mark }, world.cached(node), observed)
}

/** The agent ends what it is assigned. */
function report(node: SimNode, world: World): void {
  node.show({ assigned: { digest: 'first', revision: '0-first', pool: node.pool, grant: 'drain', at: START, counter: 1 } })
  for (let i = 0; i < 3; i++) world.step(node)
}

test('the claim falls when more nodes are cordoned by the controller than may be down', () => {
  const { world, a, b } = aWorld()

  cordon(a, world)
  expect(trueBudget.ofWorld?.(world)).toBe(true)
  cordon(b, world)
  expect(trueBudget.ofWorld?.(world)).toBe(false)
})

test('the claim falls when a node under a cordon of the controller has reported, and another one is cordoned', () => {
  const { world, a, b } = aWorld()

  cordon(a, world)
  report(a, world)
  cordon(b, world)
  expect(trueBudget.ofWorld?.(world)).toBe(false)
})

test('the claim holds when a tool has written the cordon of the other node, of which the controller may not have heard', () => {
  const { world, a, b } = aWorld()

  restoreNode(a, { ...a.shown, unschedulable: true, mark: { digest: 'first', at: START, state: 'Ours' } }, world)
  report(a, world)
  cordon(b, world)
  expect(trueBudget.ofWorld?.(world)).toBe(true)
})
