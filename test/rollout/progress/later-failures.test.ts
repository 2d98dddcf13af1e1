import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition, phases, selected } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const history = [aRollout('new', { result: 'Completed', startedAt: noon - 3 * hour })]
const options: PoolOptions = { stable: 'new', maxUnavailable: 10, history }
const served = aNode('old').on('new')
const failing = (name: string) => aNode(name).rolledBackFrom('new', { at: noon - hour })
/** Its labels changed: it is to get other content. */
const changed = aNode('changed').on('before')

/** Decides about each of these states of the pool in turn, a minute apart, and each time remembers what was decided. */
function inTurn(states: readonly (readonly NodeView[])[], more: PoolOptions = {}): Decision {
  return at(states, (pool, now) => decide(pool, now), more)
}

function at(
  states: readonly (readonly NodeView[])[],
  decideOne: (pool: PoolSnapshot, now: number) => Decision,
  more: PoolOptions = {},
): Decision {
  let last: Decision | undefined
  for (const [index, members] of states.entries()) {
    const pool = aPool({ ...options, ...more }).with(...members)
    last = decideOne(last ? { ...pool, memory: last.status } : pool, noon + index * minute)
  }
  if (!last) throw new Error('there is no state')
  return last
}

const young = (name: string): NodeDraft => aYoungNode(name).createdAtInstant(noon + minute)

test('a completed pool changes no other node after the machine that failed was replaced', () => {
  expect(
    assignments(
      inTurn([
        [served, failing('bad')],
        [served, changed],
      ]),
    ),
  ).toEqual([])
  expect(assignments(inTurn([[served], [served, changed]]))).toEqual(['changed → new'])
})

test('a machine that failed is remembered when its Node is about to be deleted, and when another machine has its name', () => {
  expect(assignments(inTurn([[failing('bad')], [failing('bad').beingDeleted(), changed]]))).toEqual([])
  expect(assignments(inTurn([[failing('bad')], [young('bad'), changed]]))).toEqual(['bad → new'])
})

test('new nodes get the content one at a time after machines that it failed on were replaced', () => {
  const joining = ['j1', 'j2', 'j3'].map(young)
  const begun = young('j1').assignedTo('new', { at: noon + minute })

  expect(selected(inTurn([[served], [served, ...joining]]))).toHaveLength(3)
  expect(
    selected(
      inTurn([
        [served, failing('bad')],
        [served, ...joining],
      ]),
    ),
  ).toHaveLength(1)
  expect(selected(inTurn([[failing('bad')], [begun, ...joining.slice(1)]]))).toEqual([])
  expect(selected(inTurn([[failing('bad')], [served], [begun.reporting('RolledBack'), ...joining.slice(1)]]))).toHaveLength(1)
})

test('a node that waited until it was young no more counts as new when it came after the rollout had begun', () => {
  const waiting = (created: number) => aNode('w').createdAtInstant(created)
  const began = noon - 3 * hour
  const afterReplacement = (created: number) =>
    selected(
      inTurn([
        [served, failing('bad')],
        [served, waiting(created)],
      ]),
    )

  expect(afterReplacement(began + 1)).toEqual(['w'])
  expect(afterReplacement(began)).toEqual([])
})

test('a node that has begun with the content keeps new nodes waiting when it came after the rollout had begun', () => {
  const begun = (created: number) =>
    aNode('w')
      .createdAtInstant(created)
      .assignedTo('new', { at: noon + minute })
  const began = noon - 3 * hour

  expect(selected(inTurn([[failing('bad')], [begun(began + 1), young('j1')]]))).toEqual([])
  expect(selected(inTurn([[failing('bad')], [begun(began), young('j1')]]))).toEqual(['j1'])
})

test('a new node that is drained until it is young no more is the one that tries the content, and no other one goes on beside it', () => {
  const drained = (name: string) =>
    aNode(name)
      .createdAtInstant(noon - hour)
      .drainedFor('new', { at: noon })
  const afterReplacement = (members: readonly NodeView[], more: PoolOptions = {}) =>
    inTurn(
      [
        [served, failing('bad')],
        [served, ...members],
      ],
      { drain: { mode: 'Always' }, ...more },
    )

  expect(afterReplacement([young('a'), drained('b')]).actions).toEqual([])
  expect(selected(afterReplacement([drained('b'), drained('c')], { pods: { b: [], c: [] } }))).toEqual(['b'])
})

