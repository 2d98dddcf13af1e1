import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import { stamp } from '../../../src/rollout/model/instant.ts'
import { NO_MEMORY, type PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode, nodes } from '../../rollout/builders/nodes.ts'
import { aGate, aWave } from '../../rollout/builders/policies.ts'
import { aPool, type PoolOptions } from '../../rollout/builders/pools.ts'
import { aRollout } from '../../rollout/builders/revisions.ts'
import { gatesKept } from './invariants/gates-kept.ts'

const options: PoolOptions = { stable: 'older', waves: [aWave('canary', 1), aWave('rest', '100%')], gates: [aGate('slo')] }
/** Another pool, where the newest commit failed: the fleet bears none, and stops it everywhere. */
const failing = {
  ...aPool({ since: noon - 9 * minute }).with(aNode('gpu-0').rolledBackFrom('new', { at: noon - 8 * minute, pool: 'gpu' })),
  name: 'gpu',
}

/** Whether the claim holds when the fleet decides for the pool, and what is said of it is changed as told. */
function holds(
  pool: PoolSnapshot,
  {
    others = [],
    status = {},
    held = [],
  }: { others?: PoolSnapshot[]; status?: Partial<Decision['status']>; held?: string[] } = {},
): boolean | undefined {
  const fleet = { pools: [pool, ...others], policy: { maxFailures: { count: 0 } }, controls: {} }
  const decisions = [...decideFleet(fleet, noon)].map(([name, decision]) => {
    const told = name === pool.name ? { ...decision, status: { ...decision.status, ...status } } : decision
    return [name, told] as const
  })
  return gatesKept.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set(held) })
}

const passed = { wave: { index: 2, count: 2, name: 'rest', opened: ['canary', 'rest'] } }

test('the claim holds of a pool that completed a run at the very instant at which the fleet stops the next commit', () => {
  const stays = aPool({ ...options, history: [aRollout('older', { result: 'Completed', startedAt: noon })] })

  expect(holds(stays.with(aNode('a').on('older')), { others: [failing] })).toBe(true)
})

test('the claim falls when a wave opens before the gates of the wave before have held', () => {
  const pool = aPool({ ...options, since: noon - hour }).with(aNode('a').on('new', { at: noon - minute }), aNode('b').on('older'))

  expect(holds(pool)).toBe(true)
  expect(holds(pool, { status: passed })).toBe(false)
  expect(holds(pool, { status: passed, held: ['workers new canary slo'] })).toBe(true)
})

test('the claim falls for a run that goes on while the fleet stops the newest commit', () => {
  const history = [aRollout('begun'), aRollout('older', { result: 'Completed' })]
  const pool = aPool({ ...options, history }).with(aNode('a').on('begun', { at: noon - minute }), ...nodes('b', 'c'))

  expect(holds(pool, { others: [failing] })).toBe(true)
  expect(holds(pool, { others: [failing], status: passed })).toBe(false)
})

test('the claim holds of a run that is found again by its nodes, after its NodePool was deleted, when the gates held in that run', () => {
  const known = aPool(options).with(aNode('a').on('new', { at: noon - minute }), aNode('b').on('older'))
  const pool = { ...known, memory: NO_MEMORY }
  const key = 'workers new canary slo'

  expect(holds(pool, { status: passed, held: [key, `${key} ${stamp(noon - minute)}`] })).toBe(true)
  expect(holds(pool, { status: passed, held: [key, `${key} ${stamp(noon - hour)}`] })).toBe(false)
  expect(holds(pool, { status: passed })).toBe(false)
})
