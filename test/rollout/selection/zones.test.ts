import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

const inA = (name: string) => aNode(name).on('older').inZone('zone-a')
const inB = (name: string) => aNode(name).on('older').inZone('zone-b')

function selected(nodes: readonly ReturnType<typeof inA>[], options: PoolOptions = {}): string[] {
  const pool = aPool({ stable: 'older', since: noon - minute, zones: 'OneAtATime', ...options }).with(...nodes)
  return decide(pool, noon)
    .actions.flatMap((action) => ('node' in action && action.kind !== 'evict' ? [action.node] : []))
    .toSorted()
}

test('one zone at a time takes nodes of the first zone alone', () => {
  expect(selected([inA('a1'), inA('a2'), inB('b1')])).toEqual(['a1', 'a2'])
  expect(selected([inA('a1'), inA('a2'), inB('b1')], { zones: 'Any' })).toEqual(['a1', 'a2', 'b1'])
})

test('one zone at a time takes no node of another zone while one of the first is at work, or cordoned by us', () => {
  const atWork = aNode('a1')
    .assignedTo('new', { at: noon - minute })
    .inZone('zone-a')
  const cordoned = inA('a1').drainedFor('new')
  const proved = aNode('a1')
    .on('new', { at: noon - 30_000 })
    .inZone('zone-a')

  expect(selected([atWork, inB('b1')])).toEqual([])
  expect(selected([cordoned, inB('b1')], { disruption: 'drain', pods: { a1: [aPod('x')] } })).toEqual([])
  expect(selected([proved, inB('b1')])).toEqual(['b1'])
})

const given = aNode('a1').assignedTo('new', { at: noon - 3 * minute })

/** What is selected beside this node, whose failure the pool bears. */
function selectedBeside(node: ReturnType<typeof inA>): string[] {
  const options: PoolOptions = { since: noon - 3 * minute, maxFailures: 1, waves: [aWave('all', '100%', { soak: 5 * minute })] }
  return selected([node.inZone('zone-a'), inB('b1'), inB('b2')], options)
}

test('one zone at a time takes no node of another zone while one of the first is unavailable by what the rollout did to it', () => {
  expect(selectedBeside(given.reporting('Failed'))).toEqual([])
  expect(selectedBeside(given.reporting('Failed').notReady(noon - 2 * minute))).toEqual([])
  expect(selectedBeside(given.reporting('Applied').notReady(noon - 2 * minute))).toEqual([])
})

test('one zone at a time lets another zone begin when the failed node of the first was rolled back, or was down before', () => {
  const down = aNode('a1').notReady(noon - 9 * minute)

  expect(selectedBeside(given.reporting('RolledBack', { active: 'older' }))).toEqual(['b1', 'b2'])
  expect(selectedBeside(down.assignedTo('new', { at: noon - 3 * minute }).reporting('Failed'))).toEqual(['b1', 'b2'])
})

test('one zone at a time lets another zone begin when the failed node of the first was put back, and somebody cordoned it', () => {
  const putBack = given.reporting('RolledBack', { active: 'older' })

  expect(selectedBeside(putBack.cordoned())).toEqual(['b1', 'b2'])
  expect(selectedBeside(given.reporting('Failed').cordoned())).toEqual([])
})

test('one zone at a time lets what is unavailable anyway be mended in any zone', () => {
  const atWork = aNode('a1')
    .assignedTo('new', { at: noon - minute })
    .inZone('zone-a')
  const broken = aNode('b1').rolledBackFrom('bad').notReady().inZone('zone-b')

  expect(selected([atWork, broken, inB('b2')])).toEqual(['b1'])
})

test('one zone at a time takes no node of another zone while pods leave one of the first that somebody cordoned', () => {
  const drained = inA('a1').drainedFor('new', { state: 'Found' })
  const options: PoolOptions = { disruption: 'drain', cordoned: 'Change', pods: { a1: [aPod('x')] } }

  expect(selected([drained, inB('b1')], options)).toEqual([])
  expect(selected([drained, inB('b1').cordoned()], options)).toEqual([])
  expect(selected([drained, inA('a2').cordoned()], options)).toEqual(['a2'])
})

