import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { NO_MEMORY, type PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

function pool(name: string, options: PoolOptions, members: readonly NodeView[] = [aNode(`${name}-0`).on('older')]): PoolSnapshot {
  return { ...aPool({ stable: 'older', ...options }).with(...members), name }
}

function decisions(...pools: readonly PoolSnapshot[]) {
  return decideFleet({ pools, policy: {}, controls: {} }, noon)
}

/** Names of the nodes that are taken, pool by pool in the order of decision. */
function takenIn(...pools: readonly PoolSnapshot[]): Record<string, string[]> {
  return Object.fromEntries([...decisions(...pools)].map(([name, decision]) => [name, selected(decision)]))
}

const workers = (options: PoolOptions = {}) => pool('workers', { dependsOn: ['base'], ...options })

test('a pool stays with what it has while one that it depends on has not completed the commit, and says so', () => {
  const decision = decisions(workers(), pool('base', {})).get('workers')
  if (!decision) throw new Error('no decision')

  expect(selected(decision)).toEqual([])
  expect(decision.status.target?.revision).toBe('older')
  expect(condition(decision, 'Reconciling')).toMatchObject({
    status: 'True',
    reason: 'WaitingForDependency',
    message: '1 of 1 nodes are at older; new waits for "base", which has not completed it',
  })
})

test('a pool that waits for one which an operator rolled back is stalled, and says how to end that', () => {
  const base = pool('base', { controls: { rollback: 'older' }, since: noon - minute })
  const decision = decisions(workers(), base).get('workers')

  expect(decision && condition(decision, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'WaitingForDependency',
    message: 'new waits for "base", which an operator rolled back (nodewave resume base)',
  })
})

test('a pool that waits for a paused one says so, and how to end that', () => {
  const decision = decisions(workers(), pool('base', { controls: { paused: 'storm' } })).get('workers')

  expect(decision && condition(decision, 'Reconciling').message).toBe(
    '1 of 1 nodes are at older; new waits for "base", which is paused (nodewave resume base)',
  )
})

test('a pool that is paused is not Ready while it waits for another one with the newest commit', () => {
  const decision = decisions(workers({ controls: { paused: 'storm' } }), pool('base', {})).get('workers')

  expect(decision && verdict(decision)).toEqual({
    Ready: 'False WaitingForDependency',
    Reconciling: 'True WaitingForDependency',
    Stalled: 'False WaitingForDependency',
  })
})

test('a pool that has not begun counts a node that another pool has just assigned the same as any other', () => {
  const waves = [aWave('canary', { tier: 'canary' }, { soak: 2 * minute }), aWave('early', { tier: 'early' }, { soak: minute })]
  const canary = aNode('a').labelled({ tier: 'canary' })
  const moved = aNode('b').labelled({ tier: 'early' }).on('new', { at: noon, pool: 'gpu' })
  const waiting: PoolSnapshot = {
    ...aPool({ waves, dependsOn: ['base'] }).with(canary, moved),
    memory: NO_MEMORY,
  }
  const decided = (now: number) =>
    decideFleet({ pools: [waiting, pool('base', {})], policy: {}, controls: {} }, now).get('workers')

  expect(decided(noon)?.wakeAt).toBe(noon + minute)
  expect(decided(noon + minute)?.status.nodes.byPhase).toEqual({ Current: 1, Waiting: 1 })
})

test('a pool begins in the pass in which the one that it depends on completes the commit', () => {
  const base = pool('base', { since: noon - 9 * minute }, [aNode('base-0').on('new', { at: noon - 8 * minute })])

  expect(takenIn(workers(), base)).toEqual({ base: [], workers: ['workers-0'] })
})

test('a pool stays with what it has when the completion of the one that it depends on is not written', () => {
  const base = pool('base', { since: noon - 9 * minute }, [aNode('base-0').on('new', { at: noon - 8 * minute })])
  const unwritten = new Map([['base', 'whose completion of it is not written yet']])
  const decided = decideFleet({ pools: [workers(), base], policy: {}, controls: {}, unwritten }, noon).get('workers')
  if (!decided) throw new Error('no decision')

  expect(selected(decided)).toEqual([])
  expect(condition(decided, 'Reconciling')?.message).toBe(
    '1 of 1 nodes are at older; new waits for "base", whose completion of it is not written yet',
  )
})

test('a commit that does not change the dependency has been completed there', () => {
  expect(takenIn(workers(), pool('base', { head: 'older' }))).toEqual({ base: [], workers: ['workers-0'] })
})

test('a pool that depends on one without nodes does not wait for it', () => {
  expect(takenIn(workers(), pool('base', {}, []))).toEqual({ base: [], workers: ['workers-0'] })
})

test('a pool waits for one whose every node another pool claims, too, and says so', () => {
  const contested = ['node "base-0" is selected by pools "base" and "gpu"']
  const decided = decisions(workers(), { ...pool('base', {}, []), contested }).get('workers')

  expect(decided && selected(decided)).toEqual([])
  expect(decided && condition(decided, 'Reconciling').message).toBe(
    '1 of 1 nodes are at older; new waits for "base", whose nodes other pools select, too',
  )
})

test('a pool waits for the dependencies of its dependencies, though these are not changed', () => {
  const middle = pool('middle', { head: 'older', dependsOn: ['base'] })

  expect(takenIn(pool('workers', { dependsOn: ['middle'] }), middle, pool('base', {}))).toEqual({
    base: ['base-0'],
    middle: [],
    workers: [],
  })
})

test.each(['Rollback', 'Halt'] as const)(
  'a pool is stalled when the commit failed where it depends on, after %s',
  (onFailure) => {
    const base = pool('base', { rejected: ['new'], onFailure })
    const decision = decisions(workers(), base).get('workers')
    if (!decision) throw new Error('no decision')

    expect(selected(decision)).toEqual([])
    expect(condition(decision, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'WaitingForDependency',
      message: 'new waits for "base", where it failed',
    })
  },
)

const staging = { pool: 'staging/workers', failed: false }

test('a pool waits for a pool of another cluster, and so do those that depend on it', () => {
  const base = { ...pool('base', {}), awaitedClusters: [staging] }
  const decision = decisions(workers(), base).get('workers')

  expect(takenIn(workers(), base)).toEqual({ base: [], workers: [] })
  expect(decision && condition(decision, 'Reconciling')?.message).toContain(
    'new waits for "staging/workers", which has not completed it, and for "base", which has not completed it',
  )
})

test('a pool that waits for another cluster says why, and is stalled when the commit failed there', () => {
  const waiting = { ...pool('workers', {}), awaitedClusters: [{ ...staging, failed: true, why: 'where it failed: s-0' }] }
  const decision = decisions(waiting).get('workers')

  expect(decision && condition(decision, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'WaitingForDependency',
    message: 'new waits for "staging/workers", where it failed: s-0',
  })
})

test('a pool that goes back to what it completed does not wait for another cluster', () => {
  const back = pool('workers', { head: 'older', history: [] }, [aNode('workers-0').on('bad')])

  expect(takenIn({ ...back, awaitedClusters: [staging] }).workers).toEqual(['workers-0'])
})

test('a pool that has begun goes on, whatever becomes of the one that it depends on', () => {
  expect(takenIn(workers({ since: noon - minute }), pool('base', { rejected: ['new'] })).workers).toEqual(['workers-0'])
})

test('a pool that goes back to what it completed waits for nobody', () => {
  const back = pool('workers', { head: 'older', dependsOn: ['base'], history: [] }, [aNode('workers-0').on('bad')])

  expect(takenIn(back, pool('base', { head: 'other' })).workers).toEqual(['workers-0'])
})

test('a new pool with a dependency gets nothing until that has completed the commit, pass after pass', () => {
  const fresh = { ...aPool({ dependsOn: ['base'] }).with(aNode('workers-0')), name: 'workers' }
  const first = decisions(fresh, pool('base', {})).get('workers')
  if (!first) throw new Error('no decision')
  const second = decisions({ ...fresh, memory: first.status }, pool('base', {})).get('workers')

  expect(first.actions).toEqual([])
  expect(second?.actions).toEqual([])
  expect(second?.status.history).toEqual([])
})

test('each pool is decided after those that it depends on, whatever the order of the pools', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const order = fc.shuffledSubarray(names, { minLength: 5 })
  /** Each may depend on those that come later in the alphabet, so there is no circle. */
  const edges = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 8 })
  fc.assert(
    fc.property(order, edges, (shuffled, pairs) => {
      const on = (name: string) =>
        pairs.filter(([from, to]) => from < to && names[from] === name).map(([, to]) => names[to] ?? '')
      const pools = shuffled.map((name) => pool(name, { dependsOn: on(name) }, nodes(`${name}-0`)))
      const decided = [...decisions(...pools).keys()]
      expect(decided.toSorted()).toEqual(names)
      for (const name of names) for (const other of on(name)) expect(decided.indexOf(other)).toBeLessThan(decided.indexOf(name))
    }),
  )
})

