import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { windowState } from '../../../src/calendar/windows.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, phases, remembering, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, aYoungNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

/** Open from 22:00 to 04:00; it is noon. */
const nights: readonly Window[] = [{ action: 'allow', schedule: '0 22 * * *', duration: 6 * hour, timeZone: 'UTC' }]
const tonight = noon + 10 * hour
const old = (...names: string[]) => nodes(...names).map((node) => node.on('older'))

test('a pool outside its windows takes no node, tells when the next one opens, and wakes then', () => {
  const decision = decide(aPool({ stable: 'older', windows: nights }).with(...old('a', 'b')), noon)

  expect(selected(decision)).toEqual([])
  expect(verdict(decision)).toEqual({
    Ready: 'False WaitingForWindow',
    Reconciling: 'True WaitingForWindow',
    Stalled: 'False WaitingForWindow',
  })
  expect(condition(decision, 'Ready').message).toBe(
    '0 of 2 nodes are at new; no window is open, the next opens at 2026-11-21T22:00Z; nodes that have started finish',
  )
  expect(decision.wakeAt).toBe(tonight)
})

test('a pool in its window takes nodes, and wakes when the window closes', () => {
  const pool = aPool({ stable: 'older', windows: nights, maxUnavailable: 1 }).with(...old('a', 'b'))
  const decision = decide(pool, tonight)

  expect(selected(decision)).toHaveLength(1)
  expect(decision.wakeAt).toBe(tonight + 6 * hour)
})

