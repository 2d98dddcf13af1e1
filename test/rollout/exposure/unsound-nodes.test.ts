import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { assess, decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { Memory } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

/** `b` superseded `a`, which was on its way from `old`. */
const superseded: PoolOptions = {
  head: 'b',
  stable: 'old',
  waves: [aWave('canary', 1, { soak: 10 * minute })],
  maxUnavailable: '100%',
  history: [aRollout('a', { startedAt: noon - hour }), aRollout('old', { result: 'Completed', startedAt: noon - 3 * hour })],
}
const sound = ['n0', 'n1', 'n2'].map((name) => aNode(name).on('old'))
const failed = aNode('z')
  .on('old')
  .assignedTo('a', { at: noon - 30 * minute })
  .reporting('Failed')

/** Decides about `z` as it is in each state in turn, a minute apart; it gets what it is assigned. */
function inTurn(
  states: readonly ((z: NodeDraft) => NodeDraft)[],
  options: readonly PoolOptions[],
  others: readonly NodeView[] = sound,
) {
  let [z, memory]: [NodeDraft, Memory | undefined] = [failed, undefined]
  const told: string[] = []
  for (const [index, become] of states.entries()) {
    z = become(z)
    const pool = aPool(options[index] ?? options.at(-1)).with(z, ...others)
    const decision = decide(memory ? { ...pool, memory } : pool, noon + index * minute)
    memory = decision.status
    told.push(...assignments(decision))
    const given = decision.actions.find((action) => action.kind === 'assign' && action.node === 'z')
    if (given) z = z.assignedBy(given)
  }
  return { told, rejected: memory?.rejected.map(({ revision }) => revision) }
}
const same = (z: NodeDraft) => z
const error = { reason: 'Unhealthy', message: 'no' }

test('a fix fails on the node that it healed when it takes that down in its soak', () => {
  const applied = (z: NodeDraft) => z.reporting('Applied', { since: noon + minute })
  const down = (z: NodeDraft) => z.notReady(noon + 2 * minute)
  const ended = inTurn([same, applied, down, same, same, same, same], [superseded])

  expect(ended).toEqual({ told: ['z → b', 'z → old'], rejected: ['b'] })
})

test('a canary that failed within the limit is evidence when its labels change, and no other node takes its place', () => {
  const { history: _, ...unfinished } = superseded
  const waves = [aWave('canary', 2, { soak: 30 * minute })]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const options: PoolOptions = { ...unfinished, head: 'a', since: noon - hour, maxFailures: 1, waves, wave }
  const relabelled = { ...options, wants: { z: { digest: 'a, by other labels' } } }
  const again = (z: NodeDraft) => z.reporting('Failed', { error })
  const soaking = aNode('s').on('a', { at: noon - 30 * minute, since: noon })
  const ended = inTurn([same, same, again, again, again], [options, relabelled], [soaking, ...sound])

  expect(ended).toEqual({ told: ['z → a, by other labels'], rejected: [] })
})

test('a commit does not fail on a node that it does not change, and that its agent could not restore before', () => {
  const options: PoolOptions = {
    head: 'new',
    stable: 'old',
    wants: { z: { digest: 'old' } },
    waves: [aWave('rest', '100%')],
    maxUnavailable: '100%',
  }
  const broken = () => aNode('z').on('old').reporting('Failed', { error })
  const done = ['n0', 'n1'].map((name) => aNode(name).on('new', { at: noon, since: noon }))
  const again = (z: NodeDraft) => z.reporting('Failed', { error })
  expect(inTurn([broken, again, again], [options], done)).toMatchObject({ told: ['z → old'], rejected: [] })
})

test('a fix does not fail on a node that is Ready by it, and that its agent could not restore before either', () => {
  const down = () => failed.notReady(noon - 30 * minute)
  const again = (z: NodeDraft) => z.readyAgain(noon + minute / 2).reporting('Failed', { error })
  expect(inTurn([down, again, again], [superseded])).toMatchObject({ rejected: [] })
})

test('a fix does not fail on a machine that its agent could not restore before, and that is replaced when it is down', () => {
  const down = (z: NodeDraft) =>
    z
      .withUid('first')
      .reporting('Applying')
      .notReady(noon + minute / 2)
  const replaced = () =>
    aYoungNode('z')
      .withUid('second')
      .createdAtInstant(noon + 3 * minute)
  expect(inTurn([same, down, same, replaced, same], [superseded])).toMatchObject({ rejected: [] })
})

test('a fix does not fail on a node when the pod that proves it fails, as it did before', () => {
  const unproved = () => failed.reporting('Applied').noting('Failed').withPause()
  const proofs = [
    { node: 'z', name: 'proof-z', uid: '1', digest: 'b', assignedAt: noon, startedAt: noon + minute, state: 'Failed' } as const,
  ]
  const applied = (z: NodeDraft) => z.reporting('Applied').noting('Wanted')
  expect(inTurn([unproved, applied, same], [{ ...superseded, proof: {}, proofs }])).toMatchObject({ rejected: [] })
})

test.each<readonly [what: string, meanwhile: (z: NodeDraft) => NodeDraft]>([
  ['its agent is still at work', (z) => z.reporting('Applying')],
  ['its agent put it back', (z) => z.reporting('RolledBack', { error })],
  ['a pod is still to prove it', (z) => z.reporting('Applied').noting('Wanted')],
])('a second fix does not fail on a node that the first one did not heal: %s', (_, meanwhile) => {
  const again = (z: NodeDraft) => z.reporting('RolledBack', { error })
  const second = { ...superseded, head: 'c', maxUnavailable: 1 }
  const ended = inTurn([same, meanwhile, again, again], [superseded, second])

  expect(ended.told).toContain('z → c')
  expect(ended.rejected).toEqual([])
})

test('a fix does not fail on a node whose agent has been silent since the commit before', () => {
  const silent = () =>
    aNode('z')
      .on('old')
      .assignedTo('a', { at: noon - 30 * minute })
  const later = Array.from({ length: 20 }, () => same)
  const ended = inTurn([silent, ...later], [superseded])

  expect([...new Set(ended.told)]).toEqual(['z → b', 'n0 → b'])
  expect(ended.rejected).toEqual([])
})

test.each<readonly [what: string, later: PoolOptions]>([
  ['its labels change', { ...superseded, wants: { z: { digest: 'b, by other labels' } } }],
  ['people retry the fix', { ...superseded, controls: { retry: 'b' } }],
])('a fix does not fail on a node whose agent has been silent since the commit before, and is still when %s', (_, later) => {
  const silent = () =>
    aNode('z')
      .on('old')
      .assignedTo('a', { at: noon - 30 * minute })
  const before = Array.from({ length: 18 }, () => superseded)
  const ended = inTurn([silent, ...Array.from({ length: 40 }, () => same)], [...before, later])

  expect(ended.told.filter((told) => told.startsWith('z'))).toHaveLength(2)
  expect(ended.rejected).toEqual([])
})

test('a fix does not fail on the node of a spent budget whose agent has been silent for longer than it may be', () => {
  const silent = () =>
    aNode('z')
      .on('old')
      .assignedTo('a', { at: noon - 5 * minute })
  const later = Array.from({ length: 20 }, () => same)
  const ended = inTurn([silent, ...later], [{ ...superseded, maxUnavailable: 1, agentTimeout: 3 * minute }])

  expect(ended.told[0]).toBe('z → b')
  expect(ended.rejected).toEqual([])
})

const away = aNode('z')
  .on('old')
  .notReady(noon - 50 * minute)
  .assignedTo('b', { at: noon - 30 * minute })
  .assignedWhileDown()
const inRest: PoolOptions = {
  ...superseded,
  history: [aRollout('b', { startedAt: noon - hour }), aRollout('old', { result: 'Completed', startedAt: noon - 3 * hour })],
  waves: [aWave('canary', 1)],
  wave: { index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'] },
}
const onB = ['n0', 'n1'].map((name) => aNode(name).on('b', { at: noon - 50 * minute, since: noon - 45 * minute }))

test.each<readonly [what: string, back: (z: NodeDraft) => NodeDraft]>([
  ['its agent is silent', (z) => z.readyAgain(noon - minute / 2)],
  ['its agent is at work', (z) => z.readyAgain(noon - minute / 2).reporting('Applying', { since: noon - minute })],
])('a node that was down until the time for its work was over has that time once it is Ready: %s', (_, back) => {
  const late = inTurn([() => back(away), same, same], [inRest], onB)
  expect(late).toEqual({ told: ['z → b'], rejected: [] })
})

test('a node that was down until its agent had to report has that time once it is Ready', () => {
  const lately = aNode('z')
    .on('old')
    .notReady(noon - 50 * minute)
    .assignedTo('b', { at: noon - 10 * minute })
    .assignedWhileDown()
  const back = () => lately.readyAgain(noon - minute / 2)
  expect(inTurn([back, same, same], [{ ...inRest, agentTimeout: 3 * minute }], onB)).toEqual({ told: ['z → b'], rejected: [] })
})

/** Closed at noon. */
const nights: readonly Window[] = [{ action: 'allow', schedule: '0 22 * * *', duration: 6 * hour, timeZone: 'UTC' }]

test('a node that was down until the time for its work was over fails no commit when it is down again before it is assigned that once more', () => {
  const closed: PoolOptions = { ...inRest, windows: nights }
  const back = () => away.readyAgain(noon - minute / 2)
  const down = (z: NodeDraft) => z.notReady(noon + minute)
  expect(inTurn([back, down, same], [closed], onB)).toEqual({ told: [], rejected: [] })
})

test('a node that was Ready when it was assigned stays Failed when it blinks after the time for its work', () => {
  const stuck = () =>
    aNode('z')
      .on('old')
      .assignedTo('b', { at: noon - 30 * minute })
      .reporting('Applying')
  const blinks = (z: NodeDraft) => z.readyAgain(noon + minute)
  const borne: PoolOptions = { ...inRest, maxFailures: 1 }
  expect(inTurn([stuck, blinks, same], [borne], onB)).toEqual({ told: [], rejected: [] })
})

test('a commit fails on a node that is back and does not end the work in the time that it has then', () => {
  const back = () => away.readyAgain(noon - minute / 2)
  const later = Array.from({ length: 15 }, () => same)
  expect(inTurn([back, ...later], [inRest], onB)).toMatchObject({ rejected: ['b'] })
})

test('a commit fails on a node that was Ready again before the time for its work was over', () => {
  const back = () => away.readyAgain(noon - 16 * minute)
  expect(inTurn([back], [inRest], onB)).toMatchObject({ rejected: ['b'] })
})

test('an operator has the only node of a pool try a fix once more that failed on it, as it did not serve before', () => {
  const again = (z: NodeDraft) => z.reporting('Failed', { error })
  const pool = (z: NodeDraft, controls: PoolOptions['controls'] = {}) => aPool({ ...superseded, controls }).with(z)
  const begun = decide(pool(failed), noon)
  const z = again(failed.assignedBy(begun.actions.find(({ kind }) => kind === 'assign')))
  const stuck = decide({ ...pool(z), memory: begun.status }, noon + minute)
  const retried = decide({ ...pool(z, { retry: 'b' }), memory: stuck.status }, noon + 2 * minute)
  const twice = again(z.assignedBy(retried.actions.find(({ kind }) => kind === 'assign')))
  const ended = decide({ ...pool(twice, { retry: 'b' }), memory: retried.status }, noon + 3 * minute)

  expect(condition(stuck, 'Stalled').message).toContain('then: nodewave retry workers')
  expect(retried.actions).toMatchObject([{ kind: 'assign', node: 'z', digest: 'b', nodeWas: 'Unsound' }])
  expect(assignments(ended)).toEqual([])
  expect(condition(ended, 'Stalled')).toMatchObject({ reason: 'NodesFailed' })
})

test('a wave gives the place of a node on which no pod runs to another one when its time is over, though nothing else happens', () => {
  const unsound = aNode('n0')
    .withPause()
    .assignedTo('new', { at: noon - 3 * minute })
    .assignedWhile('Unsound')
    .reporting('Applied')
    .noting('Failed', { endedAt: noon })
  const canary = { since: noon - 5 * minute, waves: [aWave('canary', 1)], wave: { index: 1, count: 2, name: 'canary' } }
  const options = { ...canary, stable: 'older', maxUnavailable: 2, applyTimeout: 10 * minute, proof: {} }
  const pool = aPool(options).with(unsound, ...nodes('n1', 'n2').map((node) => node.on('older')))
  const first = assess(pool, noon)
  const over = noon + 7 * minute

  expect(first.wakeAt).toBe(over)
  expect(first.proposal.requests).toEqual([])
  expect(assess(pool, over).proposal.requests).toHaveLength(1)
  expect(assess(pool, over, first).proposal.requests).toHaveLength(1)
})
