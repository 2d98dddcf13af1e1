import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideFleet, type FleetControls } from '../../../src/rollout/decide-fleet.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { Share } from '../../../src/rollout/model/policy.ts'
import { NO_MEMORY, type PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import type { FailureMemory } from '../../../src/rollout/target/fleet-stop.ts'
import { condition, remembering, selected } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const since = noon - 9 * minute
const begun = { at: noon - 8 * minute, pool: 'gpu' }

function pool(name: string, members: readonly NodeView[], options: PoolOptions = {}): PoolSnapshot {
  return { ...aPool({ stable: 'older', since, maxFailures: 5, ...options }).with(...members), name }
}

/** With so many nodes that failed, one that is done and one that waits. */
function failing(name: string, failed: number, options: PoolOptions = {}): PoolSnapshot {
  const bad = Array.from({ length: failed }, (_, i) => aNode(`${name}-bad-${i}`).rolledBackFrom('new', begun))
  return pool(name, [...bad, aNode(`${name}-done`).on('new', begun), aNode(`${name}-next`).on('older')], options)
}

function decide(pools: readonly PoolSnapshot[], maxFailures: Share = { count: 2 }, controls: FleetControls = {}) {
  return decideFleet({ pools, policy: { maxFailures }, controls }, noon)
}

function takenIn(...args: Parameters<typeof decide>): string[] {
  return [...decide(...args).values()].flatMap(selected).sort()
}

test('every pool goes on while no more nodes of the fleet failed than it bears', () => {
  expect(takenIn([failing('gpu', 1), failing('web', 1)])).toEqual(['gpu-next', 'web-next'])
})

test('every pool stops in the very pass in which more failed, each below its own measure, and says what failed where', () => {
  const decisions = decide([failing('gpu', 1), failing('web', 2)])

  expect([...decisions.values()].flatMap(selected)).toEqual([])
  const gpu = decisions.get('gpu')
  expect(gpu && condition(gpu, 'Stalled')).toMatchObject({ status: 'True', reason: 'FleetStopped' })
  const calm = decide([failing('gpu', 3), pool('web', [aNode('web-0').on('older')])]).get('web')
  expect(calm && condition(calm, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'FleetStopped',
    message:
      '3 failures of nodes in the fleet at new: 3 in "gpu" ("gpu-bad-0", "gpu-bad-1", "gpu-bad-2"); push a fix or a revert, or continue with: nodewave retry --all --revision new',
  })
})

test('a node that fails only because its drain is stopped counts in the very pass that stops it', () => {
  const overdue = aNode('gpu-0')
    .assignedTo('new', { at: noon - 11 * minute, pool: 'gpu' })
    .reporting('Blocked', { needs: 'drain', active: 'new', error: { reason: 'TrialFailed', message: 'out of luck' } })
    .drainedFor('new')
  const options = {
    maxFailures: 1,
    applyTimeout: 10 * minute,
    since: noon - 12 * minute,
    drain: 'Always',
    pods: { 'gpu-0': [aPod('a')] },
  } as const
  const gpu = pool('gpu', [overdue, aNode('gpu-bad').rolledBackFrom('new', begun)], options)
  const pools = [gpu, pool('web', [aNode('web-0').on('older')])]
  const messages = (decisions: ReturnType<typeof decide>): (string | undefined)[] =>
    [...decisions.values()].map((decision) => condition(decision, 'Stalled').message.slice(0, 60))

  const first = decide(pools, { count: 0 })
  const again = decide(
    pools.map((each) => remembering(each, first.get(each.name) as Decision)),
    { count: 0 },
  )
  expect(messages(first)).toEqual(messages(again))
  expect(first.get('web') && messages(first)[1]).toContain('2 failures of nodes in the fleet at new: 2 in "gpu"')
})

test('a share of the fleet counts all nodes', () => {
  expect(takenIn([failing('gpu', 1), failing('web', 1)], { percent: 40 })).toEqual(['gpu-next', 'web-next'])
  expect(takenIn([failing('gpu', 1), failing('web', 1)], { percent: 30 })).toEqual([])
})

test('failures that a pool has forgotten its nodes for count as long as its history tells of them', () => {
  const history = [{ ...aRollout('new', { result: 'RolledBack' as const, startedAt: since }), failures: 3 }]
  const gpu = pool(
    'gpu',
    nodes('gpu-0').map((node) => node.on('older')),
    { rejected: ['new'], history },
  )

  const pools = [gpu, pool('web', [aNode('web-0').on('older')])]
  const web = decide(pools).get('web')

  expect(takenIn(pools)).toEqual([])
  expect(web && condition(web, 'Stalled').message).toContain('3 failures of nodes in the fleet at new: 3 in "gpu"; push a fix')
})

test('a pool that has not begun stays with what it has', () => {
  const fresh = { ...aPool({ stable: 'older' }).with(aNode('web-0').on('older')), name: 'web' }
  const decision = decide([failing('gpu', 3), fresh]).get('web')

  expect(decision?.status.target?.revision).toBe('older')
  expect(decision && condition(decision, 'Stalled').reason).toBe('FleetStopped')
})

test('a pool that goes back does so all the same, and one that has completed the commit stays', () => {
  const back = failing('gpu', 3, { maxFailures: 0 })
  const done = pool('web', [aNode('web-0').on('new', begun), aNode('web-1').on('older')], {
    history: [aRollout('new', { result: 'Completed', startedAt: since })],
  })

  expect(takenIn([back, done])).toEqual(['gpu-bad-0', 'gpu-bad-1', 'gpu-bad-2', 'gpu-done', 'web-1'])
})

/** Its rollout of `older` has completed before, and goes on again after a commit that was bad; one node was lost on the way. */
function reverting(name: string): PoolSnapshot {
  const history = [
    aRollout('older', { startedAt: since }),
    aRollout('bad', { result: 'Superseded', startedAt: since - minute }),
    aRollout('older', { result: 'Completed', startedAt: since - 60 * minute }),
  ]
  const lost = aNode(`${name}-lost`).rolledBackFrom('older', { ...begun, pool: name, to: 'bad' })
  const members = [lost, aNode(`${name}-next`).on('bad', { at: since - 30_000, pool: name })]
  return pool(name, members, { head: 'older', stable: 'older', history, maxUnavailable: 2 })
}

test('a revert reaches every pool that completed its content before, however many nodes fail on the way back', () => {
  expect(takenIn([reverting('gpu'), reverting('web')], { count: 1 })).toEqual(['gpu-next', 'web-next'])
})

test('a revert begins in a pool although nodes of others fail at it', () => {
  const onBad = aNode('api-0').on('bad', { at: since - 30_000, pool: 'api' })
  const history = [
    aRollout('bad', { startedAt: since - minute }),
    aRollout('older', { result: 'Completed', startedAt: since - 60 * minute }),
  ]
  const api = pool('api', [onBad], { head: 'older', stable: 'older', history })

  expect(takenIn([reverting('gpu'), reverting('web'), api], { count: 1 })).toContain('api-0')
})

test('a pool for which the content of a revert is new does not begin with it once the fleet bears no more', () => {
  const fresh = pool('api', [aNode('api-0').on('bad')], { head: 'older', stable: 'bad', history: [] })

  expect(takenIn([reverting('gpu'), reverting('web'), fresh], { count: 1 })).toEqual(['gpu-next', 'web-next'])
})

test('a node that was emptied for the commit is not given it', () => {
  const emptied = aNode('web-0').on('older').drainedFor('new')
  const web = pool('web', [emptied], { disruption: 'drain', pods: { 'web-0': [] } })

  expect(takenIn([web])).toEqual(['web-0'])
  expect(takenIn([failing('gpu', 3), web])).toEqual([])
})

test.each([
  ['for the commit', aNode('web-0').on('older')],
  [
    'because its agent asks for that',
    aNode('web-0').assignedTo('new', { at: begun.at, pool: 'web' }).reporting('Blocked', { needs: 'drain' }),
  ],
])('a node that is drained %s is uncordoned once the failures that stop the commit are confirmed', (_, drained) => {
  const web = pool('web', [drained.drainedFor('new')], { disruption: 'drain', pods: { 'web-0': [aPod('a')] } })
  const fleet = { pools: [failing('gpu', 3), web], policy: { maxFailures: { count: 2 } }, controls: {} }
  const decideUpon = (confirmed: ReadonlyMap<string, FailureMemory>) => decideFleet({ ...fleet, confirmed }, noon)
  const kindsIn = (decided: ReadonlyMap<string, Decision>) => decided.get('web')?.actions.map(({ kind }) => kind)
  const first = decideUpon(new Map())

  expect(kindsIn(first)).toEqual([])
  expect(kindsIn(decideUpon(new Map([...first].map(([name, { status }]) => [name, status]))))).toEqual(['uncordon'])
})

test('a newer commit goes on, and so does one that a person lets go on', () => {
  const history = [{ ...aRollout('bad', { startedAt: since }), failures: 3 }]
  const gpu = pool('gpu', [aNode('gpu-0').on('bad', begun)], { history })

  expect(takenIn([gpu])).toEqual(['gpu-0'])
  expect(takenIn([failing('gpu', 3), failing('web', 0)], { count: 2 }, { retry: 'new' })).toEqual(['gpu-next', 'web-next'])
})

test('a commit of equal content does not lift the stop', () => {
  const typo = { commit: 'a-typo-in-the-README' }
  const decisions = decide([failing('gpu', 1, typo), failing('web', 2, typo)])

  expect([...decisions.values()].flatMap(selected)).toEqual([])
})

test('a commit of equal content goes on after an operator let the one before go on', () => {
  const pools = [failing('gpu', 3), failing('web', 0)]
  const decisions = decide(pools, { count: 2 }, { retry: 'new' })
  const later = pools.map((each) => {
    const status = decisions.get(each.name)?.status
    return { ...each, head: { ...each.head, revision: 'a-typo-in-the-README' }, memory: status ?? each.memory }
  })

  expect(takenIn(later, { count: 2 }, { retry: 'new' })).toEqual(['gpu-next', 'web-next'])
  expect(takenIn(later, { count: 2 }, {})).toEqual([])
})

test('failures of content that came back after another one took its place do not count', () => {
  const history = [
    aRollout('new', { startedAt: since }),
    aRollout('fix', { result: 'Superseded', startedAt: since - minute }),
    { ...aRollout('new', { result: 'Superseded', startedAt: since - 2 * minute }), failures: 3 },
  ]

  expect(takenIn([pool('web', [aNode('web-0').on('fix')], { history })])).toEqual(['web-0'])
})

test.each(['new', 'a-typo-in-the-README'])(
  'what failed in a pool whose status was lost counts pass after pass when "%s" is the newest commit',
  (commit) => {
    const gpu = failing('gpu', 3, { commit })
    const lost = { ...gpu, memory: NO_MEMORY }
    const first = decide([lost]).get('gpu')
    const second = first && decide([{ ...lost, memory: first.status }]).get('gpu')

    expect(first && condition(first, 'Stalled').reason).toBe('FleetStopped')
    expect(second?.status).toEqual(first?.status)
  },
)

test('whatever failed where, nobody begins with the commit once the fleet bears no more', () => {
  const counts = fc.array(fc.nat(4), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(counts, fc.nat(8), (failed, borne) => {
      const pools = failed.map((count, i) => failing(`pool-${i}`, count))
      const total = failed.reduce((sum, count) => sum + count, 0)
      const next = takenIn(pools, { count: borne }).filter((name) => name.endsWith('-next'))
      expect(next).toHaveLength(total > borne ? 0 : failed.length)
    }),
  )
})

test('a fleet stays stopped in the passes that follow where the status of the pool that failed has lost its history', () => {
  const waves = [{ name: 'canary', nodes: { count: 1 }, soak: 0, manual: false }]
  const failed = ['a', 'b'].map((name) => aNode(name).rolledBackFrom('new', begun))
  const back = aNode('c').assignedTo('older', { at: noon - minute, pool: 'gpu' })
  const before: PoolSnapshot = {
    ...pool('gpu', [...failed, back], { waves, history: [] }),
    memory: { ...NO_MEMORY, target: aRef('older') },
  }
  const fleet = { policy: { maxFailures: { count: 1 } }, controls: {} }

  const first = decideFleet({ ...fleet, pools: [before] }, noon).get('gpu')
  const again = first && decideFleet({ ...fleet, pools: [remembering(before, first)] }, noon + minute).get('gpu')

  expect(first?.status.history).toMatchObject([{ revision: 'new', failures: 2 }])
  expect([first, again].map((decision) => decision && condition(decision, 'Stalled').status)).toEqual(['True', 'True'])
  expect([first, again].flatMap((decision) => (decision ? selected(decision) : []))).toEqual([])
})

test('a fleet stays stopped when a commit of equal content comes where the status of the pool that failed is older than the first one', () => {
  const failed = ['a', 'b'].map((name) => aNode(name).rolledBackFrom('new', { ...begun, revision: 'first of new' }))
  const [{ head }, older] = [pool('gpu', failed), aPool({ stable: 'older', commit: 'second of new', maxFailures: 5 })]
  const before = older.with(...failed, aNode('c').on('older'))
  const known = new Map([...before.known, ['first of new', { ...head, revision: 'first of new' }]])
  const gpu: PoolSnapshot = { ...before, name: 'gpu', known }
  const fleet = { policy: { maxFailures: { count: 1 } }, controls: {} }

  const first = decideFleet({ ...fleet, pools: [gpu] }, noon).get('gpu')

  expect(first?.status.history[0]).toMatchObject({ revision: 'second of new', failures: 2 })
  expect(first && condition(first, 'Stalled')).toMatchObject({ status: 'True', reason: 'FleetStopped' })
  expect(first && selected(first)).toEqual([])
})
