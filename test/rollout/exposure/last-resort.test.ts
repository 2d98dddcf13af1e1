import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, selected } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const waves = [aWave('canary', 1, { soak: minute })]
const down = (...names: string[]) => nodes(...names).map((node) => node.on('older').notReady(noon - 30 * minute))
const up = (...names: string[]) => nodes(...names).map((node) => node.on('older'))

test('a fix reaches as many dead nodes as its wave has places when they use up the budget', () => {
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 2 }).with(...down('a', 'b', 'c'), ...up('d', 'e'))

  expect(selected(decide(pool, noon)).every((name) => ['a', 'b', 'c'].includes(name))).toBe(true)
  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('no further dead node is tried while those that are do not answer', () => {
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - minute, waves, maxUnavailable: 2 }).with(
    ...down('a', 'b').map((node) => node.assignedTo('fix', { at: noon - minute })),
    ...down('c'),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toEqual([])
})

test.each(['a', 'b', 'c', 'd'])('a dead node that came back with the fix is the canary: "%s"', (back) => {
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - 5 * minute, waves, maxUnavailable: 4 }).with(
    ...down('a', 'b', 'c', 'd').map((node) => {
      const fixed = node.assignedTo('fix', { at: noon - 4 * minute })
      return node.name === back ? fixed.reporting('Applied').readyAgain(noon - 3 * minute) : fixed
    }),
    ...up('g', 'h'),
  )

  expect(decide(pool, noon).status.wave?.name).toBe('rest')
})

test('dead nodes wait for their wave while a node at work will give the budget back', () => {
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - minute, waves, maxUnavailable: 2 }).with(
    aNode('x').assignedTo('fix', { at: noon - minute }),
    ...down('a', 'b'),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toEqual([])
})

test('dead nodes wait for their wave while a node reboots for its work, until the time for that is over', () => {
  const reboots = aNode('x')
    .assignedTo('fix', { at: noon - minute })
    .reporting('Applying')
    .notReady(noon - minute / 2)
  const options = {
    head: 'fix',
    stable: 'older',
    since: noon - minute,
    waves: [aWave('canary', 3)],
    maxUnavailable: 3,
    maxFailures: 1,
  } as const
  const pool = aPool(options).with(reboots, ...down('a', 'b'), ...up('d', 'e'))

  expect(decide(pool, noon).actions).toEqual([])
  expect(decide(pool, noon + minute)).toMatchObject({ actions: [], wakeAt: noon + 14 * minute })
  expect(selected(decide(pool, noon + 14 * minute)).sort()).toEqual(['a', 'b'])
})

test.each([
  ['a', 'b'],
  ['b', 'a'],
])('a dead node gets a fix that another dead node has from an earlier try: "%s" has it', (has, lacks) => {
  const history = [
    aRollout('fix', { startedAt: noon - minute }),
    aRollout('last', { result: 'Superseded', startedAt: noon - hour }),
    aRollout('fix', { result: 'Superseded', startedAt: noon - 2 * hour }),
    aRollout('older', { result: 'Completed', startedAt: noon - 5 * hour }),
  ]
  const dead = aNode(has)
    .on('fix', { at: noon - 100 * minute })
    .notReady(noon - 30 * minute)
  const pool = aPool({ head: 'fix', stable: 'older', history, waves, maxUnavailable: 2 })

  expect(selected(decide(pool.with(dead, ...down(lacks), ...up('d', 'e')), noon))).toEqual([lacks])
})

test('a node that its agent could not restore waits for a node that reboots for its work also when the API server was away', () => {
  const reboots = aNode('x')
    .assignedTo('fix', { at: noon - 20 * minute })
    .reporting('Applying')
    .notReady(noon - 19 * minute)
  const notRestored = aNode('y')
    .assignedTo('older', { at: noon - 2 * hour })
    .reporting('Failed')
  const policy = { waves: [aWave('canary', 2)], maxUnavailable: 2, maxFailures: 1 }
  const pool = aPool({ head: 'fix', stable: 'older', since: noon - hour, ...policy }).with(reboots, notRestored, ...up('d'))
  const back = { ...pool, steadySince: noon - minute }

  expect(selected(decide(back, noon))).toEqual([])
  expect(selected(decide(back, noon + 14 * minute))).toEqual(['y'])
})

test('a node whose agent hangs keeps the stable content while one of another zone reboots for its work', () => {
  const reboots = aNode('x')
    .assignedTo('fix', { at: noon - minute })
    .reporting('Applying')
    .notReady(noon - minute / 2)
    .inZone('zone-a')
  const hung = aNode('hung')
    .assignedTo('older', { at: noon - 30 * minute })
    .reporting('Applying')
    .inZone('zone-b')
  const sound = up('d', 'e').map((node) => node.inZone('zone-b'))
  const options = {
    head: 'fix',
    stable: 'older',
    since: noon - minute,
    zones: 'OneAtATime',
    waves: [aWave('canary', 3)],
  } as const

  expect(selected(decide(aPool(options).with(reboots, hung, ...sound), noon))).toEqual([])
})

