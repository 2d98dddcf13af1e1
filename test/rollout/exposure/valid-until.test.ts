import { expect, test } from 'vitest'
import { validUntil } from '../../../src/rollout/exposure/valid-until.ts'
import type { RolloutClock } from '../../../src/rollout/model/deadlines.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'

const clock: RolloutClock = { now: noon + 1, rolloutStart: noon, applyTimeout: 10 * minute, agentTimeout: minute }
const silent = { node: aNode('a').assignedTo('new', { at: noon }), report: undefined }

test.each([
  ['its agent may be silent no longer', clock, noon + minute],
  ['its work is overdue, when the silence is over', { ...clock, now: noon + minute }, noon + 10 * minute],
  ['ever, when all that is over', { ...clock, now: noon + 10 * minute }, Number.POSITIVE_INFINITY],
])('time alone changes nothing about a node that was just assigned until %s', (_, when, expected) => {
  expect(validUntil(silent, when)).toBe(expected)
})

test('every instant may change something about a node that is not in service', () => {
  const { node } = silent
  const found = [
    node.notReady(),
    node.cordoned(),
    node.drainedFor('new'),
    node.toReboot('1'),
    node.on('new', { at: noon + minute }),
  ]
  expect(found.map((each) => validUntil({ node: each, report: each.status }, clock))).toEqual(found.map(() => noon + 1))
})
