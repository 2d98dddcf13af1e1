import { expect, test } from 'vitest'
import {
  aCandidate,
  afterClaim,
  afterEvent,
  afterFailure,
  afterRead,
  claimOf,
  DEFAULT_LEASE_TIMINGS,
  type LeaseCandidate,
  type LeaseRecord,
  leads,
  nextMove,
  releaseOf,
  timingProblem,
} from '../../../src/controller/leadership/election.ts'

const WALL = Date.UTC(2026, 10, 21, 8)

function held(holder: string, more: Partial<LeaseRecord> = {}): LeaseRecord {
  return { holder, leaseDuration: 15_000, acquiredAt: WALL, renewedAt: WALL, transitions: 4, ...more }
}

/** Has seen `record` first at 1,000. */
function seeing(record: LeaseRecord | undefined): LeaseCandidate {
  const found = record ? { record, version: '7' } : {}
  return afterRead(aCandidate('me', DEFAULT_LEASE_TIMINGS), found, 1000)
}

/** Wrote its claim: sent at 1,000, answered at 1,400. */
function options(): LeaseCandidate {
  const candidate = seeing(undefined)
  return afterClaim(candidate, { record: claimOf(candidate, WALL), version: '8' }, { sentAt: 1000, now: 1400 })
}

test('a candidate that knows nothing looks', () => {
  expect(nextMove(aCandidate('me', DEFAULT_LEASE_TIMINGS), 0)).toEqual({ kind: 'look' })
})

test('a candidate claims at once a lease that is not there, and one that was released', () => {
  expect(nextMove(seeing(undefined), 1000)).toEqual({ kind: 'claim', version: undefined })
  expect(nextMove(seeing(held('', { leaseDuration: 1000 })), 1000)).toEqual({ kind: 'claim', version: '7' })
})

test('a candidate waits a whole lease duration from when it first saw the record, whatever the times in it', () => {
  for (const renewedAt of [0, WALL, WALL + 10 ** 9]) {
    const candidate = seeing(held('other', { renewedAt }))
    expect(nextMove(candidate, 1000)).toEqual({ kind: 'wait', until: 16_000 })
    expect(nextMove(candidate, 15_999)).toEqual({ kind: 'wait', until: 16_000 })
    expect(nextMove(candidate, 16_000)).toEqual({ kind: 'claim', version: '7' })
  }
})

test('a renewal starts the wait again, and reading the same version again does not', () => {
  const same = afterRead(afterEvent(seeing(held('other'))), { record: held('other'), version: '7' }, 9000)
  expect(nextMove(same, 9000)).toEqual({ kind: 'wait', until: 16_000 })
  const renewed = afterRead(afterEvent(same), { record: held('other'), version: '9' }, 9000)
  expect(nextMove(renewed, 9000)).toEqual({ kind: 'wait', until: 24_000 })
})

test('news of the lease, such as a conflict, make a candidate look at once', () => {
  expect(nextMove(afterEvent(seeing(held('other'))), 1001)).toEqual({ kind: 'look' })
  expect(nextMove(afterEvent(afterFailure(seeing(held('other')), 1000)), 1001)).toEqual({ kind: 'look' })
})

test('a holder leads until the deadline after it sent the claim, not after the answer came', () => {
  expect([999, 10_999, 11_000].map((now) => leads(options(), now))).toEqual([true, true, false])
  expect(leads(seeing(held('me')), 1000)).toBe(false)
})

test('a holder renews after the retry period', () => {
  expect(nextMove(options(), 1400)).toEqual({ kind: 'wait', until: 3000 })
  expect(nextMove(options(), 3000)).toEqual({ kind: 'claim', version: '8' })
})

test('a holder whose renewal got no answer tries again after the retry period, with a look, and its time runs on', () => {
  const candidate = afterFailure(options(), 4000)
  expect(nextMove(candidate, 4000)).toEqual({ kind: 'wait', until: 6000 })
  expect(nextMove(candidate, 6000)).toEqual({ kind: 'look' })
  expect([10_999, 11_000].map((now) => leads(candidate, now))).toEqual([true, false])
})

test('a holder that sees another one in the lease leads no longer', () => {
  const candidate = afterRead(afterEvent(options()), { record: held('other'), version: '9' }, 3000)
  expect(leads(candidate, 3000)).toBe(false)
  expect(nextMove(candidate, 3000)).toEqual({ kind: 'wait', until: 18_000 })
})

test('a claim that takes over counts a transition, and one that renews keeps when the lease was acquired', () => {
  expect(claimOf(seeing(undefined), WALL)).toEqual(held('me', { transitions: 0 }))
  expect(claimOf(seeing(held('other', { acquiredAt: 5 })), WALL)).toEqual(held('me', { transitions: 5 }))
  expect(claimOf(seeing(held('me', { acquiredAt: 5, renewedAt: 6 })), WALL)).toEqual(held('me', { acquiredAt: 5 }))
})

test('a renewal is never equal to what it replaces, though the clock was set back', () => {
  expect(claimOf(seeing(held('me')), WALL - 5000).renewedAt).toBe(WALL + 1)
})

test('a release names nobody, for a second, and is no transition', () => {
  expect(releaseOf(options(), WALL + 5)).toEqual({
    ...{ holder: '', leaseDuration: 1000, acquiredAt: WALL + 5, renewedAt: WALL + 5 },
    transitions: 0,
  })
})

test.each([
  [{ leaseDuration: 10_000 }, 'a lease duration of 10000 ms must be greater than the renew deadline of 10000 ms'],
  [
    { renewDeadline: 12_000, retryPeriod: 10_000 },
    'a renew deadline of 12000 ms must be greater than 1.2 times the retry period of 10000 ms',
  ],
  [{ renewDeadline: 12_001, retryPeriod: 10_000 }, undefined],
  [{ retryPeriod: 9000 }, 'a renew deadline of 10000 ms must be greater than 1.2 times the retry period of 9000 ms'],
  [{}, undefined],
])('timings with %j are judged as client-go does', (more, problem) => {
  expect(timingProblem({ ...DEFAULT_LEASE_TIMINGS, ...more })).toBe(problem)
})
