import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Assessment, assess, conclude } from '../../src/rollout/decide.ts'
import type { NodeFacts } from '../../src/rollout/exposure/node-facts.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { PoolSnapshot, Revision } from '../../src/rollout/model/snapshot.ts'
import { reusableMembers, scatteredOrder } from '../../src/rollout/reuse-assessment.ts'
import { budgetHolders } from '../../src/rollout/selection/budget-holders.ts'
import { propose } from '../../src/rollout/selection/propose.ts'
import { wakeAt } from '../../src/rollout/wake.ts'
import { hour, minute, noon, stamp } from './builders/instants.ts'
import { aNode, type NodeDraft } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool } from './builders/pools.ts'
import { aRevision } from './builders/revisions.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']
const waves = [aWave('canary', 1, { soak: 5 * minute }), aWave('early', '40%', { soak: minute }), aWave('rest', '100%')]
const POLICIES = [
  aPool({ waves, maxUnavailable: 2, drain: 'Always', proof: {} }).with().policy,
  aPool({
    waves,
    maxUnavailable: '50%',
    cordoned: 'Change',
    onFailure: 'Halt',
    applyTimeout: 10 * minute,
    reboot: { whenRequired: 'InWindows', timeout: minute },
  }).with().policy,
]

/** Stamps of agents and kubelets: their clocks may be ahead. */
const instant = fc
  .constantFrom(-3 * hour, -20 * minute, -10 * minute, -minute, -1000, 0, 30_000, 40 * minute)
  .map((by) => noon + by)
const content = fc.constantFrom('new', 'new', 'older', 'other')
const phase = fc.constantFrom('Applied', 'Applied', 'Applied', 'none', 'Staging', 'RolledBack', 'Replayed', 'Failed', 'Blocked')
const mostlyAbsent = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

/** Any node, whether it can come to be so or not. */
const state = fc.record({
  assigned: fc.option(fc.record({ content, at: instant, phase }), { freq: 6, nil: undefined }),
  was: mostlyAbsent(fc.constantFrom('Down' as const, 'Unsound' as const, 'Silent' as const, 'Disturbed' as const)),
  ready: mostlyAbsent(fc.record({ ready: fc.boolean(), since: instant })),
  cordon: mostlyAbsent(fc.record({ content, state: fc.constantFrom('Ours', 'Found', 'Skipped', 'Released'), at: instant })),
  isCordoned: mostlyAbsent(fc.constant(true)),
  hold: mostlyAbsent(fc.constant('a test')),
  createdAt: mostlyAbsent(instant),
  proof: mostlyAbsent(fc.constantFrom('Wanted' as const, 'Passed' as const, 'Failed' as const)),
  pressure: mostlyAbsent(instant),
  reboot: mostlyAbsent(fc.constantFrom('asked', 'askedNow', 'required', 'ordered')),
})
type State = typeof state extends fc.Arbitrary<infer T> ? T : never

