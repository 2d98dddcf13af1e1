import { expect, test } from 'vitest'
import { assessPool } from '../../src/rollout/assess-pool.ts'
import type { NodeView } from '../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { scatteredOrder } from '../../src/rollout/reuse-assessment.ts'
import { hour, minute, noon } from './builders/instants.ts'
import { aNode, nodes } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool } from './builders/pools.ts'
import { aRollout, wantedConfig } from './builders/revisions.ts'

const pool = aPool().with(...nodes('a', 'b', 'c'))
const last = assessPool(pool, noon)

function orderOf(changed: PoolSnapshot) {
  return { kept: scatteredOrder(changed, last), fresh: scatteredOrder(changed, undefined) }
}

test('scatteredOrder keeps the order while a pool has nodes of the same names', () => {
  const again = aPool().with(...nodes('a', 'b', 'c'))

  expect(scatteredOrder(pool, last)).toBe(last.order)
  expect(scatteredOrder(again, last)).toBe(last.order)
})

test.each([
  ['one node of three has another name', aPool().with(...nodes('a', 'b', 'd'))],
  ['all nodes have other names', aPool().with(...nodes('x', 'y', 'z'))],
  ['a node left', aPool().with(...nodes('a', 'b'))],
  ['a node came', aPool().with(...nodes('a', 'b', 'c', 'd'))],
  ['the same names belong to another pool', { ...pool, name: 'gpu' }],
])('scatteredOrder is made again when %s', (_, changed) => {
  const { kept, fresh } = orderOf(changed)

  expect(kept).not.toBe(last.order)
  expect(kept).toEqual(fresh)
})

const older = aPool({ stable: 'older', since: noon - hour }).with(...nodes('a', 'b').map((node) => node.on('older')))
const assessed = assessPool(older, noon)
const factsAfter = (changed: PoolSnapshot) => assessPool(changed, noon + 1, assessed).facts

/** Of other objects with the same content. */
const rendered = (content: string) => new Map(older.nodes.map(({ name }) => [name, wantedConfig({ digest: content })]))
const sameTargets = new Map(older.head.wanted)

test('an assessment takes over what it knows of nodes while their targets are the same objects', () => {
  expect(factsAfter({ ...older, head: { ...older.head, wanted: sameTargets } })).toEqual(assessed.facts)
  const facts = factsAfter({ ...older, head: { ...older.head, wanted: sameTargets } })

  expect(facts[0]).toBe(assessed.facts[0])
  expect(facts[1]).toBe(assessed.facts[1])
})

test('an assessment finds the facts of nodes again when their targets were rendered again', () => {
  const facts = factsAfter({ ...older, head: { ...older.head, wanted: rendered('newer') } })

  expect(facts[0]).not.toBe(assessed.facts[0])
  expect(facts.map(({ target }) => target)).toEqual([wantedConfig({ digest: 'newer' }), wantedConfig({ digest: 'newer' })])
})

test('an assessment finds the facts of one node again when only that one changed', () => {
  const [a, b] = older.nodes
  const facts = factsAfter({ ...older, nodes: [{ ...(a as NodeView) }, b as NodeView] })
  const kept = new Set(assessed.facts)

  expect(facts.filter((fact) => kept.has(fact)).map(({ name }) => name)).toEqual(['b'])
})

test('an assessment finds the facts of nodes again when the run is known to have another commit of equal content', () => {
  const relabelled = aNode('a')
    .on('older')
    .assignedTo('of-former-labels', { at: noon - minute, revision: 'equal' })
  const run = aRollout('new', { startedAt: noon - hour })
  const alone = aPool({ stable: 'older', history: [run] }).with(relabelled)
  const joined = { ...alone, memory: { ...alone.memory, history: [{ ...run, commits: ['equal'] }] } }
  const before = assessPool(alone, noon)

  expect(before.facts[0]?.isExposed).toBe(false)
  expect(assessPool(joined, noon + 1, before).facts[0]?.isExposed).toBe(true)
})

test('an assessment finds the facts of nodes again when an earlier try of the content is unknown to another status', () => {
  const first = aRollout('new', { result: 'Halted', startedAt: noon - hour })
  const historyWith = (more: readonly ReturnType<typeof aRollout>[]) => [aRollout('new', { startedAt: noon - minute }), ...more]
  const tried = aPool({ stable: 'older', history: historyWith([first]) }).with(aNode('a').on('new', { at: noon - 5 * minute }))
  const before = assessPool(tried, noon)
  const untried = { ...tried, memory: { ...tried.memory, history: historyWith([]) } }

  expect(before.facts.map(({ wasTried }) => wasTried)).toEqual([true])
  expect(assessPool(untried, noon + 1, before).facts.map(({ wasTried }) => wasTried)).toEqual([false])
})

test('an assessment finds the facts of a node again that is under pressure with what an earlier try brought', () => {
  const history = [
    aRollout('new', { startedAt: noon - 1000 }),
    aRollout('new', { result: 'Halted', startedAt: noon - 2 * minute }),
    aRollout('older', { result: 'Completed' }),
  ]
  // Its clock is behind.
  const tried = aNode('a')
    .on('new', { at: noon - minute, since: noon - 20 * minute })
    .under('DiskPressure', noon - 10 * minute)
  const waves = [aWave('canary', 1, { soak: 5 * minute }), aWave('rest', '100%')]
  const retried = aPool({ stable: 'older', history, waves }).with(tried, aNode('b').on('older'))
  const before = assessPool(retried, noon)
  const triedIn = ({ facts }: typeof before) => facts.filter(({ wasTried }) => wasTried).map(({ name }) => name)

  expect(triedIn(before)).toEqual([])
  expect(triedIn(assessPool(retried, noon + 5 * minute))).toEqual(['a'])
  expect(triedIn(assessPool(retried, noon + 5 * minute, before))).toEqual(['a'])
})

test('facts about a silent node are found again when its silence is over by the clocks, and a retry is stamped ahead', () => {
  const silent = aNode('a').assignedTo('new', { at: noon - 5 * minute })
  const startedAt = noon - 6 * minute
  const history = [{ ...aRollout('new', { startedAt }), retriedAt: new Date(noon + minute).toISOString() }]
  const pool = { ...aPool({ history, agentTimeout: 5 * minute + 10_000 }).with(silent), watchedSince: noon - minute / 2 }
  const before = assessPool(pool, noon)

  expect(assessPool(pool, noon + 10_000, before).facts[0]?.assigned).toBe(false)
  expect(assessPool(pool, noon + 10_000).facts[0]?.assigned).toBe(false)
})
