import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import { assignments, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRevision, aRollout } from '../builders/revisions.ts'

const canary = [aWave('canary', 1, { soak: 10 * minute })]

test('a commit that renders the same as one that failed is not tried', () => {
  const pool = aPool({ head: 'bad', commit: 'c0ffee1', stable: 'older', rejected: ['bad'] }).with(aNode('a').on('older'))

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(decision.status.target?.revision).toBe('older')
  expect(decision.status.conditions[2]?.message).toContain('c0ffee1 renders the same as bad, which failed')
})

test('a return to what the pool has run before skips canary and soak, and keeps the budget', () => {
  const history = [
    aRollout('bad', { result: 'Completed' }),
    aRollout('good', { result: 'Completed', startedAt: noon - 2 * hour }),
  ]
  const pool = aPool({ head: 'good', stable: 'bad', history, waves: canary, maxUnavailable: 2 }).with(
    ...nodes('a', 'b', 'c').map((node) => node.on('bad')),
  )

  const decision = decide(pool, noon)

  expect(selected(decision)).toHaveLength(2)
  expect(decision.status.wave).toEqual({ index: 1, count: 1, name: 'all', opened: ['all'] })
})

/** Each content completes in turn; two hours pass between them. */
function historyOf(...contents: readonly string[]): Decision['status']['history'] {
  let memory: Decision['status'] | undefined
  for (const [index, head] of contents.entries()) {
    const done = aPool({ head }).with(aNode('a').on(head, { at: noon - 20 * hour + index * 2 * hour }))
    const known = new Map(contents.map((content) => [content, aRevision(content, done.nodes)]))
    for (const at of [0, minute]) {
      const pool = { ...done, known, memory: memory ?? done.memory }
      memory = decide(pool, noon - 20 * hour + index * 2 * hour + at).status
    }
  }
  return memory?.history ?? []
}

test('content that the pool went back from comes wave by wave when it is pushed again', () => {
  const history = historyOf('good', 'leaking', 'good')
  const pool = aPool({ head: 'leaking', stable: 'good', history, waves: canary }).with(
    ...nodes('a', 'b').map((node) => node.on('good')),
  )

  expect(history.map(({ revision, result, abandoned }) => [revision, result, abandoned])).toEqual([
    ['good', 'Completed', undefined],
    ['leaking', 'Completed', true],
    ['good', 'Completed', undefined],
  ])
  expect(decide(pool, noon).status.wave).toEqual({ index: 1, count: 2, name: 'canary', opened: ['canary'] })
})

test('a return past several contents takes the proof of each, and none of what came before', () => {
  const history = historyOf('older', 'good', 'leaking', 'mended', 'good')

  expect(history.map(({ revision, abandoned = false }) => `${revision} ${abandoned}`)).toEqual([
    'good false',
    'mended true',
    'leaking true',
    'good false',
    'older false',
  ])
})

test('a return is fast again after the content that it leaves had come back wave by wave', () => {
  const history = historyOf('good', 'leaking', 'good', 'leaking')
  const pool = aPool({ head: 'good', stable: 'leaking', history, waves: canary }).with(
    ...nodes('a', 'b').map((node) => node.on('leaking')),
  )

  expect(history.map(({ revision, abandoned = false }) => `${revision} ${abandoned}`)).toEqual([
    'leaking false',
    'good false',
    'leaking true',
    'good false',
  ])
  expect(decide(pool, noon).status.wave?.name).toBe('all')
})

test('content that never completed is no return', () => {
  const history = [aRollout('newer', { result: 'Completed' }), aRollout('unfinished', { result: 'Superseded' })]
  const pool = aPool({ head: 'unfinished', stable: 'newer', history, waves: canary }).with(
    ...nodes('a', 'b').map((node) => node.on('newer')),
  )

  expect(decide(pool, noon).status.wave).toEqual({ index: 1, count: 2, name: 'canary', opened: ['canary'] })
})

test('a commit that changes nothing here carries the run on under its name', () => {
  const pool = aPool({ head: 'new', commit: 'c0ffee1', stable: 'older', since: noon - minute, waves: canary }).with(
    aNode('a').on('new', { at: noon - minute }),
    aNode('b').on('older'),
  )

  const { status } = decide(pool, noon)

  expect(status.target?.revision).toBe('c0ffee1')
  expect(status.history.map(({ revision, result }) => `${revision} ${result}`)).toEqual(['new Running', 'older Completed'])
})

test('a pool whose stable revision can be rendered no more halts instead of rolling back', () => {
  const pool = aPool({ head: 'bad', stable: 'older', since: noon - minute }).with(aNode('a').rolledBackFrom('bad'))

  expect(verdict(decide({ ...pool, known: new Map() }, noon)).Stalled).toBe('True Halted')
})

test('nodes that join are not given a stable content that has failed since', () => {
  const pool = aPool({ head: 'fix', stable: 'older', rejected: ['older'], waves: canary }).with(
    aYoungNode('fresh'),
    aNode('a').on('older'),
  )

  expect(assignments(decide(pool, noon))).toHaveLength(1)
  expect(assignments(decide(pool, noon))[0]).toMatch(/ → fix$/)
})

test('a halted pool goes on with what it had when a rejected content is pushed again', () => {
  const pool = aPool({ head: 'bad', stable: 'older', rejected: ['bad'], onFailure: 'Halt' }).with(
    aNode('a').on('older'),
    aNode('b'),
  )
  const at = { ...pool, memory: { ...pool.memory, target: aRef('older') } }

  expect(assignments(decide(at, noon))).toEqual(['b → older'])
})