test('a new node that is not Ready in time gives its turn to the next one', () => {
  const down = young('j1')
    .notReady(noon)
    .assignedTo('new', { at: noon + minute })
  const states = (minutes: number) => [[failing('bad')], ...Array.from({ length: minutes }, () => [down, young('j2')])]

  const waiting = inTurn(states(5), { applyTimeout: 5 * minute })
  expect(selected(waiting)).toEqual([])
  expect(waiting.wakeAt).toBe(noon + 6 * minute)
  expect(selected(inTurn(states(6), { applyTimeout: 5 * minute }))).toEqual(['j2'])
  expect(selected(inTurn(states(6), { applyTimeout: 15 * minute }))).toEqual([])
})

test('every new node gets the content again as soon as it works on one', () => {
  const joined = young('j1').on('new', { at: noon + 2 * minute })
  const others = ['j2', 'j3'].map(young)

  const before = [[failing('bad')], [served]]
  expect(selected(inTurn([...before, [served, ...others]]))).toHaveLength(1)
  expect(selected(inTurn([...before, [served], [served, joined, ...others]]))).toHaveLength(2)
})

test('a machine that takes the place of one that failed, and gets the content at once, ends the count when that works', () => {
  const [failed, another] = [failing('bad').withUid('first'), young('bad').withUid('second')]
  const replaced = inTurn([[failed], [another, changed]])
  const joined = another.assignedBy(replaced.actions.find(({ kind }) => kind === 'assign')).reporting('Applied')
  const states = (last: NodeView) => [[failed], [another, changed], [last, changed]]

  expect(assignments(replaced)).toEqual(['bad → new'])
  expect(assignments(inTurn(states(joined)))).toEqual(['changed → new'])
  expect(assignments(inTurn(states(joined.on('new', { at: noon + minute - 1 }))))).toEqual([])
})

test('a machine that was replaced while a clock was years ahead is forgotten once the content works on a new one', () => {
  const gone = inTurn([[failing('bad')], [served]]).status
  const [run, ...older] = gone.history
  const later = { nodes: [], replaced: 1, since: stamp(noon + 100_000 * hour) }
  const memory = { ...gone, history: run ? [{ ...run, laterFailures: later }, ...older] : [] }
  const back = decide({ ...aPool(options).with(served), memory }, noon + 2 * minute).status
  const joined = young('j1').on('new', { at: noon + 3 * minute })

  expect(back.history[0]?.laterFailures).toEqual({ nodes: [], replaced: 1, since: stamp(noon + 2 * minute) })
  const last = decide({ ...aPool(options).with(served, joined), memory: back }, noon + 4 * minute).status
  expect(last.history[0]?.laterFailures).toBe(undefined)
})

test('a machine that was replaced still counts when a clock is put back a little: nodes that got the content before it prove nothing', () => {
  const early = young('early').on('new', { at: noon - minute })
  const gone = decide({ ...aPool(options).with(early), memory: inTurn([[early, failing('bad')]]).status }, noon).status
  const back = decide({ ...aPool(options).with(early), memory: gone }, noon - 5 * minute).status
  const [run] = decide({ ...aPool(options).with(early), memory: back }, noon - minute / 2).status.history

  expect(run?.laterFailures).toEqual({ nodes: [], replaced: 1, since: stamp(noon) })
})

test('another machine that is replaced after a clock was put back a little does not let earlier nodes end the count', () => {
  const early = young('early').on('new', { at: noon - minute })
  const both = decide(
    { ...aPool(options).with(early, failing('b')), memory: inTurn([[early, failing('a'), failing('b')]]).status },
    noon,
  )
  const back = decide({ ...aPool(options).with(early), memory: both.status }, noon - 5 * minute)
  const [run] = decide({ ...aPool(options).with(early), memory: back.status }, noon - minute / 2).status.history

  expect(run?.laterFailures).toEqual({ nodes: [], replaced: 2, since: stamp(noon) })
})

test('a machine that is replaced after a clock was put back counts, though others were assigned by the clock before', () => {
  const before = aNode('old').on('new', { at: noon + hour })
  const [run] = inTurn([[before, failing('bad')], [before]]).status.history

  expect(run?.laterFailures).toEqual({ nodes: [], replaced: 1, since: stamp(noon + minute) })
})

test('a pool tolerates as many machines that failed and were replaced as maxFailures says', () => {
  const one = [[failing('bad')], [served, changed, young('j1'), young('j2')]]
  const two = [[failing('bad'), failing('worse')], one[1] ?? []]

  expect(selected(inTurn(one, { maxFailures: 1 }))).toHaveLength(3)
  expect(selected(inTurn(two, { maxFailures: 1 }))).toHaveLength(1)
})

