import { expect, test } from 'vitest'
import type { GateStatus } from '../../../src/protocol/node-pool.ts'
import { answered, nextAsk, suspended, waiting } from '../../../src/rollout/gates/gate-records.ts'
import type { GateAnswer } from '../../../src/rollout/model/snapshot.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aGate } from '../builders/policies.ts'

const about = { name: 'apps', wave: 'canary', revision: 'new', rollout: stamp(noon), check: 'a' }
const noted = { before: ['DaemonSet kube-system/cni 3'], recordedAt: stamp(noon) }

test('a record keeps what was noted before its wave, and when, while the gate waits', () => {
  const recorded = { ...about, ...noted, state: 'Recorded', since: stamp(noon) } as const

  expect(waiting(recorded, noon + minute)).toEqual({ ...about, ...noted, state: 'Waiting', since: stamp(noon + minute) })
  expect(waiting({ ...about, state: 'Recorded', since: stamp(noon) }, noon)).toEqual({
    ...about,
    state: 'Waiting',
    since: stamp(noon),
  })
})

test('a gate that is suspended keeps what was noted, and forgets what it said', () => {
  const said = { ...about, state: 'Waiting', since: stamp(noon), askedAt: stamp(noon + minute), message: '7 is above 5' } as const

  expect(suspended({ ...said, ...noted })).toEqual({ ...about, ...noted, state: 'Recorded', since: stamp(noon), begun: true })
  expect(suspended(said)).toBeUndefined()
})

const gate = aGate('apps', { interval: minute })
const asked = { ...about, state: 'Waiting', since: stamp(noon), askedAt: stamp(noon) } as const

test.each<readonly [what: string, record: GateStatus, at: number]>([
  ['at once when it was never asked', { ...about, state: 'Waiting', since: stamp(noon) }, noon + minute],
  ['an interval after it was asked', asked, noon + minute],
  ['at once when it was asked in the future', { ...asked, askedAt: stamp(noon + minute + 1) }, noon + minute],
  ['an interval later when it was asked at this instant', { ...asked, askedAt: stamp(noon + minute) }, noon + 2 * minute],
  ['five seconds after the first time that nobody answered', { ...asked, unanswered: 1 }, noon + 5_000],
  ['ten seconds after the second time', { ...asked, unanswered: 2 }, noon + 10_000],
  ['forty seconds after the fourth time', { ...asked, unanswered: 4 }, noon + 40_000],
  ['an interval after the fifth time', { ...asked, unanswered: 5 }, noon + minute],
])('a gate is asked next %s', (_, record, at) => {
  expect(nextAsk(record, gate, noon + minute)).toBe(at)
})

test.each<readonly [verdict: GateAnswer['verdict'], after: number, state: GateStatus['state']]>([
  ['Passed', 0, 'Passed'],
  ['Passed', 5 * minute, 'Passed'],
  ['Failed', 0, 'Failed'],
  ['NotPassed', 5 * minute - 1, 'Waiting'],
  ['NotPassed', 5 * minute, 'Failed'],
  ['Unanswered', 5 * minute - 1, 'Waiting'],
  ['Unanswered', 5 * minute, 'Failed'],
])('a gate with a timeout of five minutes that answers %s after %i ms is %s', (verdict, after, state) => {
  const now = noon + after
  const answer: GateAnswer = { ...about, gate: 'apps', question: 'after', at: now, verdict, message: 'so' }

  expect(answered(asked, answer, { gate, clock: { now } }).state).toBe(state)
})

test.each<readonly [verdict: GateAnswer['verdict'], state: GateStatus['state'], unanswered: number | undefined]>([
  ['Passed', 'Recorded', undefined],
  ['NotPassed', 'Recording', undefined],
  ['Unanswered', 'Recording', 1],
])('a gate that is asked before its wave and answers %s is %s', (verdict, state, unanswered) => {
  const answer: GateAnswer = { ...about, gate: 'apps', question: 'before', at: noon, verdict, message: 'so' }
  const record = answered({ ...about, state: 'Recording', since: stamp(noon) }, answer, { gate, clock: { now: noon } })

  expect(record.state).toBe(state)
  expect(record.unanswered).toBe(unanswered)
})

test('a gate records a value that is a number, and no other', () => {
  const recordedOf = (value: number) =>
    answered(
      asked,
      { ...about, gate: 'apps', question: 'after', at: noon, verdict: 'NotPassed', value, message: 'so' },
      { gate, clock: { now: noon } },
    ).value

  expect(recordedOf(0)).toBe(0)
  expect(recordedOf(7)).toBe(7)
  expect(recordedOf(Number.NaN)).toBeUndefined()
  expect(recordedOf(Number.POSITIVE_INFINITY)).toBeUndefined()
})
