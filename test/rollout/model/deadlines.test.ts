import { expect, test } from 'vitest'
import type { NodeWas } from '../../../src/protocol/desired-config.ts'
import { countedFrom, deadlineOf, latestOf, silenceEnds, wasDownBefore } from '../../../src/rollout/model/deadlines.ts'
import { aNode } from '../builders/nodes.ts'

const assigned = { digest: 'd', revision: 'r', pool: 'p', grant: 'restart', at: 0 } as const
const clock = { now: 50_000, rolloutStart: 0, applyTimeout: 600_000 }

test.each([
  ['of the past counts for what it says', 40_000, 40_000],
  ['before the assignment counts for the assignment', -40_000, 0],
  ['two seconds ahead counts for what it says', 52_000, 52_000],
  ['an hour ahead counts for the deadline', 3_650_000, 600_000],
  ['that is no date counts for the deadline', Number.NaN, 600_000],
])('a stamp of a node %s', (_, stamp, expected) => {
  expect(latestOf([stamp], { assigned, clock })).toBe(expected)
})

test('a stamp a minute ahead counts for what it says, also when the work ended after its deadline', () => {
  const late = { ...clock, now: 700_000 }
  expect(latestOf([760_000], { assigned, clock: late })).toBe(760_000)
})

test('a deadline counts from the end of an outage', () => {
  expect(deadlineOf(assigned, { ...clock, steadySince: 45_000 })).toBe(645_000)
})

test.each([
  ['further ahead than work may take', 3_650_000, 650_000],
  ['of the past', 0, 600_000],
])('a deadline by a stamp %s, and who began to watch since: %i', (_, at, expected) => {
  const begun = { ...clock, now: 55_000, rolloutStart: -3_600_000, watchedSince: 50_000 }
  expect(deadlineOf({ ...assigned, at }, begun)).toBe(expected)
})

test('a deadline counts from when a clock was put back that had made the assignment', () => {
  expect(deadlineOf({ ...assigned, at: 3_650_000 }, { ...clock, rolloutStart: -3_600_000, steadySince: 50_000 })).toBe(650_000)
})

const down = (readySince: number, ready = false) => ({ ...aNode('a'), ready, readySince })

test.each<readonly [what: string, down: boolean, node: ReturnType<typeof down>, nodeWas: NodeWas | undefined]>([
  ['is Ready', false, down(-5_000, true), 'Down'],
  ['was not Ready a second before it was assigned', true, down(-1_000), 'Down'],
  ['was not Ready less than a second before, as stamps in whole seconds may say', false, down(-999), 'Down'],
  ['went down when it was assigned', false, down(0), 'Down'],
  ['did not serve, and was not Ready a second before it was assigned', true, down(-1_000), 'Unsound'],
  ['the same rollout had taken down before', false, down(-1_000), 'Disturbed'],
  ['was Ready when it was assigned, and went down before that by another clock', false, down(-1_000), undefined],
])('a node that %s was down before: %s', (_, expected, node, nodeWas) => {
  expect(wasDownBefore(node, { ...assigned, nodeWas })).toBe(expected)
})

test.each<readonly [what: string, down: boolean, readySince: number, nodeWas: NodeWas]>([
  ['was down then was down before, also where it was Ready for a moment since', true, 110_000, 'Down'],
  ['went down after that by every clock was not', false, 230_000, 'Silent'],
])('a node that %s when a clock that has been put back assigned it something: %s', (_, expected, readySince, nodeWas) => {
  expect(wasDownBefore(down(readySince), { ...assigned, at: 230_000, nodeWas })).toBe(expected)
})

test.each<readonly [nodeWas: NodeWas, down: boolean]>([
  ['Down', true],
  ['Disturbed', false],
])(
  'a node that was %s when it was assigned something, and whose assignment has lost its stamp, was down before: %s',
  (nodeWas, expected) => {
    expect(wasDownBefore(down(-1_000), { ...assigned, at: undefined, nodeWas })).toBe(expected)
  },
)

test.each([
  ['before the clock ran evenly counts from then on', 10_000, 20_000, 20_000],
  ['after that counts from its beginning', 30_000, 20_000, 30_000],
  ['counts from now at the latest when the clock runs evenly only in the future', 10_000, 60_000, 50_000],
  ['counts from its beginning when the clock is trusted', 10_000, undefined, 10_000],
])('a duration that began %s', (_, since, steadySince, expected) => {
  expect(countedFrom(since, { now: 50_000, ...(steadySince !== undefined && { steadySince }) })).toBe(expected)
})

test.each([
  ['the time of its agent', { agentTimeout: 60_000 }, 60_000],
  ['its work, which may take less than an agent may be silent', { agentTimeout: 900_000 }, 600_000],
  ['its work', {}, 600_000],
])('an agent is silent after %s', (_, more, expected) => {
  expect(silenceEnds(assigned, { ...clock, ...more })).toBe(expected)
})

test('an agent is silent after its time from now on where a clock that is ahead assigned it, as its work is overdue', () => {
  const ahead = { ...assigned, at: clock.now + 120_000 }
  const late = { ...clock, rolloutStart: -3_600_000, agentTimeout: 60_000 }

  expect(silenceEnds(ahead, late)).toBe(clock.now + 60_000)
  expect(deadlineOf(ahead, late)).toBe(clock.now + 600_000)
})

test('a reboot has its own time besides, and no silence has', () => {
  const reboot = { ...assigned, grant: 'reboot' } as const

  expect(deadlineOf(reboot, { ...clock, bootTimeout: 1_000 })).toBe(601_000)
  expect(deadlineOf(assigned, { ...clock, bootTimeout: 1_000 })).toBe(600_000)
  expect(silenceEnds(reboot, { ...clock, bootTimeout: 1_000 })).toBe(600_000)
})

test.each([
  ['of the past', 40_000, 640_000],
  ['of this instant', 50_000, 650_000],
  ['a little ahead', 60_000, 650_000],
  ['further ahead than work may take', 650_000, 600_000],
  ['that nobody noted', undefined, 650_000],
])('work of an assignment %s is overdue at %s', (_, at, expected) => {
  const { at: _at, ...unstamped } = assigned

  expect(deadlineOf(at === undefined ? unstamped : { ...assigned, at }, clock)).toBe(expected)
})
