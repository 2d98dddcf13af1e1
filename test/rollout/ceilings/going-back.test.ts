import { expect, test } from 'vitest'
import { goesBack, withinCeiling } from '../../../src/rollout/ceilings/going-back.ts'
import { NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef } from '../builders/revisions.ts'

const ten = [...nodes(...'abcdefghi'), aNode('j').labelled({ rack: '1' })]
const rule = (maxUnavailable: object, more: object = {}) => ({ place: 'spec.rules[0]', maxUnavailable, ...more }) as never
const inRack = (rack: string) => ({ nodeSelector: { matchLabels: { rack } } })

test.each<readonly [what: string, asked: number, rules: readonly never[], allowed: number]>([
  ['without rules', 9, [], 9],
  ['below the limit', 1, [rule({ count: 2 })], 1],
  ['at the limit', 2, [rule({ count: 2 })], 2],
  ['above the limit', 3, [rule({ count: 2 })], 2],
  ['above the least of two limits', 9, [rule({ count: 3 }), rule({ count: 2 })], 2],
  ['above a percentage', 9, [rule({ percent: 30 })], 3],
  ['above a limit of nodes of which it has one', 9, [rule({ count: 2 }, inRack('1'))], 2],
  ['above a limit of nodes of which it has none', 9, [rule({ count: 2 }, inRack('2'))], 9],
])('a pool that goes back %s asks for %i and gets what is allowed', (_, asked, rules, allowed) => {
  const pool = { ...aPool({ maxUnavailable: asked }).with(...ten), ceiling: { rules } }

  expect(withinCeiling(pool).policy.maxUnavailable).toEqual({ count: allowed })
})

test('a pool goes back when its content was completed before, and an operator said so or its commit failed', () => {
  const head = { ...aRef('bad'), wanted: new Map() }
  const rollback = { to: aRef('older'), from: aRef('bad'), at: '' }
  const rejected = { ...NO_MEMORY, rejected: [aRef('bad')] }

  expect(goesBack({ head }, { proven: true, memory: { ...NO_MEMORY, rollback } })).toBe(true)
  expect(goesBack({ head }, { proven: true, memory: rejected })).toBe(true)
  expect(goesBack({ head }, { proven: true, memory: NO_MEMORY })).toBe(false)
  expect(goesBack({ head }, { proven: false, memory: rejected })).toBe(false)
})
