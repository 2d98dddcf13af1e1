import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { assignments, condition } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

const since = noon - 10 * minute
const options: PoolOptions = { head: 'bad', stable: 'older', since, waves: [aWave('canary', 1)], applyTimeout: 15 * minute }
const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))
/** Its machine hangs since it got the content: its agent says nothing more. */
const hanging = (name: string, { for: ms = 5 * minute } = {}) =>
  aNode(name)
    .on('older')
    .assignedTo('bad', { at: noon - ms - 1000 })
    .notReady(noon - ms)

/** Decides about each of these states of the pool in turn, a minute apart, and each time remembers what was decided. */
function inTurn(states: readonly (readonly NodeView[])[], more: PoolOptions = {}): Decision {
  let last: Decision | undefined
  for (const [index, members] of states.entries()) {
    const pool = aPool({ ...options, ...more }).with(...members)
    last = decide(last ? { ...pool, memory: last.status } : pool, noon + index * minute)
  }
  if (!last) throw new Error('there is no state')
  return last
}

test('a canary whose machine hangs, and is replaced before the time for its work is over, rejects the commit', () => {
  const decision = inTurn([
    [hanging('a'), ...old('b', 'c')],
    [...old('b', 'c'), aNode('fresh')],
  ])

  expect(decision.status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
  expect(assignments(decision).filter((each) => each.endsWith('bad'))).toEqual([])
  expect(condition(decision, 'Stalled').message).toBe(
    'bad failed on "a": replaced after having failed, or not having been Ready for a minute, in the middle of the change; the pool rolls back to older; push a fix or a revert, or: ' +
      'nodewave retry workers (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=bad)',
  )
})

test('a canary that is replaced by a machine of the same name rejects the commit, also when that is assigned something', () => {
  const another = aNode('a').on('older', { at: noon })

  for (const next of [aNode('a').withUid('2'), another.withUid('2'), hanging('a').withUid('1').beingDeleted()])
    expect(
      inTurn([
        [hanging('a').withUid('1'), ...old('b')],
        [next, ...old('b')],
      ]).status.rejected,
    ).toHaveLength(1)
})

test('a canary that hangs, whose labels change, and that is replaced after that rejects the commit', () => {
  const relabelled = aNode('a')
    .on('older')
    .assignedTo('former', { at: noon - 6 * minute, revision: 'bad' })
    .notReady(noon - 5 * minute)

  const { status } = inTurn([[hanging('a'), ...old('b', 'c')], [relabelled, ...old('b', 'c')], old('b', 'c')])

  expect(status.rejected).toMatchObject([{ revision: 'bad' }])
})

test('a node that hangs, and that is assigned again as one that is down, is no longer lost when it is replaced', () => {
  const again = hanging('a').assignedTo('bad', { at: noon }).assignedWhileDown()

  const { status } = inTurn([[hanging('a'), ...old('b', 'c')], [again, ...old('b', 'c')], old('b', 'c')])

  expect(status.rejected).toEqual([])
})

test.each([
  ['held', hanging('a').held()],
  ['shut down', hanging('a').poweredOff(noon)],
  ['assigned by hand', hanging('a').byHand()],
])('a canary that hangs, and is then %s, rejects no commit when it is replaced', (_, canary) => {
  const { status } = inTurn([[hanging('a'), ...old('b', 'c')], [canary, ...old('b', 'c')], old('b', 'c')])

  expect(status.rejected).toEqual([])
})

test('a canary that hangs has not been replaced when nothing tells the uid of its Node, before or now', () => {
  const [told, untold] = [hanging('a').withUid('1'), hanging('a')]

  for (const [before, now] of [
    [told, untold],
    [untold, told],
  ] as const)
    expect(
      inTurn([
        [before, ...old('b')],
        [now, ...old('b')],
      ]).status.rejected,
    ).toEqual([])
})

test.each([
  [
    'is Ready',
    aNode('a')
      .on('older')
      .assignedTo('bad', { at: noon - 5 * minute }),
  ],
  ['was not Ready for less than a minute, as a machine that a cloud takes back', hanging('a', { for: minute / 2 })],
  [
    'was down before it was assigned',
    aNode('a')
      .on('older')
      .assignedTo('bad', { at: noon - minute })
      .notReady(noon - hour),
  ],
  ['was shut down', hanging('a').poweredOff(noon - 5 * minute)],
  ['is held', hanging('a').held()],
  [
    'has the content, and went down later',
    aNode('a')
      .on('bad', { at: noon - 8 * minute })
      .notReady(noon - 5 * minute),
  ],
])('a canary that %s rejects no commit when it is replaced', (_, canary) => {
  expect(inTurn([[canary, ...old('b', 'c')], old('b', 'c')]).status.rejected).toEqual([])
})

test('a pass is due when a node is not Ready for a minute in the middle of its change', () => {
  expect(inTurn([[hanging('a', { for: 10_000 }), ...old('b')]]).wakeAt).toBe(noon + 50_000)
  expect(inTurn([[hanging('a', { for: minute }), ...old('b')]]).wakeAt).toBe(noon + 14 * minute - 1000)
})

test('nodes that failed count as long as the rollout goes on, though their machines are replaced', () => {
  const failed = (name: string) => aNode(name).rolledBackFrom('bad')
  const done = aNode('z').on('bad', { at: noon - 5 * minute })
  const more = { maxFailures: 2, waves: [], maxUnavailable: 1 }
  const states = [
    [failed('a'), failed('b'), done, ...old('c', 'd')],
    [done, ...old('c', 'd')],
    [failed('c'), done, ...old('d')],
  ]

  expect(inTurn(states.slice(0, 2), more).status).toMatchObject({
    rejected: [],
    history: [
      {
        failures: 2,
        losses: {
          nodes: [],
          replaced: [
            { name: 'a', wave: 'rest' },
            { name: 'b', wave: 'rest' },
          ],
        },
      },
      {},
    ],
  })
  expect(inTurn(states, more).status.rejected).toHaveLength(1)
})

test('a node that failed, and that its labels take out of the pool and back, counts once', () => {
  const failed = aNode('a').rolledBackFrom('bad').withUid('1')
  const others = [aNode('z').on('bad', { at: noon - 5 * minute }), ...old('c')]
  const more = { maxFailures: 1, waves: [], maxUnavailable: 1 }
  const run = (states: readonly (readonly NodeView[])[]) => inTurn(states, more).status

  expect(run([[failed, ...others], others]).history[0]).toMatchObject({ failures: 1, losses: { replaced: [{ name: 'a' }] } })
  expect(run([[failed, ...others], others, [failed, ...others]])).toMatchObject({
    rejected: [],
    history: [{ failures: 1, losses: { nodes: [{ name: 'a' }], replaced: [] } }, {}],
  })
  const ofAnother = failed.on('older', { pool: 'gpu', at: noon })
  expect(run([[failed, ...others], others, [ofAnother, ...others]]).history[0]?.losses?.replaced).toHaveLength(1)
  expect(run([[failed, ...others], others, [failed.withUid('2'), ...others]]).rejected).toHaveLength(1)
})

test('machines that a failed commit broke and that were replaced are forgotten by the next rollout', () => {
  const { status } = inTurn([[hanging('a'), ...old('b', 'c')], [...old('b', 'c')]])
  expect(status.history.map(({ revision, failures, losses }) => [revision, failures, losses])).toEqual([
    ['older', undefined, undefined],
    ['bad', 1, undefined],
    ['older', undefined, undefined],
  ])
})

test('a wave that bears less than its pool stops at its own machine that is replaced, and not at that of another wave', () => {
  const more = {
    maxFailures: 3,
    waves: [aWave('canary', 1, { maxFailures: { count: 0 } }), aWave('rest', '100%')],
    maxUnavailable: 3,
  }
  const canary = aNode('a').on('bad', { at: noon - 8 * minute })
  const wave = { index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'] }

  expect(inTurn([[hanging('a'), ...old('b', 'c')], old('b', 'c')], more).status.rejected).toHaveLength(1)
  expect(
    inTurn(
      [
        [canary, hanging('b'), ...old('c')],
        [canary, ...old('c')],
      ],
      { ...more, wave },
    ).status,
  ).toMatchObject({
    rejected: [],
    history: [{ failures: 1, losses: { replaced: [{ name: 'b', wave: 'rest' }] } }, {}],
  })
})

test('a canary that is replaced rejects the commit when it was not Ready for a minute, and not a moment sooner', () => {
  const rejectedAfter = (ms: number) =>
    inTurn([[hanging('a', { for: ms }), ...old('b', 'c')], old('b', 'c')]).status.rejected.length

  expect(rejectedAfter(minute - 1)).toBe(0)
  expect(rejectedAfter(minute)).toBe(1)
})

test('a canary that is replaced rejects the commit also when another commit has closed the waves meanwhile', () => {
  const { status } = decide(aPool(options).with(hanging('a'), ...old('b', 'c')), noon)
  const closed = aPool({ ...options, waves: [aWave('approved', '100%', { manual: true })] }).with(...old('b', 'c'))

  expect(decide({ ...closed, memory: status }, noon + minute).status.rejected).toMatchObject([{ revision: 'bad' }])
  expect(
    decide({ ...closed, memory: { ...status, history: status.history.map(({ losses: _, ...run }) => run) } }, noon).status
      .rejected,
  ).toEqual([])
})
