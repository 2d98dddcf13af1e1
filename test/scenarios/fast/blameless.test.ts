import { expect, test } from 'vitest'
import { hour, noon } from '../../rollout/builders/instants.ts'
import { aNode } from '../../rollout/builders/nodes.ts'
import { aWave } from '../../rollout/builders/policies.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { appOf, type Damage } from './apps.ts'
import { blameless } from './blameless.ts'

const app = appOf('workers', 'Deployment')
/** The canary `a` has `new`; `b` and `c` wait. */
const pool = aPool({ stable: 'older', since: noon - hour, waves: [aWave('canary', 1), aWave('rest', '100%')] })
const canary = aNode('a').on('new', { at: noon - hour })
const waiting = ['b', 'c'].map((name) => aNode(name).on('older'))

/** How many pods are missing through no fault of `new`, where these contents have broken something after one rollout has completed. */
function missing(broken: Readonly<Record<string, string>>, others = waiting, more: Partial<Damage> = {}, first = canary): number {
  const damages = Object.entries(broken).map(([node, content]): Damage => ({ app, node, content, epoch: 1, ...more }))
  const snapshot = pool.with(first, ...others)
  const observed = {
    fleet: { pools: [snapshot], policy: {}, controls: {} },
    decisions: new Map(),
    at: noon,
    isNews: true,
    held: new Set<string>(),
  }
  const found = blameless({ damages, outages: new Map(), epoch: 1, isMeddled: false }, { pool: snapshot, observed })
  return found.get(app) ?? 0
}

test('what the target breaks is its fault', () => {
  expect(missing({ a: 'new' })).toBe(0)
})

test('what the stable content breaks on a node that got it late is no fault of the target', () => {
  expect(missing({ a: 'new', b: 'older' })).toBe(1)
})

test('what an unfinished commit breaks is no fault of the target where a node of a later wave has it, and else it is', () => {
  const past = aNode('c').on('past')

  expect(missing({ c: 'past' }, [...waiting.slice(0, 1), past])).toBe(1)
  expect(missing({ c: 'past' })).toBe(0)
})

test('what was broken before the last rollout completed is no fault of the target', () => {
  expect(missing({ a: 'new' }, waiting, { epoch: 0 })).toBe(1)
})

test('what an unfinished commit had broken before the pool lost its history is no fault of another target', () => {
  expect(missing({ c: 'past' }, waiting, { isForgotten: true })).toBe(1)
  expect(missing({ a: 'new' }, waiting, { isForgotten: true })).toBe(0)
})

test('what the target had broken before the pool lost its history is no fault of it where no node shows the target any more', () => {
  const goneBack = aNode('a').on('older')

  expect(missing({ a: 'new' }, waiting, { isForgotten: true }, goneBack)).toBe(1)
  expect(missing({ a: 'new' }, waiting, {}, goneBack)).toBe(0)
})