test('machines that were replaced and nodes that fail count together', () => {
  const states = [
    [failing('bad'), served],
    [failing('worse'), served, changed],
  ]

  expect(selected(inTurn(states, { maxFailures: 1 }))).toEqual([])
  expect(selected(inTurn(states, { maxFailures: 2 }))).toEqual(['changed'])
})

test('a failed node that works again, or is held, is not remembered when it is gone', () => {
  const healed = aNode('bad').on('new', { at: noon - hour })

  expect(selected(inTurn([[failing('bad')], [healed], [changed]]))).toEqual(['changed'])
  expect(selected(inTurn([[failing('bad')], [failing('bad').held()], [changed]]))).toEqual(['changed'])
})

test('a failed node that leaves the pool by its labels, and comes back, counts as one machine', () => {
  const bad = failing('bad').withUid('u1')
  const lastOf = (...states: readonly (readonly NodeView[])[]) => inTurn(states).status.history[0]?.laterFailures

  expect(lastOf([bad], [served])).toEqual({ nodes: [], replaced: 1, since: stamp(noon + minute), uids: ['u1'] })
  expect(lastOf([bad], [served], [bad])).toEqual({ nodes: ['bad'], uids: ['u1'] })
  expect(lastOf([bad], [served], [bad], [served])).toEqual({
    nodes: [],
    replaced: 1,
    since: stamp(noon + 3 * minute),
    uids: ['u1'],
  })
  expect(lastOf([bad], [served], [bad.on('new', { at: noon - hour })])).toBe(undefined)
})

test('machines that are gone count while another one comes back, and until the content works on a new one', () => {
  const [bad, worse] = [failing('bad').withUid('u1'), failing('worse').withUid('u2')]
  const lastOf = (...states: readonly (readonly NodeView[])[]) => inTurn(states).status.history[0]?.laterFailures
  const joined = aNode('j1').on('new', { at: noon + 2 * minute })

  const since = stamp(noon + minute)
  expect(lastOf([bad, worse], [served])).toEqual({ nodes: [], replaced: 2, since, uids: ['u1', 'u2'] })
  expect(lastOf([bad, worse], [served], [worse])).toEqual({ nodes: ['worse'], replaced: 1, since, uids: ['u2', 'u1'] })
  expect(lastOf([bad, worse], [served], [joined])).toBe(undefined)
  expect(lastOf([bad, worse], [served], [joined, worse])).toEqual({ nodes: ['worse'], uids: ['u2'] })
})

test('a Node of another machine takes the place of one that failed, though it was assigned before anybody looked', () => {
  const run = inTurn([[failing('bad').withUid('u1')], [aNode('bad').withUid('u2').on('new')]]).status.history[0]

  expect(run?.laterFailures).toEqual({ nodes: [], replaced: 1, since: stamp(noon + minute), uids: ['u1'] })
})

test('a Node that is about to be deleted does not come back', () => {
  const bad = failing('bad').withUid('u1')
  const leaving = bad.beingDeleted()
  const run = inTurn([[bad], [leaving], [leaving], []]).status.history[0]

  expect(run?.laterFailures).toEqual({ nodes: [], replaced: 1, since: stamp(noon + minute), uids: ['u1'] })
})

test('a pool names what keeps new nodes waiting, and is Ready while nobody waits', () => {
  const waiting = inTurn([[failing('bad')], [served, changed, young('j1'), young('j2')]])
  expect(condition(waiting, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'NodesFailed',
    message:
      '1 machine that was replaced since failed after new had completed, more than maxFailures tolerates: new nodes get it one at a time until it works on one, and no other node gets new content; push a fix, or: nodewave retry workers',
  })

  expect(condition(inTurn([[served, failing('bad')], [served]]), 'Ready').status).toBe('True')
})

test('a retry of the commit forgets the machines that were replaced', () => {
  const before = inTurn([[failing('bad')], [served]])
  const pool = { ...aPool(options).with(served, changed), memory: before.status, controls: { retry: 'new' } }

  const after = decide(pool, noon + 2 * minute)
  expect(assignments(after)).toEqual(['changed → new'])
  expect(after.status.controls[0]).toMatchObject({ action: 'Retry', outcome: 'Done' })
  expect(decide({ ...pool, memory: after.status }, noon + 3 * minute).status.controls).toEqual(after.status.controls)
})

test('a commit that takes the place of another one starts without its later failures, and so does the way back', () => {
  const before = inTurn([[failing('bad')], [served]])
  const pool = { ...aPool({ ...options, head: 'fix' }).with(served), memory: before.status }

  expect(decide(pool, noon + 2 * minute).status.history.map(({ laterFailures }) => laterFailures)).toEqual([undefined, undefined])
})

