import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, phases, remembering } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { old, since } from './some-failures.ts'

test('a commit that put its canary under pressure passes no wave by the end of the soak while another canary has its chance', () => {
  const waves = [aWave('canary', 2, { soak: 5 * minute }), aWave('rest', '100%')]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ head: 'bad', stable: 'older', since, waves, wave, maxFailures: 1, maxUnavailable: 2 })
  const pressed = aNode('a')
    .on('bad', { at: noon - minute })
    .under('MemoryPressure', noon)
  const down = aNode('b')
    .notReady(noon - 3 * minute)
    .assignedTo('bad', { at: noon - minute })
  const all = pool.with(pressed, down, ...old('c', 'd'))

  expect(phases(decide(all, noon))).toEqual({ Failed: 1, Unreachable: 1, Waiting: 2 })
  expect(phases(decide(all, noon + 5 * minute))).toEqual({ Failed: 1, Unreachable: 1, Waiting: 2 })
  expect(assignments(decide(all, noon + 5 * minute))).toEqual([])
})

test('a node that came under pressure in its soak counts as failed in later waves, too: with the next failure the commit is rejected', () => {
  const waves = [aWave('canary', 2, { soak: 5 * minute }), aWave('rest', '100%')]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ head: 'bad', stable: 'older', since, waves, wave, maxFailures: 1, maxUnavailable: 4 })
  const pressed = aNode('a')
    .on('bad', { at: noon - 6 * minute, since: noon - 6 * minute })
    .under('MemoryPressure', noon - 3 * minute)
  const sound = aNode('b').on('bad', { at: noon - 6 * minute, since: noon - 6 * minute })
  const passed = decide(pool.with(pressed, sound, ...old('c', 'd')), noon)

  expect(passed.status.wave?.name).toBe('rest')
  expect(phases(passed)).toEqual({ Failed: 1, Current: 1, Waiting: 2 })

  const next = remembering(pool.with(pressed, sound, aNode('c').rolledBackFrom('bad'), ...old('d')), passed)

  expect(decide(next, noon + minute).status.rejected.map(({ revision }) => revision)).toEqual(['bad'])
})

test('a node that failed under pressure in its soak stays failed when it is not Ready for a moment while that pressure lasts', () => {
  const waves = [aWave('canary', 2, { soak: 5 * minute }), aWave('rest', '100%')]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ head: 'bad', stable: 'older', since, waves, wave, maxFailures: 1, maxUnavailable: 4 })
  const pressed = aNode('a')
    .on('bad', { at: noon - 6 * minute, since: noon - 6 * minute })
    .under('MemoryPressure', noon - 3 * minute)
  const others = [aNode('b').on('bad', { at: noon - 6 * minute, since: noon - 6 * minute }), ...old('c', 'd')]
  const passed = decide(pool.with(pressed, ...others), noon)
  const blinks = remembering(pool.with(pressed.notReady(noon + minute), ...others), passed)
  const blinking = decide(blinks, noon + minute + 10_000)
  const back = remembering(pool.with(pressed.readyAgain(noon + minute + 20_000), ...others), blinking)

  expect(phases(blinking)).toEqual({ Failed: 1, Current: 1, Waiting: 2 })
  expect(phases(decide(back, noon + minute + 30_000))).toEqual({ Failed: 1, Current: 1, Waiting: 2 })
})

test('a node that failed under pressure at an earlier commit, which this one does not change, keeps no wave from being done', () => {
  const waves = [aWave('canary', { tier: 'canary' }, { soak: 5 * minute }), aWave('rest', '100%')]
  const wants = { same: { digest: 'older' } }
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - minute, waves, wants, maxFailures: 1 })
  const pressed = aNode('same')
    .on('older', { at: noon - 20 * minute })
    .under('MemoryPressure', noon - 18 * minute)
    .labelled({ tier: 'canary' })
  const failed = [{ node: 'same', reason: 'MemoryPressure', message: 'node has MemoryPressure' }]
  const all = pool.with(pressed, ...old('b'))

  expect(assignments(decide(all, noon))).toEqual(['b → fix'])
  expect(assignments(decide({ ...all, memory: { ...all.memory, failed } }, noon))).toEqual(['b → fix'])
})

test('a node that came under pressure in its soak counts as failed in later waves, too, beside 50 nodes that cannot be rendered', () => {
  const waves = [aWave('canary', 2, { soak: 5 * minute }), aWave('rest', '100%')]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const unrendered = Array.from({ length: 50 }, (_, index) => `a${index}`)
  const wants = Object.fromEntries(unrendered.map((name) => [name, { problem: 'label "rack" is missing' }]))
  const pool = aPool({ head: 'bad', stable: 'older', since, waves, wave, maxFailures: 1, wants })
  const [pressed, sound] = ['y', 'z'].map((name) => aNode(name).on('bad', { at: noon - 6 * minute }))
  const nodes = [pressed?.under('MemoryPressure', noon - 3 * minute), sound].flatMap((node) => node ?? [])
  const passed = decide(pool.with(...nodes, ...old(...unrendered, 'x')), noon)
  const later = decide(remembering(pool.with(...nodes, ...old(...unrendered, 'x')), passed), noon + minute)

  expect(passed.status.wave?.name).toBe('rest')
  expect(later.status.failed).toContainEqual({
    node: 'y',
    reason: 'MemoryPressure',
    message: 'node has MemoryPressure since 2026-11-21T11:57:00.000Z, in its soak',
  })
})
