import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

test('a rollout that begins ahead of the clock, after what was assigned by a clock that was ahead, ends no earlier than it began', () => {
  const history = [aRollout('new', { startedAt: noon + 4 * minute }), aRollout('old', { result: 'Completed' })]
  const pool = aPool({ head: 'new', stable: 'old', history }).with(aNode('a').on('new'))

  expect(decide(pool, noon).status.history[0]).toMatchObject({ result: 'Completed', endedAt: stamp(noon + 4 * minute) })
})

test('a rollout that returns to its content has a stamp of its own, so that no promotion or gate of the rollout before counts for it', () => {
  const before = noon + 4 * minute + 1
  const history = [aRollout('fix', { startedAt: noon - minute }), aRollout('new', { result: 'Superseded', startedAt: before })]
  const pool = aPool({ head: 'new', stable: 'old', history }).with(aNode('a').rolledBackFrom('new', { at: before - 1 }))

  expect(decide(pool, noon).status.history[0]?.startedAt).toBe(stamp(before + 1))
})
