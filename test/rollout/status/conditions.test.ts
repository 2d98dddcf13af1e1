import { expect, test } from 'vitest'
import { assess, decide } from '../../../src/rollout/decide.ts'
import { condition, phases, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const waves = [aWave('canary', 1), { ...aWave('approved', '100%'), manual: true }]
const wave = { index: 1, count: 2, name: 'canary' }

function reasonFor(...members: readonly NodeDraft[]): string | undefined {
  const pool = aPool({ stable: 'older', waves, wave, since: noon - minute, maxUnavailable: 1 }).with(...members)
  return condition(decide(pool, noon), 'Ready').reason
}

test('a pool waits for the promotion of its next wave only once the wave before it is done', () => {
  const [a, b] = [aNode('a'), aNode('b').on('older')]
  const cordoned = aNode('c').on('older').cordoned()

  expect(reasonFor(a.on('older'), b, cordoned)).toBe('WaitingForBudget')
  expect(reasonFor(a.on('older').assignedTo('new', { at: noon - 1000 }), b)).toBe('RollingOut')
  expect(reasonFor(a.on('new', { at: noon - 30_000 }), b)).toBe('WaitingForPromotion')
})

const since = noon - 20 * minute
const soaking = { stable: 'older', since, waves: [aWave('canary', 2, { soak: 10 * minute })], maxUnavailable: 2 } as const
const canaries = [aNode('a').on('new', { at: noon - 5 * minute }), aNode('b').on('new', { at: noon - 4 * minute })]
const soakOf = (...members: readonly NodeDraft[]) =>
  condition(decide(aPool({ ...soaking, wave }).with(...members, aNode('c').on('older')), noon), 'Reconciling').message

test('a pool waits for no gate while the wave before it soaks', () => {
  const pool = aPool({ ...soaking, wave, gates: [aGate('smoke')] }).with(...canaries, aNode('c').on('older'))

  expect(condition(decide(pool, noon), 'Reconciling').reason).toBe('Soaking')
})

test('a pool names the end of its last soak, and none while a stamp lies in the future', () => {
  const ahead = aNode('b').on('new', { at: noon + minute })

  expect(soakOf(...canaries)).toContain(`; soaks until ${stamp(noon + 6 * minute)}`)
  expect(soakOf(aNode('a').on('new', { at: noon - 5 * minute }), ahead)).not.toContain('soaks until')
})

test('a pool names no end of its soak while the API server is away, and afterwards since when that counts', () => {
  const pool = aPool({ ...soaking, wave }).with(...canaries, aNode('c').on('older'))
  const during = (now: number) => condition(decide({ ...pool, steadySince: now }, now), 'Reconciling')
  const after = condition(decide({ ...pool, steadySince: noon }, noon + minute), 'Reconciling').message

  expect(during(noon)).toMatchObject({ reason: 'Soaking', message: expect.stringContaining('; no time is counted now') })
  expect(during(noon + 1000).message).toBe(during(noon).message)
  expect(after).toContain(`; soaks until ${stamp(noon + 10 * minute)}; counts since ${stamp(noon)}: the API server was away`)
  expect(soakOf(...canaries)).not.toContain('counts since')
})

test('a pool names a node whose work would be late without the outage of the API server, and until when it has time', () => {
  const late = aNode('a')
    .on('older')
    .assignedTo('new', { at: noon - 16 * minute })
  const messageOf = (node: NodeDraft, steadySince: number, now: number = noon) =>
    condition(decide({ ...aPool({ ...soaking, wave }).with(node, aNode('c').on('older')), steadySince }, now), 'Reconciling')
      .message

  expect(messageOf(late.reporting('Applying'), noon - minute)).toContain(
    `; waits for "a" until ${stamp(noon + 14 * minute)}: the controller has just started, the clock of one was off, or the API server was away`,
  )
  expect(messageOf(late, noon - minute)).toContain(`; waits for "a" until ${stamp(noon + 14 * minute)}`)
  expect(messageOf(late.reporting('Applying'), noon)).toContain('; no time is counted now')
  expect(messageOf(late.reporting('Applying'), noon - minute, noon - 2 * minute)).not.toContain('waits for')
})

test.each([
  ['without an outage', {}],
  ['long after an outage', { steadySince: noon - hour, watchedSince: noon - hour }],
])('a pool does not wait for work on an older commit that is late when its node is drained for the target, %s', (_, clock) => {
  const late = aNode('a')
    .assignedTo('bad', { at: noon - 2 * hour })
    .reporting('Applying')
    .drainedFor('new')
  const pool = aPool({ ...soaking, wave, disruption: 'drain', pods: { a: [aPod('x')] } }).with(late, aNode('c').on('older'))

  expect(condition(decide({ ...pool, ...clock }, noon), 'Reconciling')).toMatchObject({
    reason: 'RollingOut',
    message: expect.not.stringContaining('waits for'),
  })
})

test('a pool does not name an outage of the API server that was before its nodes were Ready', () => {
  const pool = aPool({ ...soaking, wave }).with(
    aNode('a')
      .on('new', { at: noon - 5 * minute })
      .readyAgain(noon - minute),
  )

  expect(condition(decide({ ...pool, steadySince: noon - 2 * minute }, noon), 'Reconciling').message).not.toContain(
    'counts since',
  )
})

test('a pool names the node that began its soak again last, and none that was Ready within a second of its report', () => {
  const again = (name: string, at: number) =>
    aNode(name)
      .on('new', { at: noon - 5 * minute })
      .readyAgain(at)

  expect(soakOf(again('a', noon - 2 * minute), again('b', noon - minute))).toContain(
    `"b" soaks again since ${stamp(noon - minute)}`,
  )
  expect(soakOf(again('a', noon - minute), again('b', noon - 2 * minute))).toContain(
    `"a" soaks again since ${stamp(noon - minute)}`,
  )
  const b = aNode('b').on('new', { at: noon - 4 * minute })
  expect(soakOf(again('a', noon - 5 * minute + 1000), b)).not.toContain('soaks again')
  expect(soakOf(again('a', noon - 5 * minute + 1001), b)).toContain('"a" soaks again')
})

test('a pool names a node that is claimed twice, and how many more are', () => {
  const messageFor = (...contested: string[]) =>
    condition(decide({ ...aPool({ head: 'old', stable: 'old' }).with(aNode('a').on('old')), contested }, noon), 'Stalled').message

  expect(messageFor('"x" is claimed twice')).toBe('"x" is claimed twice')
  expect(messageFor('"x" is claimed twice', 'y')).toBe('"x" is claimed twice; and 1 more')
  expect(messageFor('"x" is claimed twice', 'y', 'z')).toBe('"x" is claimed twice; and 2 more')
})

test('a pool that cannot render a node says nothing of a retry, which would not help', () => {
  const later = { nodes: ['b'], since: stamp(noon - minute) }
  const history = [{ ...aRollout('new', { result: 'Completed' as const, startedAt: since }), laterFailures: later }]
  const pool = aPool({ head: 'new', stable: 'new', history, wants: { a: { problem: 'label "rack" is missing' } } })

  expect(condition(decide(pool.with(aNode('a').on('new')), noon), 'Stalled')).toMatchObject({
    reason: 'RenderFailed',
    message: '"a": label "rack" is missing',
  })
})

test.each<readonly [what: string, node: NodeDraft, phase: string]>([
  ['that is held', aNode('a').on('older').cordoned().held(), 'Held'],
  ['that is assigned by hand', aNode('a').on('older').cordoned().byHand(), 'Unmanaged'],
  ['whose turn would come', aNode('a').on('older').cordoned(), 'Skipped'],
])('a cordoned node %s counts as %s', (_, node, phase) => {
  expect(phases(decide(aPool({ stable: 'older' }).with(node), noon))).toEqual({ [phase]: 1 })
})

test('a cordoned node whose content cannot be rendered waits', () => {
  const pool = aPool({ stable: 'older', wants: { a: { problem: 'no label' } } }).with(aNode('a').on('older').cordoned())

  expect(phases(decide(pool, noon))).toEqual({ Waiting: 1 })
})

test('a drain under way knows when its node is past draining, where that is not Ready', () => {
  const drainIn = (node: NodeDraft) =>
    assess(aPool({ stable: 'older', since, disruption: 'drain', applyTimeout: 5 * minute }).with(node), noon).state.members[0]
      ?.drain
  const draining = aNode('a').on('older').drainedFor('new')

  expect(drainIn(draining)).toEqual({ kind: 'Underway', since: noon - minute, deadline: noon + 14 * minute })
  expect(drainIn(draining.notReady(noon - minute))).toEqual({
    ...{ kind: 'Underway', since: noon - minute, deadline: noon + 14 * minute },
    pastAt: noon + 4 * minute,
  })
})

test('a paused pool is told apart where an eligible node uses up its budget', () => {
  const isPaused = (controls: { paused?: string }, ...members: readonly NodeDraft[]) =>
    assess(aPool({ stable: 'older', since, controls }).with(...members), noon).isPaused
  const down = aNode('a').on('older').notReady()
  const byHand = aNode('b').byHand().notReady()

  expect(isPaused({ paused: '' }, down)).toBe(true)
  expect(isPaused({ paused: '' }, down, byHand)).toBe(true)
  expect(isPaused({ paused: '' }, byHand)).toBe(false)
  expect(isPaused({ paused: '' }, aNode('a').on('older'))).toBe(false)
  expect(isPaused({}, down)).toBe(false)
})

test('a pool on its way back says also which drain is blocked', () => {
  const stuck = aNode('b')
    .on('bad', { at: noon - hour })
    .drainedFor('older', { at: noon - 20 * minute })
  const options = { head: 'bad', stable: 'older', drain: 'Always', maxUnavailable: 1 } as const
  const pods = { b: [aPod('x', { emptyDir: true })] }
  const failed = decide(aPool({ ...options, pods, rejected: ['bad'] }).with(stuck, aNode('c').on('bad')), noon)

  expect(verdict(failed)).toEqual({ Ready: 'False RolledBack', Reconciling: 'False RolledBack', Stalled: 'True RolledBack' })
  expect(condition(failed, 'Stalled').message).toContain(
    `; also: "b", drained since ${stamp(noon - 20 * minute)}: pod "shop/x" has an emptyDir volume`,
  )
})

test('a pool on its way back names the commit that failed nodes are to try again: without a name that would be the rejected one', () => {
  const history = [aRollout('older', { startedAt: noon - 5 * minute }), aRollout('bad', { result: 'RolledBack' })]
  const pool = aPool({ head: 'bad', stable: 'older', history, rejected: ['bad'], maxUnavailable: 2 })
  const failed = aNode('b').rolledBackFrom('older', { to: 'bad' })
  const { reason, message } = condition(decide(pool.with(failed, aNode('c').on('older')), noon), 'Stalled')

  expect(reason).toBe('RolledBack')
  expect(message).toContain('; push a fix or a revert, or: nodewave retry workers (or kubectl')
  expect(message).toMatch(
    /; also: "b": .*; repair what is to blame, then: nodewave retry workers --revision older \(or kubectl .*nodewave.io\/retry=older\)$/,
  )
})

test('a pool that is back names the commit that failed nodes are to try again when these keep other nodes waiting', () => {
  const history = [aRollout('older', { result: 'Completed' }), aRollout('bad', { result: 'RolledBack' })]
  const pool = aPool({ head: 'bad', stable: 'older', history, rejected: ['bad'] })
  const failed = aNode('b').rolledBackFrom('older', { to: 'bad' })
  const { message } = condition(decide(pool.with(failed, aNode('c').on('other')), noon), 'Stalled')

  expect(message).toMatch(/; also: "b": .*: no other node gets new content; .*, or: nodewave retry workers --revision older$/)
})
