import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const waves = [aWave('canary', 1), { ...aWave('approved', '100%'), manual: true }]
const wave = { index: 1, count: 2, name: 'canary' }

function reasonFor(...members: readonly NodeDraft[]): string | undefined {
  const pool = aPool({ stable: 'older', waves, wave, since: noon - minute, maxUnavailable: 1 }).with(...members)
  return condition(decide(pool, noon), 'Ready').reason
}

test('a pool waits for the promotion of its next wave only once the wave before it is done', () => {
  const [a, b] = [aNode('a'), aNode('b').on('older')]
  const cordoned = aNode('c').on('older').cordoned()

  expect(reasonFor(a.on('older'), b, cordoned)).toBe('WaitingForBudget')
  expect(reasonFor(a.on('older').assignedTo('new', { at: noon - 1000 }), b)).toBe('RollingOut')
  expect(reasonFor(a.on('new', { at: noon - 30_000 }), b)).toBe('WaitingForPromotion')
})
