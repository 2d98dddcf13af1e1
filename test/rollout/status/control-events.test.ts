import { expect, test } from 'vitest'
import type { ControlRecord } from '../../../src/protocol/node-pool.ts'
import { NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { controlEvents } from '../../../src/rollout/status/control-events.ts'

const pause: ControlRecord = { action: 'Pause', who: 'ada', at: 'noon', outcome: 'Done', message: 'paused' }
const refused: ControlRecord = { action: 'Promote', at: 'noon', value: 'c0ffee1', outcome: 'Refused', message: 'no such commit' }
const hold = (...nodes: string[]): ControlRecord => ({
  action: 'Hold',
  nodes,
  who: 'ada',
  at: 'noon',
  outcome: 'Done',
  message: 'held',
})

const eventsOf = (before: readonly ControlRecord[], after: readonly ControlRecord[]) =>
  controlEvents({ ...NO_MEMORY, controls: before }, { controls: after } as never)

test('an action is an event on its pool, with who did what', () => {
  expect(eventsOf([], [pause])).toEqual([
    { on: { kind: 'pool' }, type: 'Normal', reason: 'Paused', message: 'ada at noon; paused' },
  ])
})

test('an action that was refused is a warning', () => {
  expect(eventsOf([], [refused])).toEqual([
    { on: { kind: 'pool' }, type: 'Warning', reason: 'PromoteRefused', message: 'somebody at noon: c0ffee1; no such commit' },
  ])
})

test.each([
  ['24b638ac1794d8f0a6f3e1f2b0c9d8e7f6a5b4c3', '24b638a'],
  ['24b638ac1794d8f0a6f3e1f2b0c9d8e7f6a5b4c3+1a2b3c4d', '24b638a+1a2b3c4d'],
  ['24b638ac1794', '24b638ac1794'],
  ['the newest', 'the newest'],
])('the event of a promotion of "%s" says "%s"', (value, said) => {
  const promoted: ControlRecord = { action: 'Promote', who: 'ada', at: 'noon', value, outcome: 'Done', message: 'approved' }

  expect(eventsOf([], [promoted]).map(({ message }) => message)).toEqual([`ada at noon: ${said}; approved`])
})

test('actions that are known are no events, and new ones come oldest first', () => {
  expect(eventsOf([pause], [pause])).toEqual([])
  expect(eventsOf([pause], [{ ...pause }])).toEqual([])
  expect(eventsOf([], [refused, pause]).map(({ reason }) => reason)).toEqual(['Paused', 'PromoteRefused'])
})

test('another node of the same command is an event on that node alone', () => {
  expect(eventsOf([hold('a')], [hold('a', 'b')]).map(({ on, reason }) => [on, reason])).toEqual([
    [{ kind: 'node', name: 'b' }, 'Held'],
  ])
  const later = eventsOf([hold('a')], [{ ...hold('a', 'b'), at: 'later' }])
  expect(later.map(({ on }) => (on.kind === 'node' ? on.name : '')).sort()).toEqual(['a', 'b'])
})