/** `b` depends on `a`, was halted by a commit before the newest, and its broken node uses up what the fleet may have down. */
function deadlock(broken: NodeView, options: PoolOptions = {}) {
  const history = [aRollout('bad', { result: 'Halted', startedAt: noon - 20 * minute })]
  const b = pool('b', { dependsOn: ['a'], stable: 'older', rejected: ['bad'], onFailure: 'Halt', history, ...options }, [
    broken,
    aNode('b-1').on('older'),
  ])
  const a = pool('a', {}, [aNode('a-0').on('older')])
  return decideFleet({ pools: [a, b], policy: { maxUnavailable: { count: 1 } }, controls: {} }, noon)
}

const fallen = aNode('b-0')
  .assignedTo('bad', { at: noon - 15 * minute })
  .reporting('Failed', { active: 'bad' })
  .notReady(noon - 14 * minute)

test('a node that a halted commit left down gets what is proven once a newer commit waits, so that two pools do not keep each other from going on', () => {
  const decisions = deadlock(fallen)
  const b = decisions.get('b')

  expect([...decisions.values()].flatMap(assignments)).toEqual(['b-0 → older'])
  expect(b && condition(b, 'Stalled')).toMatchObject({
    reason: 'Halted',
    message:
      'bad failed; broken nodes are repaired with older, no other node changes; new waits for "a", which has not completed it; ' +
      'push a fix or a revert; to go back now: nodewave rollback b --to older (or kubectl annotate --overwrite nwp/b nodewave.io/rollback=older)',
  })
})