test('a node takes the place of one that cannot be paid for only when it has been down for longer than its work may take', () => {
  const blinks = aNode('a')
    .on('older')
    .notReady(noon - 14 * minute)
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 1 }).with(blinks, ...up('d', 'e'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(selected(decide(pool, noon + minute))).toEqual(['a'])
})

test('a fix reaches a node whose agent does not end the work on the stable content when it uses up the budget', () => {
  const hung = aNode('hung')
    .assignedTo('older', { at: noon - 14 * minute })
    .reporting('Applying')
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 1 }).with(hung, ...up('d', 'e'))

  expect(decide(pool, noon)).toMatchObject({ actions: [], wakeAt: noon + minute })
  expect(selected(decide(pool, noon + minute))).toEqual(['hung'])
})

test('a fix reaches a node whose agent does not end the work on the stable content when no other zone may begin before it', () => {
  const hung = aNode('hung')
    .assignedTo('older', { at: noon - 30 * minute })
    .reporting('Applying')
    .inZone('zone-b')
  const options = { head: 'fix', stable: 'older', waves, zones: 'OneAtATime', maxUnavailable: 3 } as const

  expect(selected(decide(aPool(options).with(hung, ...up('d', 'e')), noon))).toEqual(['hung'])
  expect(selected(decide(aPool({ ...options, zones: 'Any' }).with(hung, ...up('d', 'e')), noon))).toEqual(['d'])
})

test('a fix reaches a node whose agent does not end the work on the stable content when those of another zone are cordoned by somebody', () => {
  const hung = aNode('hung')
    .assignedTo('older', { at: noon - 30 * minute })
    .reporting('Applying')
    .inZone('zone-b')
  const cordoned = up('d', 'e').map((node) => node.cordoned())
  const options = { head: 'fix', stable: 'older', waves, zones: 'OneAtATime', cordoned: 'Change' } as const

  expect(selected(decide(aPool(options).with(hung, ...cordoned), noon))).toEqual(['hung'])
})

test('a node whose agent hangs is drained for the fix that takes it as a last resort, and gets it', () => {
  const hung = (name: string) =>
    aNode(name)
      .assignedTo('older', { at: noon - 30 * minute })
      .reporting('Applying')
  const members = [aNode('p').rolledBackFrom('bad', { at: noon - 20 * minute }), ...up('d')]
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 1, disruption: 'drain', pods: { c: [] } })

  expect(decide(pool.with(hung('c'), ...members), noon).actions).toMatchObject([{ kind: 'cordon', node: 'c' }])
  expect(selected(decide(pool.with(hung('c').drainedFor('fix'), ...members), noon))).toEqual(['c'])
  expect(selected(decide(pool.with(hung('a'), hung('b'), hung('c').drainedFor('fix'), ...members), noon))).toEqual(['c'])
})

const onStable = (name: string) => aNode(name).assignedTo('older', { at: noon - 30 * minute })

test.each([
  ['that its agent could not restore', (node: ReturnType<typeof onStable>) => node.reporting('Failed')],
  ['on which no pod runs', (node: ReturnType<typeof onStable>) => node.reporting('Applied').noting('Failed')],
])('a fix reaches a node %s on the stable content when it uses up the budget', (_, out) => {
  const poolWithout = (name: string) => [out(onStable(name)), ...up(...['a', 'b', 'c'].filter((other) => other !== name))]
  const selectedWithout = (name: string) =>
    selected(decide(aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 1 }).with(...poolWithout(name)), noon))

  expect(['a', 'b', 'c'].map(selectedWithout)).toEqual([['a'], ['b'], ['c']])
})

const superseded = (name: string, at = noon - minute) =>
  aNode(name).on('older').assignedTo('bad', { at }).reporting('Applying', { active: 'bad' })

test('a fix reaches the node at work on the superseded commit at once when that uses up the budget', () => {
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 1 }).with(superseded('x'), ...up('d', 'e'))

  expect(selected(decide(pool, noon))).toEqual(['x'])
})

test('a node at work on the superseded commit finishes it when a sound one can begin', () => {
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 2 }).with(superseded('x'), ...up('d'))

  expect(selected(decide(pool, noon))).toEqual(['d'])
})

test('as many nodes at work on the superseded commit get the fix as its wave has places', () => {
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 2 }).with(
    ...['x', 'y'].map((name) => superseded(name)),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toHaveLength(1)
})

test('a node at work on the superseded commit does not get the fix while a canary that has it is at work', () => {
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const options = { head: 'fix', stable: 'older', since: noon - minute, waves, wave, maxUnavailable: 1 } as const
  const canary = aNode('c')
    .on('older')
    .assignedTo('fix', { at: noon - minute })
    .reporting('Applying', { active: 'older' })

  expect(selected(decide(aPool(options).with(canary, superseded('x'), ...up('d')), noon))).toEqual([])
})

test('a node at work on the superseded commit for which the fix changes nothing takes no place of its wave', () => {
  const options = { head: 'fix', stable: 'older', waves, maxUnavailable: 1, wants: { x: { digest: 'older' } } } as const

  expect(selected(decide(aPool(options).with(superseded('x'), ...up('d')), noon))).toEqual([])
})