test('a node under way ends its work outside the window, and no other begins', () => {
  const a = aNode('a').assignedTo('new', { at: noon - minute })
  const pool = aPool({ stable: 'older', since: noon - minute, windows: nights }).with(a, ...old('b'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(phases(decide(pool, noon))).toEqual({ Assigned: 1, Waiting: 1 })
  const done = aPool({ stable: 'older', since: noon - minute, windows: nights }).with(a.reporting('Applied'), ...old('b'))
  expect(phases(decide(done, noon))).toEqual({ Current: 1, Waiting: 1 })
})

test('a wave soaks outside the window, and the next one waits for it', () => {
  const waves = [aWave('canary', 1, { soak: 10 * minute })]
  const a = aNode('a').on('new', { at: noon - 20 * minute })
  const pool = aPool({ stable: 'older', since: noon - hour, waves, windows: nights }).with(a, ...old('b'))
  const decision = decide(pool, noon)

  expect(decision.status.wave).toMatchObject({ index: 2, name: 'rest' })
  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Ready').reason).toBe('WaitingForWindow')
})

test('a wave that a person must open says so though no window is open', () => {
  const waves = [aWave('canary', 1), aWave('rest', '100%', { manual: true })]
  const pool = aPool({ stable: 'older', since: noon - hour, waves, windows: nights }).with(
    aNode('a').on('new', { at: noon - 20 * minute }),
    ...old('b'),
  )

  expect(condition(decide(pool, noon), 'Ready').reason).toBe('WaitingForPromotion')
})

test('a pool goes back after a failure though no window is open', () => {
  const history = [aRollout('older', { startedAt: noon - minute }), aRollout('new', { result: 'RolledBack' })]
  const pool = aPool({ stable: 'older', rejected: ['new'], windows: nights, history }).with(
    aNode('a').rolledBackFrom('new'),
    aNode('b').on('new'),
  )
  const decision = decide(pool, noon)

  expect(selected(decision).sort()).toEqual(['a', 'b'])
  expect(verdict(decision)).toMatchObject({ Reconciling: 'True RollingBack', Stalled: 'True RolledBack' })
})

test('a pool that goes on with a fix waits for its window though the newest commit is as one that failed', () => {
  const history = [aRollout('fix', { startedAt: noon - hour }), aRollout('bad', { result: 'Halted', startedAt: noon - 2 * hour })]
  const options = { head: 'bad', commit: 'again', rejected: ['bad'], onFailure: 'Halt', windows: nights, history } as const
  const pool = aPool(options).with(aNode('a').on('fix', { at: noon - 30 * minute }), ...old('b'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(selected(decide(pool, tonight))).toEqual(['b'])
})

test('a pool that is told so goes back in its windows only', () => {
  const options = { stable: 'older', rejected: ['new'], windows: nights, rollbackOutsideWindows: false }
  const pool = aPool(options).with(aNode('a').rolledBackFrom('new'), aNode('b').on('new'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(condition(decide(pool, noon), 'Reconciling')).toMatchObject({ status: 'True', reason: 'WaitingForWindow' })
  expect(selected(decide(pool, tonight)).sort()).toEqual(['a', 'b'])
})

test('a pool that a person sends back goes at once', () => {
  const rollback = { to: aRef('older'), from: aRef('new'), at: stamp(noon) }
  const pool = aPool({ stable: 'older', windows: nights }).with(aNode('a').on('new'))

  expect(selected(decide({ ...pool, memory: { ...pool.memory, rollback }, controls: { rollback: 'older' } }, noon))).toEqual([
    'a',
  ])
})

test('a pool that went back has its windows again: only nodes that have what it went back from do not wait for them', () => {
  const at = (content: string) => ({ at: noon - 30 * minute, since: noon - 29 * minute, revision: content })
  const history = [
    aRollout('older', { result: 'Completed', startedAt: noon - 40 * minute }),
    aRollout('new', { result: 'RolledBack', startedAt: noon - 50 * minute }),
    aRollout('older', { result: 'Completed', startedAt: noon - 20 * hour }),
  ]
  const members = [
    aNode('a').on('older', at('older')),
    aNode('came-back').on('new', at('new')),
    aNode('adopted'),
    aNode('relabelled').on('of another pool', { pool: 'gpu' }),
  ]
  const failed = aPool({ stable: 'older', rejected: ['new'], history, windows: nights }).with(...members)
  const rollback = { to: aRef('older'), from: aRef('new'), at: stamp(noon - 40 * minute) }
  const asked = aPool({ stable: 'older', history, windows: nights, controls: { rollback: 'older' } }).with(...members)

  expect(selected(decide(failed, noon))).toEqual(['came-back'])
  expect(selected(decide({ ...asked, memory: { ...asked.memory, rollback } }, noon))).toEqual(['came-back'])
  expect(selected(decide(failed, tonight)).sort()).toEqual(['adopted', 'came-back', 'relabelled'])
})

test('a commit that reverts is a commit: it waits for the window, too', () => {
  const pool = aPool({ head: 'older', stable: 'older', history: [], windows: nights }).with(aNode('a').on('new'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(selected(decide(pool, tonight))).toEqual(['a'])
})

test('a node that joins gets what is proven though no window is open', () => {
  const pool = aPool({ head: 'older', stable: 'older', windows: nights }).with(aYoungNode('a'), ...old('b'))

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

test('a pool that has nothing to do is Ready outside its windows, and sleeps', () => {
  const decision = decide(aPool({ head: 'older', stable: 'older', windows: nights }).with(...old('a')), noon)

  expect(condition(decision, 'Ready')).toMatchObject({ status: 'True', reason: 'Completed' })
  expect(decision.wakeAt).toBeUndefined()
})

test('a pool for which no window will ever open is stalled', () => {
  const windows: Window[] = [{ action: 'allow', timeZone: 'UTC', dates: [{ first: noon - 48 * hour, last: noon - 36 * hour }] }]
  const decision = decide(aPool({ stable: 'older', windows }).with(...old('a')), noon)

  expect(condition(decision, 'Stalled')).toMatchObject({ status: 'True', reason: 'WaitingForWindow' })
})

test('no node begins outside the windows, at whatever time, but those that join and those that go back', () => {
  const times = fc.integer({ min: 0, max: 30 * 24 * 60 }).map((n) => noon + n * minute)
  const members = fc.array(fc.constantFrom('older', 'new', 'joining', 'failed'), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(times, members, fc.boolean(), (at, kinds, rejected) => {
      const all = kinds.map((kind, i) => {
        if (kind === 'joining') return aNode(`n${i}`)
        return kind === 'failed' ? aNode(`n${i}`).rolledBackFrom('new') : aNode(`n${i}`).on(kind)
      })
      const pool = aPool({ stable: 'older', windows: nights, maxFailures: 9, ...(rejected && { rejected: ['new'] }) }).with(
        ...all,
      )
      const first = decide(pool, at)
      const begun = [...selected(first), ...selected(decide(remembering(pool, first), at))]
      if (windowState(nights, at).open || first.status.rejected.length > 0) return
      expect(begun.filter((name) => all.find((node) => node.name === name)?.assigned !== undefined)).toEqual([])
    }),
  )
})
