import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { WavePolicy } from '../../../src/rollout/model/policy.ts'
import { condition, phases, remembering, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const since = noon - 10 * minute
const waves = [aWave('canary', 1, { soak: 5 * minute }), aWave('rest', '100%')]
const canaryAt = (at: number) => aNode('a').on('new', { at })
const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))

test('the next wave opens when the canary has soaked', () => {
  const pool = aPool({ stable: 'older', since, waves }).with(canaryAt(noon - 5 * minute), ...old('b', 'c'))

  const decision = decide(pool, noon)

  expect(decision.status.wave).toEqual({ index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'] })
  expect(selected(decision).toSorted()).toEqual(['b', 'c'])
})

test('the next wave stays closed while the canary soaks, and a pass is due at the end of it', () => {
  const pool = aPool({ stable: 'older', since, waves }).with(canaryAt(noon - 4 * minute), ...old('b', 'c'))

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(decision.wakeAt).toBe(noon + minute)
  expect(phases(decision)).toEqual({ Soaking: 1, Waiting: 2 })
  expect(verdict(decision).Reconciling).toBe('True Soaking')
})

test('the message of a wave that soaks says until when its last node does, and is the same all the while', () => {
  const canaries = [aWave('canary', 2, { soak: 5 * minute }), aWave('rest', '100%')]
  const later = aNode('b').on('new', { at: noon - 3 * minute })
  const pool = aPool({ stable: 'older', since, waves: canaries, maxUnavailable: 2 }).with(
    canaryAt(noon - 4 * minute),
    later,
    ...old('c'),
  )
  const message = '0 of 3 nodes are at new; wave 1 of 2, "canary"; soaks until 2026-11-21T12:02:00.000Z'

  expect(condition(decide(pool, noon), 'Reconciling')).toMatchObject({ reason: 'Soaking', message })
  expect(condition(decide(pool, noon + 59_000), 'Reconciling')).toMatchObject({ reason: 'Soaking', message })
})

test('the message of a wave that soaks names no end that moves on with the time, after the clock was put back', () => {
  const ahead = aNode('a')
    .on('new', { at: noon + 8 * minute })
    .readyAgain(noon + 90 * minute)
  const pool = aPool({ stable: 'older', since: noon, waves, applyTimeout: 10 * minute }).with(ahead, ...old('b', 'c'))
  const message = '0 of 3 nodes are at new; wave 1 of 2, "canary"'

  expect(condition(decide(pool, noon), 'Reconciling')).toMatchObject({ reason: 'Soaking', message })
  expect(condition(decide(pool, noon + 5000), 'Reconciling')).toMatchObject({ reason: 'Soaking', message })
})

test('a wave that was opened stays open when the canary goes down later', () => {
  const pool = aPool({ stable: 'older', since, waves, wave: { index: 2, count: 2, name: 'rest' }, maxUnavailable: 2 }).with(
    canaryAt(noon - 8 * minute).notReady(),
    ...old('b', 'c'),
  )

  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('a node of a passed wave soaks no more', () => {
  const pool = aPool({ stable: 'older', since, waves, wave: { index: 2, count: 2, name: 'rest' }, maxUnavailable: 1 }).with(
    canaryAt(noon - 8 * minute).readyAgain(noon - minute),
    ...old('b'),
  )

  expect(phases(decide(pool, noon))).toEqual({ Current: 1, Waiting: 1 })
})

test('a new target begins at the first wave, however far the last one came', () => {
  const pool = aPool({ head: 'newest', stable: 'older', waves, wave: { index: 2, count: 2, name: 'rest' } }).with(
    ...old('a', 'b', 'c'),
  )

  expect(decide(pool, noon).status.wave).toEqual({ index: 1, count: 2, name: 'canary', opened: ['canary'] })
})

test('a wave is not done while none of its nodes can be reached', () => {
  const pool = aPool({ stable: 'older', since }).with(
    aNode('a')
      .notReady(noon - 30 * minute)
      .assignedTo('new', { at: noon - 9 * minute }),
  )

  const decision = decide(pool, noon)

  expect(decision.status.stable?.revision).toBe('older')
  expect(phases(decision)).toEqual({ Unreachable: 1 })
})

test('a wave is done without a node that was down before the rollout reached it', () => {
  const pool = aPool({ stable: 'older', since }).with(
    canaryAt(noon - 5 * minute),
    aNode('b')
      .notReady(noon - 30 * minute)
      .assignedTo('new', { at: noon - 9 * minute }),
  )

  const decision = decide(pool, noon)

  expect(decision.status.stable?.revision).toBe('new')
  expect(decision.status.conditions[0]).toMatchObject({
    status: 'True',
    reason: 'Completed',
    message: '1 of 2 nodes are at new; 1 Unreachable',
  })
})

test('a manual wave opens only when the target is promoted', () => {
  const manual = [aWave('canary', 1), aWave('rest', '100%', { manual: true })]
  const pool = aPool({ stable: 'older', since, waves: manual }).with(canaryAt(noon - 5 * minute), ...old('b'))

  expect(decide(pool, noon).actions).toEqual([])
  expect(verdict(decide(pool, noon))).toEqual({
    Ready: 'False WaitingForPromotion',
    Reconciling: 'True WaitingForPromotion',
    Stalled: 'False WaitingForPromotion',
  })
  expect(condition(decide(pool, noon), 'Ready').message).toBe(
    '1 of 2 nodes are at new; wave 1 of 2, "canary"; ' +
      '"rest" opens after: nodewave promote workers (or kubectl annotate --overwrite nwp/workers nodewave.io/promote=new)',
  )
  expect(selected(decide({ ...pool, controls: { promoted: 'other' } }, noon))).toEqual([])
  expect(selected(decide({ ...pool, controls: { promoted: 'new' } }, noon))).toEqual(['b'])
})

test('the first wave takes one node when its selector names none', () => {
  const misspelt = [aWave('canary', { rack: '9' }, { soak: 5 * minute }), aWave('rest', '100%')]
  const pool = aPool({ stable: 'older', waves: misspelt }).with(...old('b', 'c', 'd'))
  const first = decide(pool, noon)
  const [canary = ''] = selected(first)
  const done = old('b', 'c', 'd').map((node) => (node.name === canary ? aNode(canary).on('new', { at: noon }) : node))
  const soaking = decide({ ...remembering(pool, first), nodes: done }, noon + minute)

  expect(selected(first)).toHaveLength(1)
  expect(condition(first, 'Ready').message).toBe(
    '0 of 3 nodes are at new; wave 1 of 2, "canary", whose selector names no node: it takes one',
  )
  expect(soaking.actions).toEqual([])
  expect(verdict(soaking).Ready).toBe('False Soaking')
  expect(selected(decide({ ...remembering(pool, soaking), nodes: done }, noon + 5 * minute))).toHaveLength(2)
})

test('the first wave takes one node of those that were there when its selector names only one that joins', () => {
  const misspelt = [aWave('canary', { rack: '9' }), aWave('rest', '100%')]
  const joining = aNode('young').createdAtInstant(noon).labelled({ rack: '9' })
  const pool = aPool({ stable: 'older', waves: misspelt }).with(...old('b', 'c', 'd'), joining)

  expect(selected(decide(pool, noon)).filter((name) => name !== 'young')).toHaveLength(1)
})

test('the first wave goes on with a node that is labelled for it after it took another one', () => {
  const misspelt = [aWave('canary', { rack: '9' }, { soak: 5 * minute }), aWave('rest', '100%')]
  const pool = aPool({ stable: 'older', waves: misspelt }).with(...old('b', 'c', 'd'))
  const first = decide(pool, noon)
  const [canary = '', other = ''] = [...selected(first), ...['b', 'c', 'd'].filter((name) => !selected(first).includes(name))]
  const labelled = old('b', 'c', 'd').map((node) => (node.name === other ? node.labelled({ rack: '9' }) : node))
  const nodesNow = labelled.map((node) => (node.name === canary ? aNode(canary).on('new', { at: noon }) : node))

  expect(selected(decide({ ...remembering(pool, first), nodes: nodesNow }, noon + minute))).toEqual([other])
})

test('a later wave whose selector matches no node is passed', () => {
  const later = [aWave('canary', 1), aWave('early', { rack: '9' }), aWave('rest', '100%')]
  const pool = aPool({ stable: 'older', since, waves: later }).with(canaryAt(noon - 5 * minute), ...old('b'))

  expect(selected(decide(pool, noon))).toEqual(['b'])
})

test('the message of a wave whose node blinks says that its soak began again', () => {
  const pool = aPool({ stable: 'older', since, waves }).with(
    canaryAt(noon - 4 * minute).readyAgain(noon - minute),
    ...old('b', 'c'),
  )

  expect(condition(decide(pool, noon), 'Reconciling').message).toBe(
    '0 of 3 nodes are at new; wave 1 of 2, "canary"; soaks until 2026-11-21T12:04:00.000Z; "a" soaks again since 2026-11-21T11:59:00.000Z: it was not Ready before',
  )
})

test('a wave that a commit inserts before the open one opens in its turn', () => {
  const changed = [aWave('canary', 1), aWave('inserted', 1), aWave('rest', '100%')]
  const pool = aPool({ stable: 'older', since, waves: changed, wave: { index: 2, count: 2, name: 'rest' } }).with(
    canaryAt(noon - 5 * minute),
    ...old('b', 'c'),
  )

  const decision = decide(pool, noon)

  expect(decision.status.wave).toEqual({ index: 2, count: 3, name: 'inserted', opened: ['canary', 'inserted'] })
  expect(selected(decision)).toHaveLength(1)
})

test('a node that comes late does not take the place of the canary', () => {
  const late = Array.from({ length: 20 }, (_, i) => aNode(`late-${i}`).on('older'))
  const pool = aPool({ stable: 'older', since, waves }).with(canaryAt(noon - 4 * minute), ...late)

  expect(decide(pool, noon).actions).toEqual([])
  expect(phases(decide(pool, noon + minute))).toEqual({ Current: 1, Waiting: 20 })
  expect(selected(decide(pool, noon + minute))).toHaveLength(20)
})

test('a pass is due when work is overdue', () => {
  const pool = aPool({ stable: 'older', since }).with(aNode('a').assignedTo('new', { at: noon - 5 * minute }))

  expect(decide(pool, noon).wakeAt).toBe(noon + 10 * minute)
})

test('no pass is due when only events can bring anything new', () => {
  expect(decide(aPool({ head: 'same', stable: 'same' }).with(aNode('a').on('same')), noon).wakeAt).toBeUndefined()
})

test('a run that was stamped in the future is stamped again', () => {
  const pool = aPool({ stable: 'older', since: noon + 60 * minute, waves }).with(...old('a'))

  expect(decide(pool, noon).status.history[0]?.startedAt).toBe('2026-11-21T12:00:00.000Z')
  expect(decide(remembering(pool, decide(pool, noon)), noon).events).toEqual([])
})

test('manual waves that a commit inserts before the open one wait for a promotion, and nobody gets the target before', () => {
  const edited = [aWave('first', 1, { manual: true }), aWave('half', '50%'), aWave('canary', 1, { soak: 10 * minute })]
  const canary = aNode('a')
    .on('older')
    .assignedTo('new', { at: noon - minute })
  for (const wave of [
    { index: 1, count: 2, name: 'canary', opened: ['canary'] },
    { index: 1, count: 2, name: 'canary' },
  ]) {
    const pool = aPool({ stable: 'older', since: noon - minute, waves: edited, wave }).with(canary, ...old('d', 'e', 'f', 'g'))
    expect(decide(pool, noon).actions).toEqual([])
    expect(phases(decide(pool, noon))).toEqual({ Assigned: 1, Waiting: 4 })
  }
})

test('a wave stays open when the one before it is taken out or when they change places', () => {
  const pool = (...edited: WavePolicy[]) =>
    aPool({
      stable: 'older',
      since,
      waves: edited,
      wave: { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] },
    }).with(aNode('a').on('new', { at: noon - minute }), aNode('b').on('new', { at: noon }), ...old('c', 'd'))
  const [canary, early] = [aWave('canary', 1), aWave('early', 2, { soak: hour })]

  expect(decide(pool(early, aWave('rest', '100%')), noon).status.wave?.name).toBe('early')
  expect(decide(pool(early, canary, aWave('rest', '100%')), noon).status.wave).toMatchObject({ opened: ['early', 'canary'] })
})

test('a wave that is renamed opens again in its turn, with the nodes that were exposed', () => {
  const pool = aPool({
    stable: 'older',
    since,
    waves: [aWave('careful', 1, { soak: 5 * minute }), aWave('rest', '100%')],
    wave: { index: 1, count: 2, name: 'canary', opened: ['canary'] },
  }).with(canaryAt(noon - minute), ...old('b', 'c'))

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(decision.status.wave).toEqual({ index: 1, count: 2, name: 'careful', opened: ['careful'] })
})

test('a wave keeps the size that it had when it opened first, also when it opens again', () => {
  const waves = [aWave('inserted', 1), aWave('half', '50%'), aWave('rest', '100%')]
  const sizes = [{ name: 'half', nodes: 2 }]
  const pool = aPool({ stable: 'older', since, waves, wave: { index: 1, count: 2, name: 'half', opened: ['half'], sizes } }).with(
    aNode('a').on('new', { at: noon - 5 * minute }),
    aNode('b').on('new', { at: noon - 5 * minute }),
    ...old('c', 'd', 'e', 'f', 'g', 'h'),
  )

  expect(decide(pool, noon).status.wave).toMatchObject({ name: 'half', sizes })
})