test('dead nodes take no place of a wave while one that is at work on the superseded commit can', () => {
  const pool = aPool({ head: 'fix', stable: 'older', waves: [aWave('canary', 2)], maxUnavailable: 2 }).with(
    superseded('x'),
    ...down('a', 'b'),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toEqual(['x'])
})

test('a node at work on the stable content finishes it though it uses up the budget', () => {
  const goesBack = aNode('x')
    .assignedTo('older', { at: noon - minute })
    .reporting('Applying', { active: 'bad' })
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 1 }).with(goesBack, ...up('d'))

  expect(selected(decide(pool, noon))).toEqual([])
})

test('a fix does not reach a node at work on the superseded commit before an operator promotes it', () => {
  const manual = [aWave('canary', 1, { manual: true })]
  const pool = aPool({ head: 'fix', stable: 'older', waves: manual, maxUnavailable: 1 }).with(superseded('x'), ...up('d'))

  expect(selected(decide(pool, noon))).toEqual([])
})

const pair = [aWave('canary', 2, { soak: minute })]

test.each([
  [
    'works on the target',
    aNode('x')
      .on('older')
      .assignedTo('fix', { at: noon - minute })
      .reporting('Applying'),
  ],
  ['is drained', aNode('x').on('older').drainedFor('fix')],
  [
    'is proved by a pod',
    aNode('x')
      .on('fix', { at: noon - minute })
      .noting('Wanted'),
  ],
])('dead nodes take no place of a wave while another node %s: it gives the budget back', (_, busy) => {
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const options = { head: 'fix', stable: 'older', since: noon - 5 * minute, waves: pair, wave, maxUnavailable: 2 } as const
  const pool = aPool({ ...options, proof: {} }).with(busy, ...down('a', 'b'), ...up('d', 'e'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(selected(decide(aPool(options).with(...down('a', 'b'), ...up('d', 'e')), noon))).toHaveLength(2)
})

test.each([
  ['a', 'b'],
  ['b', 'a'],
])('a dead node that cannot change takes no place from one that can: "%s" and "%s"', (left, changes) => {
  const cordoned = down(left).map((node) => node.cordoned())
  const options = { head: 'fix', stable: 'older', waves, maxUnavailable: 2 } as const

  expect(selected(decide(aPool(options).with(...cordoned, ...down(changes), ...up('d', 'e')), noon))).toEqual([changes])

  const unchanged = aNode(left)
    .notReady(noon - 30 * minute)
    .assignedTo('before', { at: noon - 90 * minute })
  const pool = aPool({ ...options, wants: { [left]: { digest: 'older' } } }).with(unchanged, ...down(changes), ...up('d', 'e'))
  expect(selected(decide(pool, noon))).toContain(changes)
})

test('dead nodes take places of a later wave, too, when it is open', () => {
  const wave = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] }
  const options = { head: 'fix', stable: 'older', since: noon - 30 * minute, maxUnavailable: 1 } as const
  const pool = aPool({ ...options, waves: [...waves, aWave('early', 1)], wave }).with(
    aNode('c').on('fix', { at: noon - 25 * minute }),
    ...down('a'),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

const rack = [aWave('rack', { rack: '1' }, { soak: minute })]
const stuck = (name: string) => aNode(name).assignedTo('bad', { at: noon - 30 * minute })
const member = aNode('m').labelled({ rack: '1' })

test('nobody takes a place in a wave that a selector names', () => {
  const pool = aPool({ head: 'fix', since: noon - minute, waves: rack, maxUnavailable: 1 }).with(member, stuck('a'))

  expect(selected(decide(pool, noon))).toEqual([])
  expect(condition(decide(pool, noon), 'Ready').message).toContain('used up by "a" (its agent has not finished in time)')
})

test('a node that blinks takes no place of the wave when the clock is put forward by more than work may take', () => {
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 2 }).with(
    ...down('a', 'b').map((node) => node.readyAgain(noon - hour).notReady(noon - 30 * minute)),
    ...up('d', 'e'),
  )

  expect(selected(decide(pool, noon))).toHaveLength(1)
  expect(selected(decide({ ...pool, steadySince: noon - minute }, noon))).toEqual([])
  expect(selected(decide({ ...pool, steadySince: noon - 15 * minute }, noon))).toHaveLength(1)
})

test('the controller wakes when a machine whose kubelet has never reported takes a place of the wave after the clock was put forward', () => {
  const dead = ['a', 'b'].map((name) =>
    aNode(name)
      .notReady(noon - 30 * minute)
      .running(''),
  )
  const pool = aPool({ head: 'fix', stable: 'older', waves, maxUnavailable: 2, applyTimeout: 10 * minute }).with(
    ...dead,
    ...up('d', 'e'),
  )
  const decision = decide({ ...pool, steadySince: noon - minute }, noon)

  expect(selected(decision)).toEqual([])
  expect(selected(decide({ ...pool, steadySince: noon - minute }, noon + 9 * minute))).toHaveLength(1)
  expect(decision.wakeAt).toBe(noon + 9 * minute)
})