const onBad = aNode('b-0').assignedTo('bad', { at: noon - 20 * minute })
const unproved = onBad.reporting('Applied').noting('Failed')

test.each<[string, NodeView]>([
  ['on which no pod runs', unproved],
  ['that its agent could not restore', onBad.reporting('Failed', { active: 'bad' })],
  ['whose work is overdue', onBad.reporting('Applying')],
])('a Ready node %s gets what is proven once a newer commit waits for the halted one', (_, broken) => {
  expect([...deadlock(broken).values()].flatMap(assignments)).toEqual(['b-0 → older'])
})

test('a node on which no pod runs stays cordoned while it is repaired', () => {
  const { actions } = deadlock(unproved.drainedFor('bad', { at: noon - 21 * minute })).get('b') ?? expect.fail()

  expect(actions.map(({ kind }) => kind)).toEqual(['assign'])
})

test('a halted pool begins no drain for a repair', () => {
  const drained = unproved.drainedFor('bad', { at: noon - minute })
  const actions = (node: NodeView) => [...deadlock(node, { drain: 'Always' }).values()].flatMap((decision) => decision.actions)

  expect(actions(unproved)).toEqual([])
  expect(actions(drained)).toEqual([])
})

test('a halted pool says which broken node it does not repair, since that needs a drain', () => {
  const told = (options: PoolOptions) => {
    const decision = deadlock(unproved, options).get('b')
    return decision && condition(decision, 'Stalled').message
  }

  expect(told({ drain: 'Always' })).toMatch(
    /^bad failed; broken nodes are repaired with older, but not those that need a drain first \("b-0"\), no other node changes;/,
  )
  expect(told({})).toMatch(/^bad failed; broken nodes are repaired with older, no other node changes;/)
})

