import { expect, test } from 'vitest'
import { isJoining } from '../../../src/rollout/exposure/joining.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft } from '../builders/nodes.ts'
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

const started = clock.rolloutStart
const created = (at: number) =>
  aNode('a')
    .createdAtInstant(at)
    .readyAgain(at + minute)
const joins = (node: NodeDraft, now = noon) => isJoining(node, { target: newer, stable: older, clock: { ...clock, now } })

test.each<readonly [what: string, node: NodeDraft, now: number]>([
  ['was created when the rollout began', created(started), started + minute],
  ['was created in the second before the rollout began', created(started - 999), started + minute],
  ['was created almost as long ago as its work may take', created(noon - 10 * minute + 1), noon],
  ['was never Ready, however old it is', aNode('a').notReady(noon - 24 * hour), noon],
  ['is not Ready since a minute after it was created', aNode('a').notReady(noon - 24 * hour + minute), noon],
])('a node joins that %s', (_, node, now) => {
  expect(joins(node, now)).toBe(true)
})

test.each<readonly [what: string, node: NodeDraft, now: number]>([
  ['was created a second before the rollout began', created(started - 1000), started + minute],
  ['was created as long ago as its work may take', created(noon - 10 * minute), noon],
  ['went down more than a minute after it was created', aNode('a').notReady(noon - 24 * hour + minute + 1), noon],
  ['has been assigned something', created(noon - minute).assignedTo('older'), noon],
  ['was uncordoned by a person', created(noon - minute).drainedFor('older', { state: 'Released' }), noon],
])('a node does not join that %s', (_, node, now) => {
  expect(joins(node, now)).toBe(false)
})

test('no node joins a pool that has completed nothing, or whose stable content cannot be rendered', () => {
  const problem = { kind: 'problem', message: 'no label' } as const

  expect(isJoining(aYoungNode('a'), { target: newer, stable: undefined, clock })).toBe(false)
  expect(isJoining(aYoungNode('a'), { target: newer, stable: problem, clock })).toBe(false)
})
