import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const waves = [aWave('canary', 2, { soak: minute / 2 }), aWave('rest', '100%')]
const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'], sizes: [{ name: 'canary', nodes: 2 }] }

/** Down before it was assigned, 50 minutes ago: its place was given to another node long since. */
const triedInVain = aNode('a')
  .on('older')
  .assignedTo('new', { at: noon - 50 * minute })
  .notReady(noon - 2 * hour)
const current = aNode('b').on('new', { at: noon - 30 * minute })

function opened(third: NodeDraft, options: PoolOptions = {}): PoolSnapshot {
  const others = nodes('d', 'e').map((node) => node.on('older'))
  return aPool({ stable: 'older', since: noon - hour, waves, wave, ...options }).with(triedInVain, current, third, ...others)
}

const breaks: readonly [string, Pick<PoolSnapshot, 'watchedSince' | 'steadySince'>, number][] = [
  ['the controller has just started', { watchedSince: noon - minute }, noon + minute],
  ['the API server was away', { steadySince: noon - minute }, noon + 14 * minute],
]

test.each(breaks)('a wave waits for the node that takes the place of one tried in vain also when %s', (_, broken, until) => {
  const pool = opened(aNode('c').on('older'))
  const decision = decide({ ...pool, ...broken }, noon)

  expect(selected(decide(pool, noon))).toEqual(['d'])
  expect(selected(decision)).toEqual([])
  expect(decision.status.wave).toMatchObject({ name: 'canary' })
  expect(decision.wakeAt).toBe(until)
  expect(selected(decide({ ...pool, ...broken }, until))).toEqual(['d'])
})

test('a pool names the node whose place no other takes yet, and until when', () => {
  const decision = decide({ ...opened(aNode('c').on('older')), watchedSince: noon - minute }, noon)

  expect(verdict(decision).Ready).toBe('False RollingOut')
  expect(condition(decision, 'Ready').message).toContain(
    '; no other node takes the place of "a" yet: waits until 2026-11-21T12:01:00.000Z; the controller has just started',
  )
})

test('a pool names no end of the wait for a place while no time is counted', () => {
  const decision = decide({ ...opened(aNode('c').on('older')), steadySince: noon }, noon)

  expect(condition(decision, 'Ready').message).toContain('; no other node takes the place of "a" yet; no time is counted now')
})

test('a node that is drained for the commit keeps the place of one tried in vain when the controller has just started', () => {
  const drained = aNode('c').on('older').drainedFor('new')
  const pool = { ...opened(drained, { drain: 'Always', pods: { c: [] } }), watchedSince: noon - minute }

  expect(decide(pool, noon).actions).toMatchObject([{ kind: 'assign', node: 'c', digest: 'new' }])
})

test('a node in flight does not take the place of one tried in vain when the controller has just started', () => {
  const history = [
    aRollout('new', { result: 'Running', startedAt: noon - hour }),
    aRollout('last', { result: 'Superseded', startedAt: noon - 2 * hour }),
    aRollout('older', { result: 'Completed', startedAt: noon - 3 * hour }),
  ]
  const inFlight = aNode('f')
    .assignedTo('last', { at: noon - minute })
    .reporting('Applying')
  const pool = aPool({ stable: 'older', history, waves, wave, maxUnavailable: 2 }).with(
    triedInVain,
    current,
    aNode('c').on('older'),
    inFlight,
  )

  expect(selected(decide(pool, noon))).toEqual(['f'])
  expect(selected(decide({ ...pool, watchedSince: noon - minute }, noon))).toEqual([])
})

test('a workloads gate records before its wave when the controller has just started, and a node was tried in vain before that', () => {
  const three = [aWave('canary', 1), aWave('early', 2), aWave('rest', '100%')]
  const sizes = [
    { name: 'canary', nodes: 1 },
    { name: 'early', nodes: 2 },
  ]
  const early = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'], sizes }
  const gates = [aGate('apps', { check: { kind: 'workloads' }, after: ['early'] })]
  const pool = opened(aNode('c').on('older'), { waves: three, wave: early, gates })

  for (const [, broken] of breaks)
    expect(decide({ ...pool, ...broken }, noon).status.gates).toMatchObject([{ state: 'Recording', name: 'apps' }])
})
