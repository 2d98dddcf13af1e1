import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition, remembering, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { afterCanary, answer, apps, asked, passing, since, waves } from './some-gates.ts'

test('a wave that waits for a gate does not soak again when the clock jumps, and a pressure since then fails no node', () => {
  const soaks = { waves: [aWave('canary', 1, { soak: minute }), aWave('rest', '100%')] }
  const pool = afterCanary([aGate('slo')], soaks)
  const [canary, ...others] = pool.nodes
  const before = decide(pool, noon)
  const pressed = { ...canary, pressures: [{ type: 'DiskPressure', since: noon + 2 * minute }] } as const
  const jumped = {
    ...remembering(pool, before),
    nodes: [pressed, ...others] as PoolSnapshot['nodes'],
    steadySince: noon + 2 * minute,
  }
  const after = decide(jumped, noon + 2 * minute)

  expect(before.status.wave?.soakedAt).toBe(stamp(noon - 4 * minute))
  expect(verdict(after)).toMatchObject({ Reconciling: 'True WaitingForGate' })
  expect(after.status.rejected).toEqual([])
})

test('a wave that has soaked by a clock which has been put back since has soaked by now: what soaks after that begins again when the clock jumps', () => {
  const waves = [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'], soakedAt: stamp(noon + hour) }
  const pool = aPool({ head: 'new', stable: 'old', since: noon - hour, gates: [aGate('slo')], waves, wave })
  const [other, canary] = [aNode('b').on('old'), aNode('a').on('new', { at: noon - 11 * minute })]
  const back = decide({ ...pool.with(canary, other), steadySince: noon }, noon)
  const again = pool.with(aNode('a').on('new', { at: noon + minute }), other)
  const jumped = decide({ ...remembering(again, back), steadySince: noon + 5 * minute }, noon + 12 * minute)

  expect(verdict(back)).toMatchObject({ Reconciling: 'True WaitingForGate' })
  expect(back.status.wave?.soakedAt).toBe(stamp(noon))
  expect(verdict(jumped)).toMatchObject({ Reconciling: 'True Soaking' })
})

test('a wave that waits for a gate does not soak again when the clock jumps and that of its node is a day ahead', () => {
  const soaks = { waves: [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')] }
  const canary = aNode('a').on('new', { at: noon - 50 * minute, since: noon + 24 * hour })
  const pool = aPool({ head: 'new', stable: 'old', since: noon - hour, gates: [aGate('slo')], ...soaks }).with(
    canary,
    aNode('b').on('old'),
  )
  const before = decide(pool, noon)
  const jumped = decide({ ...remembering(pool, before), steadySince: noon + minute }, noon + 2 * minute)

  expect(verdict(before)).toMatchObject({ Reconciling: 'True WaitingForGate' })
  expect(verdict(jumped)).toMatchObject({ Reconciling: 'True WaitingForGate' })
})

test('a gate that has not held is asked again after its interval, and a pass is due then', () => {
  const pool = afterCanary([aGate('slo')])

  const waiting = passing(pool, [{ at: noon + 1000, says: answer('NotPassed', noon + 1000) }])

  expect(asked(waiting)).toEqual([])
  expect(waiting.wakeAt).toBe(noon + 31_000)
  expect(asked(passing(pool, [{ at: noon + 1000, says: answer('NotPassed', noon + 1000) }, { at: noon + 31_000 }]))).toHaveLength(
    1,
  )
})

test('a gate that cannot be asked is not passed, says why, and is asked again with backoff', () => {
  const pool = afterCanary([aGate('slo')])
  const at = [noon, noon + 5_000, noon + 15_000, noon + 35_000, noon + 65_000]
  const steps = at.map((instant) => ({ at: instant, says: answer('Unanswered', instant, { message: 'connection refused' }) }))

  expect(steps.map((_, i) => passing(pool, steps.slice(0, i + 1)).wakeAt)).toEqual([
    noon + 5_000,
    noon + 15_000,
    noon + 35_000,
    noon + 65_000,
    noon + 95_000,
  ])
  expect(condition(passing(pool, steps), 'Ready').message).toContain('gate "slo" after "canary": connection refused')
})

test.each(['NotPassed', 'Unanswered'] as const)('a gate that is %s has failed when it still is after its timeout', (says) => {
  const pool = afterCanary([aGate('slo')])
  const [before, after] = [noon + 5 * minute - 1, noon + 5 * minute]

  expect(passing(pool, [{ at: before, says: answer(says, before) }]).status.rejected).toEqual([])

  const failed = passing(pool, [{ at: after, says: answer(says, after, { message: '0.05 is above 0.01' }) }])

  expect(failed.status).toMatchObject({
    target: { revision: 'older' },
    rejected: [{ revision: 'new' }],
    gates: [{ state: 'Failed' }],
  })
  expect(failed.status.history[1]).toMatchObject({
    result: 'RolledBack',
    message: 'gate "slo" after "canary": 0.05 is above 0.01',
  })
  expect(failed.events.map(({ reason }) => reason)).toEqual(
    ['GateFailed', 'RolledBack', 'RolloutStarted', 'WaveOpened'].slice(0, failed.events.length),
  )
  expect(selected(failed)).toEqual(['a'])
})

test('a clock that is put forward fails no gate', () => {
  const pool = { ...afterCanary([aGate('slo')]), steadySince: noon + hour }
  const says = answer('NotPassed', noon + hour)

  expect(passing(pool, [{ at: noon + hour, says }]).status.rejected).toEqual([])
  expect(passing({ ...pool, steadySince: noon }, [{ at: noon + hour, says }]).status.rejected).toHaveLength(1)
})

test('a workloads gate has its whole time to record when a pause ends, however long that was', () => {
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ stable: 'older', since, waves, gates: [apps], wave }).with(
    ...nodes('a', 'b').map((node) => node.on('older')),
  )
  const before = decide(pool, noon - hour)
  const paused = decide({ ...remembering(pool, before), controls: { paused: 'maintenance' } }, noon - hour + 1)
  const resumed = decide(remembering(pool, paused), noon)
  const says = answer('Unanswered', noon + 1, { gate: 'apps', question: 'before' })
  const unanswered = decide({ ...remembering(pool, resumed), gateAnswers: [says] }, noon + 1)

  expect(before.status.gates).toMatchObject([{ state: 'Recording' }])
  expect(resumed.status.gates).toMatchObject([{ state: 'Recording', since: stamp(noon) }])
  expect(condition(unanswered, 'Stalled')).toMatchObject({ status: 'False', reason: 'WaitingForGate' })
})

test('a workloads gate records what is so before its wave when since when it waits is no date any more', () => {
  const pool = afterCanary([apps])
  const begun = { ...pool, nodes: nodes('a', 'b', 'c').map((node) => node.on('older')) }
  const { memory } = remembering(begun, decide(begun, noon))
  const spoiled = { ...memory, gates: (memory.gates ?? []).map((record) => ({ ...record, since: 'yesterday' })) }
  const says = answer('Passed', noon + 1000, { gate: 'apps', question: 'before', unavailable: [] })
  const decision = passing({ ...begun, memory: spoiled }, [{ at: noon + 1000, says }])

  expect(decision.status.gates).toMatchObject([{ state: 'Recorded', recordedAt: stamp(noon + 1000) }])
  expect(selected(decision)).toHaveLength(1)
})
