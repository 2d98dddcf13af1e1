import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import type { PoolReason } from '../../../src/protocol/node-pool.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode } from '../../rollout/builders/nodes.ts'
import { aPool, type PoolOptions } from '../../rollout/builders/pools.ts'
import { dependenciesNamed } from './invariants/dependencies-named.ts'
import { windowNamed } from './invariants/window-named.ts'
import type { Invariant } from './invariants.ts'

/** Whether the claim holds when the last of the pools says that it waits. */
function holds(
  { ofDecision }: Invariant,
  { pools, reason, message, at = noon }: { pools: PoolSnapshot[]; reason: PoolReason; message: string; at?: Instant },
): boolean | undefined {
  const fleet = { pools, policy: {}, controls: {} }
  const decisions = [...decideFleet(fleet, at)].map(([name, decision]) => {
    if (name !== pools.at(-1)?.name) return [name, decision] as const
    const conditions = decision.status.conditions.map((condition) => ({ ...condition, reason, message }))
    return [name, { ...decision, status: { ...decision.status, conditions } }] as const
  })
  return ofDecision?.({ fleet, at, decisions: new Map(decisions), isNews: true, held: new Set() })
}

const allow: Window = { action: 'allow', schedule: '*/30 * * * *', duration: 20 * minute, timeZone: 'UTC' }
const deny: Window = { action: 'deny', schedule: '*/30 * * * *', duration: 5 * minute, timeZone: 'UTC' }

test.each<[minutes: number, windows: Window[], named: string, holds: boolean]>([
  [22, [allow], '12:30Z', true],
  [22, [allow], '12:31Z', false],
  [22, [allow], '12:50Z', false],
  [22, [allow], '13:00Z', false],
  [19, [allow], '12:30Z', false],
  [3, [deny], '12:05Z', true],
  [3, [deny], '12:30Z', false],
  [22, [allow, deny], '12:35Z', true],
  [22, [allow, deny], '12:30Z', false],
])('at 12:%i with the windows %j, the claim of a named opening at %s is %s', (minutes, windows, named, isSo) => {
  const pools = [aPool({ stable: 'older', windows }).with(aNode('a').on('older'))]
  const message = `no window is open, the next opens at 2026-11-21T${named}; nodes that have started finish`

  expect(holds(windowNamed, { pools, reason: 'WaitingForWindow', message, at: noon + minutes * minute })).toBe(isSo)
})

test('the claim of windows falls when a pool that waits names no time', () => {
  const pools = [aPool({ stable: 'older', windows: [deny] }).with(aNode('a').on('older'))]

  expect(holds(windowNamed, { pools, reason: 'WaitingForWindow', message: 'no window is open' })).toBe(false)
})

function named(name: string, options: PoolOptions, isEmpty = false): PoolSnapshot {
  const members = isEmpty ? [] : [aNode(`${name}-0`).on(options.stable ?? 'older', { pool: name })]
  return { ...aPool(options).with(...members), name }
}

const waits = (...names: string[]) =>
  `new waits for ${names.map((name) => `"${name}", which has not completed it`).join(', and for ')}`

test('the claim of dependencies falls when a wait names no pool, one that is done or not depended on, or not all', () => {
  const base = named('base', { stable: 'new', head: 'new' })
  const gpu = named('gpu', { stable: 'older', since: noon - hour })
  const pools = [
    base,
    gpu,
    named('other', { stable: 'older' }),
    named('workers', { stable: 'older', dependsOn: ['base', 'gpu'] }),
  ]
  const holdsOf = (...names: string[]) =>
    holds(dependenciesNamed, { pools, reason: 'WaitingForDependency', message: waits(...names) })

  expect(holdsOf('gpu')).toBe(true)
  expect([holdsOf(), holdsOf('base'), holdsOf('base', 'gpu'), holdsOf('gpu', 'other')]).toEqual([false, false, false, false])
})

test('the claim of dependencies falls when a pool waits and none that it depends on is awaited', () => {
  const pools = [named('gpu', { stable: 'new', head: 'new' }), named('workers', { stable: 'older', dependsOn: ['gpu'] })]

  expect(holds(dependenciesNamed, { pools, reason: 'WaitingForDependency', message: waits('gpu') })).toBe(false)
})

test('a pool is awaited through one without nodes', () => {
  const base = named('base', { stable: 'older', since: noon - hour })
  const gpu = named('gpu', { dependsOn: ['base'] }, true)
  const pools = [base, gpu, named('workers', { stable: 'older', dependsOn: ['gpu'] })]

  expect(holds(dependenciesNamed, { pools, reason: 'WaitingForDependency', message: waits('base') })).toBe(true)
  expect(holds(dependenciesNamed, { pools, reason: 'WaitingForDependency', message: waits('gpu', 'base') })).toBe(false)
})