const step = fc.record({
  passes: fc.constantFrom(-minute, 0, 1, 1000, 29_000, 59_000, 5 * minute, 9 * minute, 21 * minute),
  node: fc.option(fc.record({ index: fc.nat(NAMES.length - 1), state }), { freq: 2 }),
  head: mostlyAbsent(content),
  policy: mostlyAbsent(fc.nat(POLICIES.length - 1)),
  paused: mostlyAbsent(fc.boolean()),
  steadySince: mostlyAbsent(instant),
  watchedSince: mostlyAbsent(instant),
  listedAt: mostlyAbsent(instant),
  /** The status of the decision before is what the pool remembers. */
  isWritten: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const REVISIONS = new Map(['older', 'new', 'other'].map((name): [string, Revision] => [name, aRevision(name, NAMES.map(aNode))]))

test('an assessment that takes over from the last one is the same as one that does not, and members at rest are rightly passed over, whatever the nodes and the time', () => {
  fc.assert(
    fc.property(
      fc.array(state, { minLength: NAMES.length, maxLength: NAMES.length }),
      fc.array(step, { maxLength: 12 }),
      (states, steps) => {
        let [pool, now] = [start(states), noon]
        let last: Assessment | undefined
        for (const each of steps) {
          now += each.passes
          pool = after(pool, each, last)
          const assessment = assess(pool, now, last)
          expect(gistOf(assessment)).toEqual(gistOf(assess(pool, now)))
          expectNothingMissed(assessment, now)
          last = assessment
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('an assessment takes over the nodes that have not changed', () => {
  const pool = aPool({ stable: 'older', waves, since: noon - minute }).with(...NAMES.map((name) => aNode(name).on('older')))
  const first = assess(pool, noon)
  const [changed, ...others] = pool.nodes
  const nodes = [(changed as NodeDraft).reporting('Applied', { since: noon }), ...others]
  const { state } = assess({ ...pool, memory: first.memory, nodes }, noon + 1000, first)
  const taken = state.members.filter((member) => first.state.members.includes(member)).map(({ node }) => node.name)
  expect(taken.sort()).toEqual(['b', 'c', 'd', 'e'])
})

test('an assessment takes over the nodes of waves that are still to come when another one opens', () => {
  const done = (name: string) =>
    aNode(name)
      .on('new', { at: noon - hour })
      .reporting('Applied', { since: noon - hour })
  const inCanary = { waves, since: noon - 2 * hour, wave: { index: 1, count: 3, name: 'canary' } }
  const before = aPool({ stable: 'older', ...inCanary }).with(...NAMES.map((name) => aNode(name).on('older')))
  const canary = assess(before, noon).state.members.find(({ wave }) => wave === 0)?.node.name ?? ''
  const first = assess(before, noon)
  const nodes = before.nodes.map((node) => (node.name === canary ? done(canary) : node))
  const { state } = assess({ ...before, memory: first.memory, nodes }, noon + minute, first)
  const taken = state.members.filter((member) => first.state.members.includes(member))

  expect(state.open).toBe(first.state.open + 1)
  expect(taken.map(({ wave }) => wave)).toEqual([2, 2])
})

test('an assessment of a pool that has completed takes over the nodes that have not changed', () => {
  const at = noon - 2 * hour
  const done = NAMES.map((name) => aNode(name).on('new', { at }).reporting('Applied', { since: at }))
  const before = aPool({ stable: 'new', waves, since: at }).with(...done)
  const pool = { ...before, memory: assess(before, noon).memory }
  const first = assess(pool, noon)
  const { state } = assess({ ...pool, memory: first.memory }, noon + 1000, first)

  expect(first.state.rollout.state).toBe('Completed')
  expect(state.members.filter((member) => first.state.members.includes(member))).toHaveLength(NAMES.length)
})

test('an assessment looks again at a node in its soak whose agent stamps the future', () => {
  const ahead = aNode('a')
    .on('new', { at: noon - minute })
    .reporting('Applied', { since: noon + 12 * minute })
  const inCanary = { waves, since: noon - minute, wave: { index: 1, count: 3, name: 'canary' }, applyTimeout: 10 * minute }
  const pool = aPool({ stable: 'older', ...inCanary }).with(ahead, aNode('b').on('older'))
  const first = assess(pool, noon)
  const later = { ...pool, memory: first.memory }

  expect(gistOf(assess(later, noon + 3 * minute, first))).toEqual(gistOf(assess(later, noon + 3 * minute)))
})

test('an assessment looks again at a node in its soak when the clock was put back behind the beginning of the watch', () => {
  const soaking = aNode('a').on('new', { at: noon - hour })
  const inCanary = { waves, since: noon - 2 * hour, wave: { index: 1, count: 3, name: 'canary' } }
  const pool = aPool({ stable: 'older', ...inCanary }).with(soaking, aNode('b').on('older'))
  const first = assess({ ...pool, watchedSince: noon + 10 * minute }, noon)
  const later = { ...pool, watchedSince: noon + 10 * minute, memory: first.memory }

  expect(gistOf(assess(later, noon + minute, first))).toEqual(gistOf(assess(later, noon + minute)))
})

test('an assessment assigns again what an agent refused as older when a minute is over', () => {
  const error = { reason: 'AssignmentReplayed', message: 'the agent has accepted a later one' }
  const refused = aNode('a').assignedTo('new', { at: noon, counter: 5 }).reporting('RolledBack', { counter: 9, error })
  const pool = aPool({ stable: 'older', since: noon - minute }).with(refused, aNode('b').on('older'))
  const first = assess(pool, noon + 1000)
  const { proposal } = assess({ ...pool, memory: first.memory }, noon + minute, first)

  expect(proposal.requests.map(({ name }) => name)).toContain('a')
})

test('scatteredOrder is taken over while the pool has nodes of the same names, and made again for others or fewer', () => {
  const of = (names: readonly string[]) => aPool({ stable: 'older' }).with(...names.map((name) => aNode(name).on('older')))
  const last = assess(of(NAMES), noon).state

  expect(scatteredOrder(of(NAMES), last)).toBe(last.order)
  for (const names of [
    ['a', 'b', 'c'],
    ['v', 'w', 'x', 'y', 'z'],
  ])
    expect(scatteredOrder(of(names), last)).toEqual(scatteredOrder(of(names), undefined))
})

test('reusableMembers takes over no member while nodes are at their last resort, be they as many as before', () => {
  const pool = aPool({ stable: 'older', waves, since: noon - minute }).with(...NAMES.map((name) => aNode(name).on('older')))
  const { state } = assess(pool, noon)
  const [fact, member] = [state.facts[0] as NodeFacts, state.members[0]]
  const known = (now: readonly string[], before: readonly string[]) =>
    reusableMembers({ ...state, lastResort: new Set(now) }, { ...state, lastResort: new Set(before) })(fact, member?.wave, 0)

  expect(known([], [])).toBe(member)
  expect(known(['a'], ['b'])).toBeUndefined()
})

/** Were no member at rest, all of them would be looked at. */
function expectNothingMissed(assessment: Assessment, now: Instant): void {
  const { state, proposal } = assessment
  const all = { ...state, notAtRest: state.members }
  const grant = { nodes: new Set(proposal.requests.map(({ name }) => name)), lacksFleetBudget: false }
  expect(proposal).toEqual(propose(all))
  expect(assessment.wakeAt).toEqual(wakeAt(all, proposal))
  expect(assessment.holders).toEqual(budgetHolders(all).map(({ node }) => node))
  expect(conclude(assessment, grant, now)).toEqual(conclude({ ...assessment, state: all }, grant, now))
}

function gistOf({ state: { members, ...state }, ...assessment }: Assessment) {
  return { members, ...assessment, pool: undefined, waves: state.waves, open: state.open, rollout: state.rollout }
}

function start(states: readonly State[]): PoolSnapshot {
  const nodes = states.map((each, index) => nodeAs(NAMES[index] ?? '', each))
  const pool = aPool({ stable: 'older', since: noon - 5 * minute, wave: { index: 1, count: 3, name: 'canary' } }).with(...nodes)
  return { ...pool, policy: POLICIES[0] as PoolSnapshot['policy'], head: revisionOf('new'), known: REVISIONS }
}

function after(
  pool: PoolSnapshot,
  { node, head, policy, paused, steadySince, watchedSince, listedAt, isWritten }: Step,
  last: Assessment | undefined,
): PoolSnapshot {
  return {
    ...pool,
    ...(node && {
      nodes: pool.nodes.map((before, index) => (index === node.index ? nodeAs(before.name, node.state) : before)),
    }),
    ...(head && { head: revisionOf(head) }),
    ...(policy !== undefined && { policy: POLICIES[policy] as PoolSnapshot['policy'] }),
    ...(paused !== undefined && { controls: paused ? { paused: 'a test', stopDrains: true } : {} }),
    ...(steadySince !== undefined && { steadySince }),
    ...(watchedSince !== undefined && { watchedSince }),
    ...(listedAt !== undefined && { listedAt }),
    ...(isWritten && last && { memory: last.memory }),
  }
}

function revisionOf(name: string): Revision {
  return REVISIONS.get(name) ?? aRevision(name, [])
}

function nodeAs(
  name: string,
  { assigned, was, ready, cordon, isCordoned, hold, createdAt, proof, pressure, reboot }: State,
): NodeDraft {
  let node = aNode(name).withPause().booted('first')
  if (createdAt !== undefined) node = node.createdAtInstant(createdAt)
  if (assigned) node = node.assignedTo(assigned.content, { at: assigned.at })
  if (assigned && assigned.phase !== 'none')
    node =
      assigned.phase === 'Replayed'
        ? node.reporting('RolledBack', { error: { reason: 'AssignmentReplayed', message: 'a test' } })
        : node.reporting(assigned.phase as 'Applied', sinceOf(assigned.at + 20_000, assigned.phase))
  if (reboot === 'asked' || reboot === 'askedNow')
    node = node.toReboot('first', { at: stamp(reboot === 'asked' ? noon - hour : noon) })
  if (reboot === 'required' && node.status) node = node.requiringReboot('first')
  if (reboot === 'ordered' && assigned) node = node.orderedToReboot(assigned.content, { boot: 'first' }, { at: assigned.at })
  if (was !== undefined) node = node.assignedWhile(was)
  if (cordon) node = node.drainedFor(cordon.content, { at: cordon.at, state: cordon.state as 'Ours' })
  if (isCordoned === true) node = node.cordoned()
  if (proof) node = node.noting(proof, { ...(proof === 'Failed' && { message: 'a test' }) })
  if (pressure !== undefined) node = node.under('DiskPressure', pressure)
  if (ready) node = ready.ready ? node.readyAgain(ready.since) : node.notReady(ready.since)
  return hold === undefined ? node : node.held(hold)
}

function sinceOf(since: Instant, phase: string): { readonly since: Instant; readonly needs?: 'drain' } {
  return phase === 'Blocked' ? { since, needs: 'drain' } : { since }
}