test('a node on which no pod runs is repaired without another drain when it is cordoned since the one for what it has', () => {
  const drained = unproved.drainedFor('bad', { at: noon - 21 * minute })
  const { actions } = deadlock(drained, { drain: 'Always' }).get('b') ?? expect.fail()

  expect(actions.map(({ kind }) => kind)).toEqual(['assign'])
})

test('a halted pool leaves nodes alone that serve, as long as no newer commit waits, and while it is paused', () => {
  expect([...deadlock(onBad.reporting('RolledBack', { active: 'older' })).values()].flatMap(selected)).toEqual(['a-0'])
  expect([...deadlock(fallen, { head: 'bad' }).values()].flatMap(assignments)).toEqual([])
  expect([...deadlock(fallen, { controls: { paused: '' } }).values()].flatMap(assignments)).toEqual([])
})

test('what a commit has left down goes back outside the windows, unless that is to wait', () => {
  const windows = [{ action: 'deny', schedule: '0 0 * * *', duration: 24 * hour, timeZone: 'UTC' }] as const

  expect([...deadlock(fallen, { windows }).values()].flatMap(assignments)).toEqual(['b-0 → older'])
  expect([...deadlock(fallen, { windows, rollbackOutsideWindows: false }).values()].flatMap(assignments)).toEqual([])
})

test('two pools that keep each other from going on, where nothing is proven, say so, and what helps', () => {
  const decisions = deadlock(fallen, { rejected: ['bad', 'older'] })
  const [a, b] = [decisions.get('a'), decisions.get('b')]
  if (!a || !b) throw new Error('no decision')

  expect([...decisions.values()].flatMap(selected)).toEqual([])
  expect(condition(a, 'Reconciling')).toMatchObject({
    status: 'True',
    reason: 'WaitingForBudget',
    message:
      '0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is used up by "b-0" of "b", which waits for this pool: repair them, ' +
      'or raise maxUnavailable of the Fleet',
  })
  expect(condition(b, 'Stalled')).toMatchObject({
    reason: 'Halted',
    message: 'bad failed; no node changes; new waits for "a", which has not completed it; push a fix or a revert',
  })
})

test('a pool that waits for the budget of the fleet names no rollback of a pool that has completed nothing: it would be refused', () => {
  const history = [
    aRollout('bad', { result: 'Halted', startedAt: noon - 20 * minute }),
    aRollout('older', { result: 'Superseded', startedAt: noon - hour }),
  ]
  const unproven = aPool({ dependsOn: ['a'], rejected: ['bad'], history }).with(fallen, aNode('b-1').on('older'))
  const b = { ...unproven, name: 'b' }
  const a = pool('a', {}, [aNode('a-0').on('older')])
  const decide = (controls: PoolSnapshot['controls']) =>
    decideFleet({ pools: [a, { ...b, controls }], policy: { maxUnavailable: { count: 1 } }, controls: {} }, noon)
  const told = decide({}).get('a')

  expect(decide({ rollback: '' }).get('b')?.status).not.toHaveProperty('rollback')
  expect(told && condition(told, 'Ready').message).toContain('"b-0" of "b", which waits for this pool: repair them, or raise')
})

test('a node whose work is overdue is named as who uses up the budget of the fleet, though its agent says that it goes on', () => {
  const hung = (minutes: number) =>
    aNode('b-0')
      .assignedTo('bad', { at: noon - minutes * minute })
      .reporting('Applying')
      .cordoned()
  const waitOf = (minutes: number) => {
    const a = deadlock(hung(minutes)).get('a')
    return a && condition(a, 'Reconciling').message
  }

  expect(waitOf(15)).toBe(
    '0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is used up by "b-0" of "b", which waits for this pool: repair them, ' +
      'or nodewave rollback b, or raise maxUnavailable of the Fleet',
  )
  expect(waitOf(14)).toBe('0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is shared with "b"')
})