test('another commit begins without what its predecessor failed on', () => {
  const before = inTurn([[failing('bad')], [served]])
  const pool = { ...aPool({ ...options, head: 'fix' }).with(served, changed), memory: before.status }

  expect(selected(decide(pool, noon + 2 * minute))).toEqual(['old', 'changed'])
})

test('failures after one pool completed a commit stop it in the pools that have not', () => {
  const web = { ...aPool({ stable: 'older', since: noon - 9 * minute }).with(aNode('web').on('older')), name: 'web' }
  const stopped = (gpu: PoolSnapshot, now: number): string | undefined => {
    const decision = decideFleet({ pools: [gpu, web], policy: { maxFailures: { count: 1 } }, controls: {} }, now).get('web')
    return decision && condition(decision, 'Ready').reason
  }
  const gpuAfter = (...states: readonly (readonly NodeView[])[]): PoolSnapshot => {
    const { status } = inTurn(states, { maxFailures: 5 })
    return { ...aPool({ ...options, maxFailures: 5 }).with(...(states.at(-1) ?? [])), name: 'gpu', memory: status }
  }

  expect(stopped(gpuAfter([served, failing('a')]), noon)).toBe('RollingOut')
  expect(stopped(gpuAfter([served, failing('a'), failing('b')]), noon)).toBe('FleetStopped')
  expect(stopped(gpuAfter([served, failing('a')], [served, failing('b')]), noon + minute)).toBe('FleetStopped')
  expect(stopped(gpuAfter([served, failing('a'), failing('b')], [served]), noon + minute)).toBe('FleetStopped')
})

test('the history tells which nodes fail after a rollout, and how many of them were replaced', () => {
  const [run] = inTurn([[failing('a'), failing('b')], [failing('b')]]).status.history

  expect(run?.laterFailures).toEqual({ nodes: ['b'], replaced: 1, since: stamp(noon + minute) })
})

test('assignments that a restored etcd brought back are no failures: each node is assigned the content again, within the budget', () => {
  const error = { reason: 'AssignmentReplayed', message: 'refuse the desired-config' }
  const refusing = (name: string) => aNode(name).on('new').reporting('RolledBack', { active: 'newer', error })
  const decision = inTurn([['a', 'b', 'c'].map(refusing)], { maxUnavailable: 2 })

  expect(assignments(decision)).toEqual(['b → new', 'a → new'])
  expect(condition(decision, 'Ready')).toMatchObject({ reason: 'RollingOut' })
})

const refusing = (counter: number | undefined, accepted: number | undefined): NodeDraft =>
  aNode('a')
    .assignedTo('new', { at: noon, counter })
    .reporting('RolledBack', {
      error: { reason: 'AssignmentReplayed', message: 'its COUNTER is 5' },
      ...(accepted !== undefined && { counter: accepted }),
    })

test.each([
  [5, 7],
  [5, 5],
])(
  'an assignment with the counter %s that an agent refuses, for it had accepted %s, waits for a minute, and is made again',
  (counter, accepted) => {
    const pool = aPool(options).with(refusing(counter, accepted))
    const [early, late] = [decide(pool, noon + minute - 1), decide(pool, noon + minute)]

    expect([phases(early), assignments(early), early.wakeAt]).toEqual([{ Waiting: 1 }, [], noon + minute])
    expect(condition(early, 'Ready')).toMatchObject({ reason: 'RollingOut' })
    expect(condition(early, 'Ready').message).toContain(
      `; "a": the assignment is older than one that the agent accepted before; assigned again until ${stamp(noon + minute)}`,
    )
    expect(assignments(late)).toEqual(['a → new'])
  },
)

const NOT_OVERTAKEN: readonly (readonly [number | undefined, number | undefined])[] = [
  [8, 7],
  [5, undefined],
  [undefined, 7],
  // No counter that a controller may write is above it.
  [5, Number.MAX_SAFE_INTEGER],
]

test.each(NOT_OVERTAKEN)(
  'an assignment with the counter %s that an agent refuses, though it names %s, is a failure for a minute, and is made again',
  (counter, accepted) => {
    const pool = aPool(options).with(refusing(counter, accepted))
    const [early, late] = [decide(pool, noon + minute - 1), decide(pool, noon + minute)]

    expect([phases(early), assignments(early), early.wakeAt]).toEqual([{ Failed: 1 }, [], noon + minute])
    expect(assignments(late)).toEqual(['a → new'])
  },
)
