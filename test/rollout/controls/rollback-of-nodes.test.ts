import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRevision, aRollout } from '../builders/revisions.ts'

const onGood = nodes('a', 'b').map((node) => node.on('good', { at: noon - minute }))

/** A pool without a status: `bad` is the newest commit, and an operator asks for a rollback. */
function aLostPool(rollback: string, { members = onGood, ...more }: Partial<PoolSnapshot> & { members?: typeof onGood } = {}) {
  const pool = aPool({ head: 'badcommit', controls: { rollback } }).with(...members)
  const known = new Map(['good', 'goodcommit', 'older'].map((name) => [name, aRevision(name, members)]))
  return { ...pool, known, ...more }
}

test.each(['good', ''])('a pool without a status goes where its nodes were assigned when the rollback says "%s"', (asked) => {
  const { status, actions } = decide(aLostPool(asked), noon)

  expect(status.rollback).toMatchObject({ to: aRef('good'), from: aRef('badcommit') })
  expect(status.target).toEqual(aRef('good'))
  expect(actions).toEqual([])
})

test('a pool without a status goes where it assigned a node last when the rollback names no commit', () => {
  const held = aNode('a')
    .on('older', { at: noon - 9 * minute })
    .held()
  const { status } = decide(aLostPool('', { members: [held, ...onGood.slice(1)] }), noon)

  expect(status.rollback?.to).toEqual(aRef('good'))
})

test('a pool without a status goes to the contents of a commit that it assigned last', () => {
  const members = [aNode('a').on('goodone+1', { at: noon - 9 * minute }), aNode('b').on('goodone+2', { at: noon - minute })]
  const { status } = decide(
    aLostPool('goodone', { members, known: new Map([['goodone+2', aRevision('goodone+2', members)]]) }),
    noon,
  )

  expect(status.rollback?.to).toEqual(aRef('goodone+2'))
})

test('a pool without a status halts when the content of its rollback has failed there', () => {
  const pool = aLostPool('good')
  const decision = decide({ ...pool, memory: { ...pool.memory, rejected: [aRef('good')] } }, noon)

  expect(condition(decision, 'Stalled').reason).toBe('Halted')
  expect(assignments(decision)).toEqual([])
})

test('a pool without a status halts when what its nodes were assigned cannot be rendered', () => {
  const decision = decide(aLostPool('good', { known: new Map() }), noon)

  expect(condition(decision, 'Stalled').message).toContain('good can no longer be rendered; no node changes')
  expect(decision.status.rollback?.to).toEqual({ revision: 'good', fingerprint: '' })
  const later = decide({ ...aLostPool('good'), memory: decision.status }, noon + minute)
  expect(later.status.rollback?.to).toEqual(aRef('good'))
  expect(later.status.target).toEqual(aRef('good'))
})

/** `next` is the newest commit, and nodes are at `present`. */
const past = [aRollout('present', { result: 'Completed' })]

test('a pool that knows nothing of a commit goes back to it when it assigned it to a node', () => {
  const members = [aNode('a').on('badcommit'), aNode('b').on('good')]
  const history = [aRollout('badcommit')]
  const { memory } = aPool({ head: 'badcommit', history }).with(...members)
  const { status } = decide(aLostPool('good', { members, memory }), noon)

  expect(status.rollback?.to).toEqual(aRef('good'))
  expect(status.target).toEqual(aRef('good'))
})

test('a pool stays with its target when an operator asks for that before the newest commit has begun', () => {
  const pool = aPool({ head: 'nextcommit', history: past, stable: 'present', controls: { rollback: 'present' } })
  const { status } = decide(pool.with(aNode('a').on('present')), noon)

  expect(status.target).toEqual(aRef('present'))
  expect(status.controls[0]).toMatchObject({ action: 'Rollback', outcome: 'Done' })
})

test.each([
  ['has failed there', { rejected: ['older'] }, 'older'],
  ['is the target, which the pool went back to from the newest commit', { rejected: ['nextcommit'] }, 'present'],
  ['cannot be rendered', {}, 'unknown'],
])('a pool that remembers what it had refuses a rollback to what %s', (_, options, rollback) => {
  const members = [aNode('a').on('present'), aNode('b').on('older'), aNode('c').on('unknown')]
  const pool = aPool({ head: 'nextcommit', history: past, stable: 'present', controls: { rollback }, ...options }).with(
    ...members,
  )
  const known = new Map(['present', 'older'].map((name) => [name, aRevision(name, members)]))
  const { status } = decide({ ...pool, known }, noon)

  expect(status.rollback).toBeUndefined()
  expect(status.controls[0]).toMatchObject({ action: 'Rollback', outcome: 'Refused' })
})

test.each([
  ['names what no node was assigned', aLostPool('older')],
  ['names what another pool assigned', aLostPool('good', { name: 'others' })],
  ['names the newest commit', aLostPool('badcommit', { members: nodes('a').map((node) => node.on('badcommit')) })],
  [
    'names none, and the newest commit was assigned last',
    aLostPool('', { members: nodes('a').map((node) => node.on('badcommit')) }),
  ],
  [
    'names content that the newest commit has, too',
    aLostPool('good', { known: new Map([['good', { ...aRevision('badcommit', onGood), revision: 'good' }]]) }),
  ],
])('a pool without a status refuses a rollback that %s', (_, pool) => {
  const { status } = decide(pool, noon)

  expect(status.rollback).toBeUndefined()
  expect(status.controls[0]).toMatchObject({ action: 'Rollback', outcome: 'Refused' })
})