test('the deadlock ends when a person rolls the halted pool back: the broken node is mended first', () => {
  const decisions = deadlock(fallen, { controls: { rollback: 'older' } })

  expect([...decisions.values()].flatMap(assignments)).toEqual(['b-0 → older'])
})

test('a pool that waits for the budget of the fleet names the pool that has it, and no node, while work goes on', () => {
  const a = deadlock(aNode('b-0').assignedTo('bad', { at: noon - minute })).get('a')

  expect(a && condition(a, 'Reconciling').message).toBe(
    '0 of 1 nodes are at new; 1 wait for the budget; the fleet\'s budget is shared with "b"',
  )
})

const lost = (node: NodeView) => ({ ...workers({}), nodes: [node], memory: NO_MEMORY })
const assignedBy = (owner: string, revision = 'new') => aNode('workers-0').on('new', { at: noon - minute, pool: owner, revision })

test('a pool whose status was lost goes on with a commit that it assigned to a node', () => {
  const decision = decisions(lost(assignedBy('workers')), pool('base', {})).get('workers')

  expect(decision?.status.target?.revision).toBe('new')
})

test('a pool whose status was lost waits for its dependency though a node moved in with the content', () => {
  const decision = decisions(lost(assignedBy('gpu')), pool('base', {})).get('workers')

  expect(decision && condition(decision, 'Ready').reason).toBe('WaitingForDependency')
})

test('a pool whose status was lost waits for its dependency though an older commit left a node at the content', () => {
  const decision = decisions(lost(assignedBy('workers', 'older')), pool('base', {})).get('workers')

  expect(decision && condition(decision, 'Ready').reason).toBe('WaitingForDependency')
})

test('a pool without a status that waits for another one counts what failed at its content, as time goes on, too', () => {
  const failed = aNode('a').rolledBackFrom('new', { at: noon - minute, revision: 'earlier' })
  const lost = { ...aPool({ head: 'new', dependsOn: ['base'] }).with(failed), memory: NO_MEMORY }
  const phasesAt = (now: number) =>
    decideFleet({ pools: [lost, pool('base', {})], policy: {}, controls: {} }, now).get('workers')?.status.nodes.byPhase

  expect([phasesAt(noon - minute), phasesAt(noon)]).toEqual([{ Failed: 1 }, { Failed: 1 }])
})

test('a pool whose rollback is lost has not begun with the newest commit, and waits for its dependencies when the rollback ends', () => {
  const asked = { ...pool('workers', { dependsOn: ['base'], stable: 'older', controls: { rollback: 'older' } }) }
  const elsewhere = decisions(asked, pool('base', {})).get('workers')
  if (!elsewhere) throw new Error('no decision')
  const lost = decisions({ ...asked, memory: elsewhere.status, known: new Map() }, pool('base', {})).get('workers')
  if (!lost) throw new Error('no decision')
  expect(condition(lost, 'Stalled').message).toContain('older can no longer be rendered')
  const { controls: _, ...resumed } = asked
  const decision = decisions({ ...resumed, controls: {}, memory: lost.status }, pool('base', {})).get('workers')
  if (!decision) throw new Error('no decision')

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Reconciling').reason).toBe('WaitingForDependency')
})

test('a pool without a status whose rollback is lost has not begun with the newest commit either', () => {
  const asked = pool('workers', { dependsOn: ['base'], controls: { rollback: 'older' } })
  const lost = decisions({ ...asked, memory: NO_MEMORY, known: new Map() }, pool('base', {})).get('workers')
  if (!lost) throw new Error('no decision')
  expect(condition(lost, 'Stalled').message).toContain('older can no longer be rendered')
  const decision = decisions({ ...asked, controls: {}, memory: lost.status }, pool('base', {})).get('workers')
  if (!decision) throw new Error('no decision')

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Reconciling').reason).toBe('WaitingForDependency')
})
