import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { selected } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

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

const breaks: readonly [string, Pick<PoolSnapshot, 'watchedSince' | 'steadySince'>][] = [
  ['the controller has just started', { watchedSince: noon - minute }],
  ['the API server was away', { steadySince: noon - minute }],
]

test.each(breaks)('a wave has the node that takes the place of one tried in vain also when %s', (_, broken) => {
  const pool = { ...opened(aNode('c').on('older')), ...broken }

  expect(selected(decide(pool, noon))).toEqual(['d'])
  expect(decide(pool, noon).status.wave).toMatchObject({ name: 'canary' })
})

test('a pool decides again when the place of a node that is down goes to another one, however long the API server was away', () => {
  const down = triedInVain.assignedTo('new', { at: noon - 10 * minute })
  const one = { waves: [aWave('canary', 1)], wave: { index: 1, count: 2, name: 'canary' } }
  const pool = aPool({ stable: 'older', since: noon - hour, ...one }).with(down, aNode('c').on('older'))
  const back = { ...pool, steadySince: noon - minute }

  expect(decide(back, noon)).toMatchObject({ actions: [], wakeAt: noon + 5 * minute })
  expect(selected(decide(back, noon + 5 * minute))).toEqual(['c'])
})

test.each(breaks)(
  'a node tried in vain that was Ready for a moment after its time is over does not fail the commit when %s',
  (_, broken) => {
    const blinked = triedInVain.notReady(noon - minute)
    const one = { waves: [aWave('canary', 1)], wave: { index: 1, count: 2, name: 'canary' } }
    const pool = aPool({ stable: 'older', since: noon - hour, ...one }).with(blinked, ...nodes('c', 'd'))
    const late = decide({ ...pool, ...broken }, noon + 15 * minute)

    expect(selected(decide({ ...pool, ...broken }, noon))).toHaveLength(1)
    expect(late.status.rejected).toEqual([])
  },
)

test.each(breaks)('a node that is drained for the commit keeps the place of one tried in vain when %s', (_, broken) => {
  const drained = aNode('c').on('older').drainedFor('new')
  const pool = { ...opened(drained, { drain: 'Always', pods: { c: [] } }), ...broken }

  expect(decide(pool, noon).actions).toMatchObject([{ kind: 'assign', node: 'c', digest: 'new' }])
})

test.each(breaks)('a workloads gate records before its wave when %s, and a node was tried in vain before that', (_, broken) => {
  const three = [aWave('canary', 1), aWave('early', 2), aWave('rest', '100%')]
  const sizes = [
    { name: 'canary', nodes: 1 },
    { name: 'early', nodes: 2 },
  ]
  const early = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'], sizes }
  const gates = [aGate('apps', { check: { kind: 'workloads' }, after: ['early'] })]
  const pool = { ...opened(aNode('c').on('older'), { waves: three, wave: early, gates }), ...broken }

  expect(decide(pool, noon).status.gates).toMatchObject([{ state: 'Recording', name: 'apps' }])
})
