import { expect, test } from 'vitest'
import { isJoining } from '../../../src/rollout/exposure/joining.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aYoungNode } from '../builders/nodes.ts'
import { wantedConfig } from '../builders/revisions.ts'

const clock = { now: noon, rolloutStart: noon - hour, applyTimeout: 10 * minute }
const [older, newer] = [wantedConfig({ digest: 'older' }), wantedConfig({ digest: 'newer' })]
const drained = aYoungNode('a').drainedFor('newer')

test('a young node that is drained for the target goes on with it, unless the stable content is the same', () => {
  expect(isJoining(drained, { target: newer, stable: older, clock })).toBe(false)
  expect(isJoining(drained, { target: newer, stable: newer, clock })).toBe(true)
  expect(isJoining(drained, { target: older, stable: older, clock })).toBe(true)
})

test('a young node joins with the stable content when it is not drained, and when that is for other content', () => {
  expect(isJoining(aYoungNode('a'), { target: newer, stable: older, clock })).toBe(true)
  expect(isJoining(aYoungNode('a').drainedFor('older'), { target: newer, stable: older, clock })).toBe(true)
})
