import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { remembering } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

export const halted = {
  head: 'bad-commit',
  rejected: ['bad-commit'],
  onFailure: 'Halt',
  history: [aRollout('bad-commit', { result: 'Halted' })],
} as const

/** Three of four nodes completed the commit; `a` failed, within the limit of the pool. */
export function completedBut(failed: NodeView, controls: PoolOptions['controls'] = {}) {
  const history = [aRollout('new', { result: 'Completed', startedAt: noon - 60 * minute })]
  const done = ['b', 'c'].map((name) => aNode(name).on('new', { at: noon - 50 * minute }))
  const pool = aPool({ head: 'new', stable: 'new', history, maxFailures: 1, maxUnavailable: 1 }).with(failed, ...done)
  const seen = remembering(pool, decide(pool, noon))
  return { ...seen, controls: controls ?? {} }
}

/** `a` failed in the first of two waves, within the limit of the pool; the second waits. */
export function runningBut(failed: NodeView, controls: PoolOptions['controls'] = {}, more: PoolOptions = {}) {
  const history = [aRollout('new', { startedAt: noon - 60 * minute })]
  const waves = [aWave('first', 2, { soak: 120 * minute })]
  const pool = aPool({ head: 'new', stable: 'older', history, waves, maxFailures: 1, maxUnavailable: 1, ...more }).with(
    failed,
    aNode('b').on('new', { at: noon - 50 * minute }),
    aNode('c').on('older', { at: noon - 90 * minute }),
  )
  const seen = remembering(pool, decide(pool, noon))
  return { ...seen, controls: controls ?? {} }
}
export const undone = aNode('a').rolledBackFrom('new', { at: noon - 50 * minute, to: 'older' })
