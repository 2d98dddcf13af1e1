import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const waves = [aWave('canary', 1, { soak: 5 * minute })]
const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))
const completed = { stable: 'new', history: [aRollout('new', { result: 'Completed' })], maxUnavailable: 1 } as const

test('a canary that an operator holds keeps its place: no further node is exposed for it', () => {
  const held = aNode('a')
    .on('new', { at: noon - minute })
    .held()
  const pool = aPool({ stable: 'older', since: noon - 2 * minute, waves, wave }).with(held, ...old('b', 'c'))
  const decision = decide(pool, noon)

  expect(selected(decision)).toEqual([])
  expect(verdict(decision).Stalled).toBe('True NoEligibleNode')
  expect(condition(decision, 'Ready').message).toContain('"a": held; include it with: nodewave release a')
})

test('a pool names the held member of an earlier wave when the last wave has no nodes', () => {
  const opened = { index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'], sizes: [{ name: 'canary', nodes: 1 }] }
  const held = aNode('a')
    .on('new', { at: noon - minute })
    .held()
  const pool = aPool({ since: noon - 2 * minute, waves: [...waves, aWave('rest', '100%')], wave: opened }).with(held)

  expect(verdict(decide(pool, noon)).Stalled).toBe('True NoEligibleNode')
})

test('a node that was held before it was exposed takes no place', () => {
  const pool = aPool({ stable: 'older', waves }).with(...old('a').map((node) => node.held()), ...old('b'))

  expect(selected(decide(pool, noon))).toEqual(['b'])
})

test('a wave goes on without a member that is held when another one answered', () => {
  const two = [aWave('canary', 2), aWave('rest', '100%')]
  const pool = aPool({ stable: 'older', since: noon - 9 * minute, waves: two, wave }).with(
    aNode('a')
      .on('new', { at: noon - 8 * minute })
      .held(),
    aNode('b').on('new', { at: noon - 8 * minute }),
    ...old('c'),
  )

  expect(decide(pool, noon).status.wave?.name).toBe('rest')
})

test('no gate looks at a member that is held', () => {
  const two = [aWave('canary', 2), aWave('rest', '100%')]
  const pool = aPool({ stable: 'older', since: noon - 9 * minute, waves: two, wave, gates: [aGate('slo')] }).with(
    aNode('a')
      .on('new', { at: noon - 8 * minute })
      .held(),
    aNode('b').on('new', { at: noon - 8 * minute }),
    ...old('c'),
  )

  expect(decide(pool, noon).actions).toMatchObject([{ kind: 'askGate', nodes: ['b'] }])
})

test('nodes that are released after the rollout completed change as the budget allows', () => {
  const pool = aPool(completed).with(aNode('a').on('new'), ...old('b', 'c', 'd'))

  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('nodes that are released after the rollout completed wait for a window', () => {
  const nights = { action: 'allow', schedule: '0 22 * * *', duration: 6 * hour, timeZone: 'UTC' } as const
  const pool = aPool({ ...completed, windows: [nights] }).with(aNode('a').on('new'), ...old('b', 'c', 'd'))

  expect(selected(decide(pool, noon))).toEqual([])
})
