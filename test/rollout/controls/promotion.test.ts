import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition, phases, remembering, selected } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, aYoungNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRevision } from '../builders/revisions.ts'

const waves = [aWave('canary', 1), aWave('rest', '100%', { manual: true })]
const base: PoolOptions = {
  stable: 'old',
  since: noon - hour,
  waves,
  wave: { index: 1, count: 2, name: 'canary' },
  onFailure: 'Halt',
}
const done = aNode('a').on('new', { at: noon - 30 * minute })
const waiting = nodes('b', 'c').map((node) => node.on('old'))

function promotedAs(promoted: string, options: PoolOptions = {}): PoolSnapshot {
  return aPool({ ...base, ...options, controls: { promoted } }).with(done, ...waiting)
}

/** The nodes do at once what they were assigned. */
function next(pool: PoolSnapshot, decision: Decision, now: number): PoolSnapshot {
  const taken = new Set(selected(decision))
  const members = pool.nodes.map((node) => (taken.has(node.name) ? (node as NodeDraft).on('new', { at: now, since: now }) : node))
  return { ...remembering(pool, decision), nodes: members }
}

test('a promotion opens the manual wave of the commit that it names', () => {
  expect(selected(decide(promotedAs('new'), noon))).toHaveLength(2)
})

const soaked = { ...base, waves: [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%', { manual: true })] }

test('a wave that waits for a promotion waits for that alone under a controller that has just begun to watch', () => {
  const pool = aPool(soaked).with(done, ...waiting)
  const before = decide(pool, noon)
  const begun = { ...remembering(pool, before), watchedSince: noon }

  expect(condition(before, 'Reconciling').reason).toBe('WaitingForPromotion')
  expect(condition(decide(begun, noon), 'Reconciling').reason).toBe('WaitingForPromotion')
})

test.each([
  ['the controller has just begun to watch', { watchedSince: noon }],
  ['the API server was away', { steadySince: noon }],
])('a promotion opens the next wave only when agents had the time to report, where %s', (_, since) => {
  const pool = aPool(soaked).with(done, ...waiting)
  const promoted = { ...remembering(pool, decide(pool, noon)), ...since, controls: { promoted: 'new' } }
  const early = decide(promoted, noon + minute)
  const rejected = decide(
    { ...promoted, nodes: aPool(soaked).with(done.reporting('RolledBack'), ...waiting).nodes },
    noon + minute,
  )

  expect(selected(early)).toEqual([])
  expect(condition(early, 'Reconciling')).toMatchObject({
    reason: 'Soaking',
    message: expect.stringContaining(`waits until ${stamp(noon + 2 * minute)} for reports of agents`),
  })
  expect(early.wakeAt).toBe(noon + 2 * minute)
  expect(selected(decide(remembering(promoted, early), noon + 2 * minute))).toHaveLength(2)
  expect(rejected.status.rejected).toMatchObject([{ revision: 'new' }])
})

test('a wave that waits for a promotion does not soak again when the API server was away, and a pressure since then fails no node', () => {
  const pool = aPool(soaked)
  const before = decide(pool.with(done, ...waiting), noon)
  const after = (node: NodeDraft) => ({ ...remembering(pool.with(node, ...waiting), before), steadySince: noon + minute })
  const later = decide(after(done), noon + 2 * minute)
  const pressed = decide(after(done.under('DiskPressure', noon + 2 * minute)), noon + 3 * minute)
  const blinked = decide(after(done.readyAgain(noon)), noon + 2 * minute)

  expect(condition(later, 'Reconciling').reason).toBe('WaitingForPromotion')
  expect(phases(pressed)).toEqual({ Current: 1, Waiting: 2 })
  expect(pressed.status.rejected).toEqual([])
  expect(condition(blinked, 'Reconciling').reason).toBe('Soaking')
})

test('a node of a wave that waits for a promotion does not soak again when the clock jumps and another one of it is not Ready for a moment', () => {
  const pool = aPool({ ...soaked, waves: [aWave('canary', 2, { soak: 10 * minute }), aWave('rest', '100%', { manual: true })] })
  const z = aNode('z').on('new', { at: noon - 30 * minute })
  const before = decide(pool.with(done, z, ...waiting), noon)
  const away = { ...remembering(pool.with(done, z.notReady(noon + 3 * minute), ...waiting), before), steadySince: noon + minute }
  const first = decide(away, noon + 3 * minute)
  const pressed = done.under('DiskPressure', noon + 3 * minute)
  const under = {
    ...remembering(pool.with(pressed, z.notReady(noon + 3 * minute), ...waiting), first),
    steadySince: noon + minute,
  }

  expect(before.status.wave?.soakedAt).toBe(stamp(noon - 20 * minute))
  expect(phases(first)).toEqual({ Current: 1, Unreachable: 1, Waiting: 2 })
  expect(phases(decide(remembering(away, first), noon + 3 * minute))).toEqual(phases(first))
  expect(decide(under, noon + 3 * minute + 30_000).status.rejected).toEqual([])
})

test('a node that takes the place of another in a wave that waits for a promotion has soaked when its own soak has ended', () => {
  const pool = aPool(soaked)
  const before = decide(pool.with(done, ...waiting), noon)
  const other = aNode('z').on('new', { at: noon + minute })
  const soaking = decide(remembering(pool.with(other, ...waiting), before), noon + 10 * minute)
  const ended = decide(remembering(pool.with(other, ...waiting), soaking), noon + 11 * minute)
  const jumped = { ...remembering(pool.with(other, ...waiting), ended), steadySince: noon + 12 * minute }

  expect(condition(soaking, 'Reconciling').reason).toBe('Soaking')
  expect(ended.status.wave?.soakedAt).toBe(stamp(noon + 11 * minute))
  expect(condition(decide(jumped, noon + 12 * minute), 'Reconciling').reason).toBe('WaitingForPromotion')
})

test('a wave whose soak ended while nobody watched is promoted when a controller has watched for as long as news takes', () => {
  const begun = { ...aPool({ ...soaked, controls: { promoted: 'new' } }).with(done, ...waiting), watchedSince: noon }

  expect(condition(decide(begun, noon), 'Reconciling').reason).toBe('Soaking')
  expect(selected(decide(begun, noon))).toEqual([])
  expect(selected(decide(begun, noon + 2 * minute))).toHaveLength(2)
})

test('a promotion holds when a commit of equal content arrives before the next pass', () => {
  const pool = promotedAs('new', { maxUnavailable: 1 })
  const first = decide(pool, noon)
  const later = { ...next(pool, first, noon), head: { ...pool.head, revision: 'a-typo-in-the-README' } }

  expect(first.status.promotion).toEqual({ value: 'new', fingerprint: 'of new', rollout: first.status.history[0]?.startedAt })
  expect(selected(decide(later, noon + minute))).toHaveLength(1)
})

test('a promotion that names the commit of the target holds after a commit of equal content became the newest', () => {
  const pool = promotedAs('new')
  const equal = { ...pool, head: { ...pool.head, revision: 'a-typo-in-the-README' } }

  expect(selected(decide(equal, noon))).toHaveLength(2)
})

test('a promotion that was written before its commit arrived counts once it is there', () => {
  const early = aPool({ ...base, head: 'old', controls: { promoted: 'new' } }).with(
    ...nodes('a', 'b', 'c').map((node) => node.on('old')),
  )
  const first = decide(early, noon)
  const later = remembering(promotedAs('new'), {
    ...first,
    status: { ...first.status, wave: { index: 1, count: 2, name: 'canary' } },
  })
  const begun = decide(later, noon + minute)

  expect(first.status.promotion).toBeUndefined()
  expect(begun.status.promotion).toMatchObject({ value: 'new', fingerprint: 'of new' })
})

test('a promotion does not outlive the failure of its rollout, and its annotation is removed', () => {
  const failing = aPool({ ...base, wave: { index: 2, count: 2, name: 'rest' }, controls: { promoted: 'new' } }).with(
    done,
    aNode('b').rolledBackFrom('new', { to: 'old' }),
    aNode('c').on('old'),
  )
  const failed = decide(failing, noon)
  const asked = { ...remembering(failing, failed), controls: { promoted: 'new', retry: 'new' } }
  const retried = decide(asked, noon + minute)
  const after = decide(next(asked, retried, noon + minute), noon + 2 * minute)

  expect(condition(failed, 'Stalled').reason).toBe('Halted')
  expect(retried.status.wave?.name).toBe('canary')
  expect(condition(after, 'Reconciling').reason).toBe('WaitingForPromotion')
  expect(after.actions).toContainEqual({ kind: 'clearControl', control: 'promoted', value: 'new' })
})

/** Its second wave has failed, and the promotion that opened it is gone. */
function failedOnce(onFailure: 'Halt' | 'Rollback'): PoolSnapshot {
  const failing = aPool({ ...base, onFailure, wave: { index: 2, count: 2, name: 'rest' } }).with(
    done,
    aNode('b').rolledBackFrom('new', { to: 'old' }),
    aNode('c').on('old'),
  )
  return remembering(failing, decide(failing, noon))
}

function retriedWith(
  pool: PoolSnapshot,
  controls: PoolSnapshot['controls'],
): { readonly now: Decision; readonly later: Decision } {
  const asked = { ...pool, controls }
  const now = decide(asked, noon + minute)
  return { now, later: decide(next(asked, now, noon + minute), noon + 2 * minute) }
}

test.each(['Halt', 'Rollback'] as const)(
  'a promotion that is written after the failure opens nothing when the commit is retried, and its annotation is removed: %s',
  (onFailure) => {
    const promoted = { ...failedOnce(onFailure), controls: { promoted: 'new' } }
    const late = decide(promoted, noon + 1000)
    const { now, later } = retriedWith(remembering(promoted, late), { promoted: 'new', retry: 'new' })

    expect(late.status.controls[0]).toMatchObject({ action: 'Promote', outcome: 'Refused' })
    expect(now.status.wave?.name).toBe('canary')
    expect(now.actions).toContainEqual({ kind: 'clearControl', control: 'promoted', value: 'new' })
    expect(later.status.wave?.name).toBe('canary')
    expect(condition(later, 'Reconciling').reason).toBe('WaitingForPromotion')
  },
)

test('a promotion that is written together with the retry counts for the rollout that begins then', () => {
  const { now } = retriedWith(failedOnce('Halt'), { promoted: 'new', retry: 'new' })

  expect(now.status.controls[0]).toMatchObject({ action: 'Promote', message: 'new is approved' })
  expect(now.status.wave?.name).toBe('rest')
})

test('a promotion that an operator takes back opens no further wave', () => {
  const pool = promotedAs('new', {
    waves: [aWave('canary', 1), aWave('half', 1, { manual: true }), aWave('rest', '100%', { manual: true })],
  })
  const first = decide(pool, noon)
  const taken = { ...next(pool, first, noon), controls: {} }

  expect(first.status.wave?.name).toBe('half')
  expect(condition(decide(taken, noon + minute), 'Reconciling').reason).toBe('WaitingForPromotion')
})

test('a promotion stays with its rollout when that is stamped again after the clock was put back', () => {
  const pool = promotedAs('new', { maxUnavailable: 1 })
  const first = decide(pool, noon)
  const back = decide(next(pool, first, noon), noon - 2 * hour)

  expect(back.status.promotion?.rollout).toBe(back.status.history[0]?.startedAt)
  expect(back.status.history[0]?.startedAt).not.toBe(first.status.history[0]?.startedAt)
})

test('a promotion that names the commit which the pool goes back to in this pass is bound at once', () => {
  const pool = aPool({ ...base, stable: 'old', onFailure: 'Rollback', controls: { promoted: 'old-commit' } }).with(
    aNode('a').rolledBackFrom('new', { to: 'old' }),
    ...waiting,
  )
  const known = new Map([['old', { ...aRevision('old', pool.nodes), revision: 'old-commit' }]])
  const memory = { ...pool.memory, stable: { revision: 'old', fingerprint: 'of old' } }
  const failed = decide({ ...pool, known, memory }, noon)

  expect(failed.status.target?.fingerprint).toBe('of old')
  expect(decide(remembering({ ...pool, known }, failed), noon).status.promotion).toEqual(failed.status.promotion)
  expect(failed.status.promotion).toMatchObject({ fingerprint: 'of old' })
})

test('a promotion of a commit that never began ends when another commit takes its place, and its annotation is removed', () => {
  const pool = promotedAs('mid', { commit: 'mid' })
  const promotion = { value: 'mid', fingerprint: 'of mid' }
  const memory = { ...pool.memory, promotion, observedControls: { promoted: 'mid' } }
  const clears = (head: string) =>
    decide({ ...pool, memory, head: { ...pool.head, revision: head, fingerprint: `of ${head}` } }, noon).actions.filter(
      ({ kind }) => kind === 'clearControl',
    )

  expect(clears('mid')).toEqual([])
  expect(clears('newest')).toEqual([{ kind: 'clearControl', control: 'promoted', value: 'mid' }])
})

test.each([
  ['of the pool', { controls: { paused: 'freeze' } }],
  ['of the fleet', { fleet: { paused: 'freeze' } }],
])('a wave that waits for a promotion does not soak again during a pause %s', (_, pause) => {
  const pool = aPool({ ...soaked, ...pause })
  const before = decide(pool.with(done, ...waiting), noon)
  const after = (node: NodeDraft) => ({ ...remembering(pool.with(node, ...waiting), before), steadySince: noon + minute })
  const later = decide(after(done), noon + 2 * minute)
  const pressed = decide(after(done.under('DiskPressure', noon + 2 * minute)), noon + 3 * minute)

  expect(pressed.status.rejected).toEqual([])
  expect(phases(later)).toEqual({ Current: 1, Waiting: 2 })
  expect(condition(later, 'Stalled').reason).toBe('Paused')
  expect(condition(later, 'Reconciling').reason).toBe('WaitingForPromotion')
})

test('a wave that waits for a promotion does not soak again when another node has joined', () => {
  const pool = aPool(soaked)
  const joining = decide(pool.with(done, ...waiting, aYoungNode('d')), noon)
  const joined = aNode('d').createdAtInstant(noon).on('old', { at: noon })
  const pressed = pool.with(done.under('DiskPressure', noon + 2 * minute), ...waiting, joined)
  const later = decide({ ...remembering(pressed, joining), steadySince: noon + minute }, noon + 3 * minute)

  expect(selected(joining)).toEqual(['d'])
  expect(condition(joining, 'Reconciling').reason).toBe('WaitingForPromotion')
  expect(later.status.rejected).toEqual([])
  expect(phases(later)).toEqual({ Current: 1, Waiting: 3 })
})

test('a promotion that is read together with a rollback does not open the manual wave when the commit comes again', () => {
  const both = { promoted: 'new', rollback: 'old' }
  const pool = { ...promotedAs('new'), controls: both }
  const atOld = [aNode('a').on('old', { at: noon + 1 }), ...waiting]

  const back = decide({ ...remembering(pool, decide(pool, noon)), nodes: atOld }, noon + minute)
  const resumed = decide({ ...remembering(pool, back), nodes: atOld, controls: { promoted: 'new' } }, noon + hour)
  const again = [aNode('a').on('new', { at: noon + hour + 1 }), ...waiting]
  const waits = decide({ ...remembering(pool, resumed), nodes: again, controls: { promoted: 'new' } }, noon + 2 * hour)

  expect(back.actions).toContainEqual({ kind: 'clearControl', control: 'promoted', value: 'new' })
  expect(selected(resumed)).toHaveLength(1)
  expect(selected(waits)).toEqual([])
  expect(condition(waits, 'Ready').reason).toBe('WaitingForPromotion')
})
