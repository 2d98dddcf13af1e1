import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition, remembering } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

const ada = { who: 'ada', at: '2026-11-21T11:59:00Z' }

function aPoolWith(controls: NonNullable<PoolOptions['controls']>, ...members: readonly PoolSnapshot['nodes'][number][]) {
  return aPool({ head: 'new', stable: 'older', controls }).with(...members, aNode('z').on('older'))
}

test('a pause is recorded once, with who and when, and told as an event', () => {
  const pool = aPoolWith({ paused: 'new firmware', by: { paused: ada } })

  const decision = decide(pool, noon)

  expect(decision.status.controls).toEqual([
    {
      action: 'Pause',
      value: 'new firmware',
      who: 'ada',
      at: '2026-11-21T11:59:00Z',
      outcome: 'Done',
      message: 'no new node starts; nodes that have started finish',
    },
  ])
  expect(decision.events[0]).toEqual({
    on: { kind: 'pool' },
    type: 'Normal',
    reason: 'Paused',
    message: 'ada at 2026-11-21T11:59:00Z: new firmware; no new node starts; nodes that have started finish',
  })
  expect(condition(decision, 'Stalled').message).toBe(
    'paused by ada at 2026-11-21T11:59:00Z: new firmware; nodes that have started finish; until: nodewave resume workers',
  )
  expect(decide(remembering(pool, decision), noon + minute).events).toEqual([])
})

test('a pause of the fleet is recorded in every pool', () => {
  const pool = { ...aPoolWith({}), fleet: { paused: '', pausedBy: ada } }

  const decision = decide(pool, noon)
  const resumed = decide({ ...remembering(pool, decision), fleet: {} }, noon + minute)

  expect(condition(decision, 'Stalled').message).toBe(
    'the whole fleet is paused by ada at 2026-11-21T11:59:00Z; nodes that have started finish; until: nodewave resume --all',
  )
  expect(resumed.status.controls.map(({ action }) => action)).toEqual(['ResumeFleet', 'PauseFleet'])
})

test('a control without a signature is recorded when it is noticed', () => {
  expect(decide(aPoolWith({ paused: '' }), noon).status.controls[0]).toEqual({
    action: 'Pause',
    at: stamp(noon),
    outcome: 'Done',
    message: 'no new node starts; nodes that have started finish',
  })
})

test('a signature that was left behind is not taken for whoever acts without one later', () => {
  const paused = aPoolWith({ paused: 'new firmware', by: { paused: ada } })
  const resumed = aPoolWith({ by: { paused: ada } })
  const afterwards = decide(remembering(resumed, decide(paused, noon)), noon + minute)

  const again = decide(remembering(aPoolWith({ paused: 'again', by: { paused: ada } }), afterwards), noon + 2 * minute)

  expect(again.status.controls.map(({ action, who }) => `${action} ${who}`)).toEqual([
    'Pause undefined',
    'Resume undefined',
    'Pause ada',
  ])
})

test('two controls that one person signs in the same second are both theirs', () => {
  const pool = aPoolWith({ paused: '', reconcileAt: 'now', by: { paused: ada, reconcileAt: ada } })

  expect(decide(pool, noon).status.controls.map(({ action, who }) => `${action} ${who}`)).toEqual(['Reconcile ada', 'Pause ada'])
})

test('a promotion of another commit than the pool goes to is refused', () => {
  const { controls } = decide(aPoolWith({ promoted: 'c0ffee1' }), noon).status

  expect(controls[0]).toMatchObject({
    action: 'Promote',
    value: 'c0ffee1',
    outcome: 'Refused',
    message: 'neither the target nor the newest commit has this name; the newest is new; it counts if such a commit arrives',
  })
})

test('nodes held by one command make one entry, and an event on each', () => {
  const pool = aPoolWith({}, { ...aNode('b').held('disk'), heldBy: ada })
  const first = decide(pool, noon)
  const more = { ...pool, nodes: [{ ...aNode('a').held('disk'), heldBy: ada }, ...pool.nodes] }

  const second = decide(remembering(more, first), noon + minute)

  expect(second.status.controls).toEqual([
    {
      action: 'Hold',
      nodes: ['a', 'b'],
      value: 'disk',
      who: 'ada',
      at: '2026-11-21T11:59:00Z',
      outcome: 'Done',
      message: 'excluded from rollouts',
    },
  ])
  expect(second.status.held).toEqual([
    { node: 'a', reason: 'disk', ...ada },
    { node: 'b', reason: 'disk', ...ada },
  ])
  expect(second.events.map(({ on, reason }) => [on, reason])).toEqual([[{ kind: 'node', name: 'a' }, 'Held']])
})

test('the entry of a command that releases thousands of nodes names the first two hundred', () => {
  const names = Array.from({ length: 300 }, (_, index) => `n${100 + index}`)
  const bob = { who: 'bob', at: '2026-11-21T12:00:30Z' }
  const releasedTo = (count: number) =>
    aPoolWith({}, ...names.map((name, index) => (index < count ? { ...aNode(name), heldBy: bob } : aNode(name).held('disk'))))
  let decision = decide(releasedTo(0), noon)
  for (let count = 50; count <= names.length; count += 50)
    decision = decide(remembering(releasedTo(count), decision), noon + count)

  expect(decision.status.held).toEqual([])
  expect(decision.status.controls[0]).toMatchObject({ action: 'Release', who: 'bob', nodes: names.slice(0, 200) })
})

test('a node that is released is recorded, and one that leaves the cluster is not', () => {
  const pool = aPoolWith({}, aNode('a').held('disk'), aNode('b').held('disk'))
  const bob = { who: 'bob', at: '2026-11-21T12:00:30Z' }

  const decision = decide(remembering(aPoolWith({}, { ...aNode('a'), heldBy: bob }), decide(pool, noon)), noon + minute)

  expect(decision.status.held).toEqual([])
  expect(decision.status.controls.map(({ action, nodes, who }) => [action, nodes, who])).toEqual([
    ['Release', ['a'], 'bob'],
    ['Hold', ['a', 'b'], undefined],
  ])
})

test('ten records are kept, the newest first', () => {
  let pool = aPoolWith({})
  for (let i = 0; i < 12; i++)
    pool = remembering(pool, decide({ ...pool, controls: { reconcileAt: String(i) } }, noon + i * minute))

  expect(pool.memory.controls.map(({ at }) => at)).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => stamp(noon + index * minute)),
  )
})
