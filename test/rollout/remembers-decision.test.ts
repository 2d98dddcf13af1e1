import { expect, test } from 'vitest'
import { decide } from '../../src/rollout/decide.ts'
import { remembersDecision } from '../../src/rollout/remembers-decision.ts'
import { remembering } from './builders/decisions.ts'
import { noon } from './builders/instants.ts'
import { aNode } from './builders/nodes.ts'
import { aPool } from './builders/pools.ts'

const before = aPool({ stable: 'older' }).with(aNode('a').on('older'))
const decision = decide(before, noon)

test('a decision stands when its pool only remembers its status', () => {
  expect(remembersDecision(remembering(before, decision), { before, decision })).toBe(true)
})

test('a decision does not stand when its pool remembers something else, or anything else changed', () => {
  const after = remembering(before, decision)

  expect(remembersDecision(before, { before, decision })).toBe(false)
  expect(remembersDecision({ ...after, nodes: [...after.nodes] }, { before, decision })).toBe(false)
  expect(remembersDecision({ ...after, repositoryProblem: 'gone' }, { before, decision })).toBe(false)
})

test('a decision does not stand when a control that its status observed is to be cleared', () => {
  const asked = { ...before, controls: { retry: 'older' } }
  const observed = decide(asked, noon)

  expect(remembersDecision(remembering(asked, observed), { before: asked, decision: observed })).toBe(false)
})
