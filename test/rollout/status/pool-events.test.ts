import { expect, test } from 'vitest'
import type { GateStatus } from '../../../src/protocol/node-pool.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { eventsBetween } from '../../../src/rollout/status/pool-events.ts'
import { remembering } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

function told(pool: Parameters<typeof decide>[0]): string[] {
  return decide(pool, noon).events.map(({ on, type, reason, message }) => {
    return `${type} ${reason} on ${on.kind === 'node' ? on.name : 'the pool'}: ${message}`
  })
}

test('a rollout is told when it starts and when it completes', () => {
  expect(told(aPool({ stable: 'older' }).with(aNode('a').on('older')))).toEqual(['Normal RolloutStarted on the pool: new'])
  expect(told(aPool({ stable: 'older', since: noon - minute }).with(aNode('a').on('new')))).toEqual([
    'Normal RolloutCompleted on the pool: new',
  ])
})

test('a rollback is told with what failed, before the way back', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since: noon - minute }).with(aNode('a').rolledBackFrom('bad'))

  expect(told(pool)).toEqual([
    'Warning RolledBack on the pool: bad failed on "a": failed to validate config: unknown flag: --foo',
    'Normal RolloutStarted on the pool: older',
  ])
})

test('a failed node is told on the node, once', () => {
  const pool = aPool({ stable: 'older', since: noon - minute, maxFailures: 1 }).with(
    aNode('a').rolledBackFrom('new'),
    aNode('b').on('older'),
  )

  expect(told(pool)).toEqual(['Warning HealthCheckFailed on a: failed to validate config: unknown flag: --foo'])
  expect(told(remembering(pool, decide(pool, noon)))).toEqual([])
})

test('a wave is told when it opens', () => {
  const pool = aPool({ stable: 'older', since: noon - minute, waves: [aWave('canary', 1)] }).with(
    aNode('a').on('new', { at: noon - minute }),
    aNode('b').on('older'),
  )

  expect(told(pool)).toEqual(['Normal WaveOpened on the pool: wave 2 of 2, "rest", of new'])
})

test('a gate is told once, when it has passed or failed', () => {
  const record = { wave: 'canary', revision: 'new', rollout: stamp(noon), since: stamp(noon), message: 'below 1%' } as const
  const gates: GateStatus[] = [
    { ...record, name: 'slo', state: 'Passed' },
    { ...record, name: 'apps', state: 'Failed' },
    { ...record, name: 'later', state: 'Waiting' },
  ]
  const { status } = decide(aPool({ stable: 'new' }).with(aNode('a').on('new')), noon)
  const reasons = (before: readonly GateStatus[]) =>
    eventsBetween({ ...status, gates: before }, { ...status, gates }).map(({ reason }) => reason)

  expect(reasons([])).toEqual(['GatePassed', 'GateFailed'])
  expect(reasons(gates.slice(0, 1))).toEqual(['GateFailed'])
  expect(reasons([...gates])).toEqual([])
})
