import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

/** Another commit came two minutes ago, and is withdrawn: the canary of the first try is still at its work. */
function again(canary: NodeDraft, seen: Pick<PoolSnapshot, 'watchedSince'> = {}): string[] {
  const history = [
    aRollout('next', { result: 'Running', startedAt: noon - 2 * minute }),
    aRollout('new', { result: 'Superseded', startedAt: noon - 20 * minute }),
    aRollout('older', { result: 'Completed', startedAt: noon - 5 * hour }),
  ]
  const waves = [aWave('canary', 1), aWave('rest', '100%')]
  const others = nodes('a', 'b', 'c').map((node) => node.on('older'))
  const pool = aPool({ stable: 'older', history, waves, maxUnavailable: 3 }).with(canary, ...others)
  return assignments(decide({ ...pool, ...seen }, noon))
}

const atWork = aNode('d').assignedTo('new', { at: noon - 3 * minute })

test.each([
  ['is Ready', atWork.reporting('Applying')],
  ['is not Ready for a moment', atWork.reporting('Applying').notReady(noon - minute / 2)],
  ['is not Ready for two minutes', atWork.reporting('Applying').notReady(noon - 2 * minute)],
])(
  'a commit that comes again is given to no other node when its canary is still at work from the first try, and %s',
  (_, canary) => {
    expect(again(canary)).toEqual([])
  },
)

const overdue = aNode('d').assignedTo('new', { at: noon - 16 * minute })

test.each([
  ['is late with its work', overdue.reporting('Applying')],
  ['is late with its work and not Ready', overdue.reporting('Applying').notReady(noon - 2 * minute)],
  ['has reported nothing in its time', overdue],
])('a commit that comes again is given to no other node when the controller has just started, and its canary %s', (_, canary) => {
  expect(again(canary, { watchedSince: noon - minute })).toEqual([])
  expect(again(canary)).toEqual(['d → new'])
})

test('a commit that comes again is given to no other node when its canary asks for a drain, and is not Ready', () => {
  const asks = (canary: NodeDraft) => canary.reporting('Blocked', { needs: 'drain' }).notReady(noon - 2 * minute)

  expect(again(asks(atWork))).toEqual([])
  expect(again(asks(overdue), { watchedSince: noon - minute })).toEqual([])
  expect(again(asks(overdue))).toEqual(['d → new'])
})

test('a commit that comes again is given to another node when its canary was down before the first try', () => {
  expect(again(atWork.notReady(noon - hour).assignedWhileDown())).toEqual(['b → new'])
})

test('a retry gives no other node the commit when its canary has it from a try that has made room in the history', () => {
  const retries = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((ago) => aRollout('new', { result: 'Halted', startedAt: noon - ago * hour }))
  const older = aRollout('older', { result: 'Completed', startedAt: noon - 20 * hour })
  const options: PoolOptions = { stable: 'older', history: [...retries, older], rejected: ['new'], controls: { retry: 'new' } }
  const pool = aPool({ ...options, waves: [aWave('canary', 1), aWave('rest', '100%')], gates: [aGate('slo')] })
  const canary = aNode('d').on('new', { at: noon - 10 * hour })
  const decision = decide(pool.with(canary, ...nodes('a', 'b', 'c').map((node) => node.on('older'))), noon)

  expect(decision.status.history[0]).toMatchObject({ revision: 'new', result: 'Running' })
  expect(assignments(decision)).toEqual([])
})

test('nodes in flight take no place in the wave from a node that has the commit from an earlier try', () => {
  const history = [
    aRollout('next', { result: 'Running', startedAt: noon - 2 * minute }),
    aRollout('new', { result: 'Superseded', startedAt: noon - 20 * minute }),
    aRollout('older', { result: 'Completed', startedAt: noon - 5 * hour }),
  ]
  const inFlight = nodes('a', 'b').map((node) => node.assignedTo('next', { at: noon - minute }).reporting('Applying'))
  const tried = aNode('c').on('new', { at: noon - 19 * minute })
  const options = { stable: 'older', history, waves: [aWave('canary', 2), aWave('rest', '100%')], maxUnavailable: 2 }
  const others = nodes('d', 'e').map((node) => node.on('older'))

  expect(assignments(decide(aPool(options).with(...inFlight, tried, ...others), noon))).toEqual(['b → new'])
})
