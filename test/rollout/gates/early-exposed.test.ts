import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { asked, since } from './some-gates.ts'

const afterEarly = aGate('apps', { check: { kind: 'workloads' }, after: ['early'] })

/** Nothing is asked after the canary, which is done. */
const early: PoolOptions = {
  stable: 'older',
  since,
  waves: [aWave('canary', '50%'), aWave('early', '75%'), aWave('rest', '100%')],
  gates: [afterEarly],
  wave: { index: 1, count: 3, name: 'canary', opened: ['canary'], sizes: [{ name: 'canary', nodes: 2 }] },
}

const canary = nodes('a', 'b').map((node) => node.on('new', { at: noon - 5 * minute }))
const others = nodes('d', 'e').map((node) => node.on('older'))
const wasDown = aNode('c')
  .notReady(noon - hour)
  .assignedTo('new', { at: noon - 9 * minute })

test('a workloads gate records before its wave when a node that was down has been tried before that', () => {
  const decision = decide(aPool({ ...early, applyTimeout: 3 * minute }).with(...canary, wasDown, ...others), noon)

  expect(decision.status.wave).toMatchObject({ name: 'early' })
  expect(asked(decision)).toMatchObject([{ question: 'before', wave: 'early' }])
})

test('a workloads gate records before its wave when the pool has shrunk since its canary had its size', () => {
  const decision = decide(aPool(early).with(...canary, aNode('d').on('older')), noon)

  expect(decision.status.wave).toMatchObject({ name: 'early' })
  expect(asked(decision)).toMatchObject([{ question: 'before', wave: 'early' }])
})

test('a workloads gate does not record what its wave has broken when more nodes have the target than the waves before have places', () => {
  const begun = aNode('c').on('new', { at: noon - minute })
  const pool = aPool({ ...early, wave: { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] } })

  expect(decide(pool.with(...canary, begun, ...others), noon).status.gates).toMatchObject([{ state: 'Recorded', before: [] }])
})

test('a workloads gate does not record what its wave has broken when it began with a node that the target heals', () => {
  const healed = aNode('c')
    .on('new', { at: noon - minute })
    .assignedWhile('Down')
  const pool = aPool({ ...early, wave: { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] } })

  expect(decide(pool.with(...canary, healed, ...others), noon).status.gates).toMatchObject([{ state: 'Recorded', before: [] }])
})

test('a workloads gate does not record what its wave has broken when the wave before has a selector, and its size is lost', () => {
  const waves = [aWave('canary', { rack: '1' }), aWave('early', 2), aWave('rest', '100%')]
  const inCanary = aNode('a')
    .labelled({ rack: '1' })
    .on('new', { at: noon - 5 * minute })
  const begun = aNode('c').on('new', { at: noon - minute })
  const pool = aPool({ ...early, waves, wave: { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] } })

  expect(decide(pool.with(inCanary, begun, ...others), noon).status.gates).toMatchObject([{ state: 'Recorded', before: [] }])
})
