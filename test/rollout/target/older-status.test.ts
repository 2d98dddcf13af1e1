import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, condition } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const waves = [{ name: 'canary', nodes: { count: 1 }, soak: 0, manual: false }]
/** Somebody has restored the status from before the rollout of `new` began. */
const older = { stable: 'old', history: [aRollout('old', { result: 'Completed', startedAt: noon - 3 * hour })] } as const
const others = ['b', 'c'].map((name) => aNode(name).on('old'))

test('a pool whose status is older than the assignment of its canary tries the commit on no other node', () => {
  const canary = aNode('a').assignedTo('new', { at: noon - minute })
  const { status, actions } = decide(aPool({ ...older, waves }).with(canary, ...others), noon)

  expect(actions).toEqual([])
  expect(status.history[0]).toMatchObject({ revision: 'new', startedAt: stamp(noon - minute), result: 'Running' })
  expect(status.wave).toMatchObject({ name: 'canary' })
})

test('a pool whose status is older than the failure of its canary counts that failure', () => {
  const canary = aNode('a').rolledBackFrom('new', { at: noon - minute, to: 'old' })
  const decision = decide(aPool({ ...older, waves }).with(canary, ...others), noon)

  expect(decision.status.rejected).toEqual([aRef('new')])
  expect(condition(decision, 'Ready')).toMatchObject({ reason: 'RollingBack' })
})

test('a pool whose status is older than its nodes knows the rollout by its content where a newer commit renders the same', () => {
  const canary = aNode('a').assignedTo('new', { at: noon - minute, revision: 'first of new' })
  const { status } = decide(aPool({ ...older, waves, commit: 'second of new' }).with(canary, ...others), noon)

  expect(status.history[0]).toMatchObject({ startedAt: stamp(noon - minute) })
})

test('a rollout that begins is not older for nodes that have its content from an earlier one which the status knows', () => {
  const history = [
    aRollout('old', { result: 'Completed', startedAt: noon - hour }),
    aRollout('new', { result: 'Superseded', startedAt: noon - 2 * hour }),
  ]
  const before = aNode('a').assignedTo('new', { at: noon - 2 * hour })
  const { status } = decide(aPool({ stable: 'old', history, waves }).with(before, ...others), noon)

  expect(status.history[0]).toMatchObject({ revision: 'new', startedAt: stamp(noon) })
})

test('a pool whose status is older than its canary counts that also where it had left the commit once before', () => {
  const history = [
    aRollout('old', { result: 'Completed', startedAt: noon - hour }),
    aRollout('new', { result: 'Superseded', startedAt: noon - 2 * hour }),
    aRollout('old', { result: 'Completed', startedAt: noon - 3 * hour }),
  ]
  const canary = aNode('a').on('new', { at: noon - minute })
  const waves = [{ name: 'canary', nodes: { count: 1 }, soak: hour, manual: false }]
  const { status, actions } = decide(aPool({ stable: 'old', history, waves }).with(canary, ...others), noon)

  expect(actions).toEqual([])
  expect(status.history[0]).toMatchObject({ revision: 'new', startedAt: stamp(noon - minute) })
})

test('a rollout that begins is not older for a node that another pool assigned its content', () => {
  const moved = aNode('a').assignedTo('new', { at: noon - minute, pool: 'gpu' })
  const { status, actions } = decide(aPool({ ...older, waves }).with(moved, ...others), noon)

  expect(status.history[0]).toMatchObject({ startedAt: stamp(noon) })
  expect(assignments({ status, actions } as ReturnType<typeof decide>)).toEqual(['b → new'])
})

test('a pool that is halted at a commit ends the rollout in which its status was restored', () => {
  const history = [aRollout('lost', { startedAt: noon - hour })]
  const { status } = decide({ ...aPool({ history, rejected: ['new'] }).with(...others), known: new Map() }, noon)

  expect(status.history[0]).toMatchObject({ revision: 'lost', result: 'Superseded', endedAt: stamp(noon) })
})

test('a pool whose status is older than its canary counts that also where a clock was put back in between', () => {
  const canary = aNode('a').assignedTo('new', { at: noon - 4 * hour })
  const { status, actions } = decide(aPool({ ...older, waves }).with(canary, ...others), noon - 4 * hour + minute)

  expect(actions).toEqual([])
  expect(status.history[0]).toMatchObject({ revision: 'new', startedAt: stamp(noon - 4 * hour) })
})

test('a retry of a commit begins a rollout of its own where an earlier commit named the one that failed', () => {
  const history = [
    { ...aRollout('new', { result: 'Halted', startedAt: noon - hour }), revision: 'first of new' },
    aRollout('old', { result: 'Completed', startedAt: noon - 3 * hour }),
  ]
  const failed = aNode('a').rolledBackFrom('new', { at: noon - hour, revision: 'second of new' })
  const { status } = decide(aPool({ stable: 'old', history, waves, commit: 'second of new' }).with(failed, ...others), noon)

  expect(status.history[0]).toMatchObject({ revision: 'second of new', startedAt: stamp(noon), result: 'Running' })
})

test('a pool that is halted at a commit shows no wave of the rollout in which its status was restored', () => {
  const history = [aRollout('lost', { startedAt: noon - hour })]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ history, wave, waves, rejected: ['new'] }).with(...others)

  expect(decide({ ...pool, known: new Map() }, noon).status).not.toHaveProperty('wave')
})