test('one zone at a time takes nodes that somebody cordoned, and others, of one zone alone', () => {
  expect(selected([inA('a1').cordoned(), inB('b1')], { cordoned: 'Change' })).toEqual(['a1'])
  expect(selected([inA('a1'), inB('b1').cordoned(), inB('b2')], { cordoned: 'Change' })).toEqual(['b1', 'b2'])
  expect(selected([inA('a1').cordoned(), inB('b1').cordoned()], { cordoned: 'Change' })).toEqual(['a1'])
  expect(selected([inA('a1').cordoned(), inB('b1')], { cordoned: 'Change', zones: 'Any' })).toEqual(['a1', 'b1'])
})

test('one zone at a time begins with nodes that somebody cordoned, and so takes them also when they use up the budget', () => {
  const options: PoolOptions = { cordoned: 'Change', stable: 'older', since: noon - minute, zones: 'OneAtATime' }
  const members = [inA('a1'), inB('b1').cordoned()]
  const fleet = { pools: [aPool(options).with(...members)], policy: { maxUnavailable: { count: 1 } }, controls: {} }

  expect(selected(members, { cordoned: 'Change', maxUnavailable: 1 })).toEqual(['b1'])
  expect(decideFleet(fleet, noon).get('workers')?.actions).toMatchObject([{ kind: 'assign', node: 'b1' }])
})

test('one zone at a time takes a node whose drain was given up after all others, also of another zone', () => {
  const options: PoolOptions = { disruption: 'drain', drain: { onTimeout: 'Skip' }, pods: { a3: [aPod('x')] } }
  const skippedIn = (zone: string, name: string, ago: number) =>
    aNode(name)
      .on('older')
      .inZone(zone)
      .drainedFor('new', { at: noon - ago, state: 'Skipped' })
  const skipped = [skippedIn('zone-a', 'a1', 15 * minute), skippedIn('zone-a', 'a2', 16 * minute)]
  const drained = inA('a3').drainedFor('new')

  expect(selected([...skipped, drained, inB('b1')], options)).toEqual([])
  expect(selected([...skipped, inB('b1')], options)).toEqual(['b1'])
  expect(selected([...skipped, drained, skippedIn('zone-b', 'b1', 17 * minute)], options)).toEqual([])
  expect(selected([...skipped, drained, skippedIn('zone-b', 'b1', 15.5 * minute)], options)).toEqual(['a2'])
  expect(selected([...skipped, drained], options)).toEqual(['a1', 'a2'])
  expect(selected([...skipped, drained, inB('b1')], { ...options, zones: 'Any' })).toEqual(['a1', 'a2', 'b1'])
})

test('one zone at a time takes no node of another zone while one of the first is down since its drain, but when that was for an older commit, and long ago', () => {
  const options: PoolOptions = { disruption: 'drain', waves: [aWave('canary', { tier: 'canary' })], pods: { a1: [aPod('x')] } }
  const canary = inB('b1').labelled({ tier: 'canary' })
  const down = (since: number) => inA('a1').notReady(since).drainedFor('an older commit')
  const long = noon - 15 * minute

  expect(selected([down(long + 1), canary], options)).toEqual([])
  expect(selected([inA('a1').drainedFor('new').notReady().labelled({ tier: 'canary' }), canary], options)).toEqual([])
  expect(selected([down(long), canary], options)).toEqual(['b1'])
  expect(selected([down(long), canary], { ...options, waves: [aWave('canary', 1)] })).toEqual(['b1'])
})

test('an outage in one zone does not keep the others from their turn', () => {
  const down = aNode('a1')
    .notReady(noon - 30 * minute)
    .assignedTo('new', { at: noon - minute })
    .inZone('zone-a')

  expect(selected([down, inB('b1')])).toEqual(['b1'])
})
