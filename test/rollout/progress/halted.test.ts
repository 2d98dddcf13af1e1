import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, condition, phases, remembering, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { old, since } from './some-failures.ts'

test('the history counts what fails after the pool has halted', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, onFailure: 'Halt' }).with(
    aNode('a').rolledBackFrom('bad'),
    aNode('b')
      .assignedTo('bad', { at: noon - minute })
      .reporting('Verifying'),
  )
  const halted = decide(pool, noon)
  const later = { ...remembering(pool, halted), nodes: nodes('a', 'b').map((node) => node.rolledBackFrom('bad')) }

  expect(halted.status.history[0]).toMatchObject({ result: 'Halted', failures: 1 })
  expect(decide(later, noon).status.history[0]).toMatchObject({ result: 'Halted', failures: 2 })
})

test('a failed canary halts the pool when the policy says so, and it touches no node', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, onFailure: 'Halt' }).with(
    aNode('a').rolledBackFrom('bad'),
    aYoungNode('fresh'),
    ...old('b', 'c'),
  )

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(phases(decision)).toEqual({ Waiting: 2, Joining: 1, Failed: 1 })
  expect(decision.status.failed).toEqual([
    { node: 'a', reason: 'HealthCheckFailed', message: 'failed to validate config: unknown flag: --foo' },
  ])
  expect(verdict(decision)).toEqual({ Ready: 'False Halted', Reconciling: 'False Halted', Stalled: 'True Halted' })
})

test('a halted pool names the commit to go back to, what to push, and how to try again', () => {
  const options = { head: 'bad', stable: 'older', since, onFailure: 'Halt' } as const
  const pool = aPool(options).with(aNode('a').rolledBackFrom('bad'), ...old('b'))
  const message = (snapshot: typeof pool) => condition(decide(snapshot, noon), 'Stalled').message

  expect(message(pool)).toBe(
    'bad failed on "a": failed to validate config: unknown flag: --foo; no node changes; push a fix or a revert; ' +
      'to go back now: nodewave rollback workers --to older (or kubectl annotate --overwrite nwp/workers nodewave.io/rollback=older); ' +
      'to try it again: nodewave retry workers (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=bad)',
  )
  expect(message({ ...pool, kept: new Set() })).toContain('push a fix or a revert, or: nodewave retry workers (or')
})

test('a pool that halts on its way back names what failed there, and how to try that again', () => {
  const history = [
    aRollout('older', { startedAt: noon - 30 * minute }),
    aRollout('bad', { result: 'RolledBack', startedAt: noon - hour }),
    aRollout('older', { result: 'Completed', startedAt: noon - 24 * hour }),
  ]
  const options = { head: 'bad', stable: 'older', rejected: ['bad'], history, maxUnavailable: 1 }
  const failed = nodes('a', 'b').map((node) => node.rolledBackFrom('older', { to: 'bad' }))
  const pool = aPool(options).with(...failed, aNode('c').on('bad'))
  const decision = decide(pool, noon)
  const retried = decide({ ...remembering(pool, decision), controls: { retry: 'older' } }, noon + minute)

  expect(verdict(decision).Stalled).toBe('True Halted')
  expect(retried.status.history[0]).toMatchObject({ revision: 'older', result: 'Running' })
  expect(condition(decision, 'Stalled').message).toBe(
    'bad failed; older failed on "a": failed to validate config: unknown flag: --foo; "b": failed to validate config: unknown flag: --foo; ' +
      'no node changes; push a fix or a revert, ' +
      'or: nodewave retry workers --revision bad (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=bad); ' +
      'to try older again: nodewave retry workers (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=older)',
  )
})

test('a halted pool stays halted when the node that failed is gone', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since, onFailure: 'Halt' }).with(
    aNode('a').rolledBackFrom('bad'),
    ...old('b'),
  )
  const without = { ...remembering(pool, decide(pool, noon)), nodes: old('b') }

  expect(decide(without, noon + minute).actions).toEqual([])
})

test('a pool with nothing to go back to halts whatever the policy', () => {
  const pool = aPool({ head: 'bad', since }).with(aNode('a').rolledBackFrom('bad'), aNode('b'))

  expect(verdict(decide(pool, noon)).Stalled).toBe('True Halted')
})

test('a new commit takes a halted pool on, its failed node first', () => {
  const pool = aPool({ head: 'fix', stable: 'older', rejected: ['bad'], onFailure: 'Halt', maxUnavailable: 1 }).with(
    ...old('b', 'c'),
    aNode('z').rolledBackFrom('bad'),
  )

  expect(assignments(decide(pool, noon))).toEqual(['z → fix'])
})

test('a rollback halts when as many nodes fail as may be unavailable, and one more', () => {
  const history = [aRollout('older'), aRollout('bad', { result: 'RolledBack' }), aRollout('older', { result: 'Completed' })]
  const pool = aPool({ head: 'bad', stable: 'older', rejected: ['bad'], history, maxUnavailable: 1 }).with(
    aNode('a').rolledBackFrom('older', { at: noon, to: 'bad' }),
    aNode('b').rolledBackFrom('older', { at: noon, to: 'bad' }),
    aNode('c').on('bad'),
    aNode('d').on('older'),
  )

  expect(verdict(decide(pool, noon)).Stalled).toBe('True Halted')
})
