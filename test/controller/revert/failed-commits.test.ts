import { expect, test } from 'vitest'
import { allReady, everRejected, failedPools, type RevertPool } from '../../../src/controller/revert/failed-commits.ts'
import type { HistoryEntry, NodePoolStatus, PoolCondition } from '../../../src/protocol/node-pool.ts'

const ref = (name: string) => ({ revision: name, fingerprint: `of ${name}` })
const run = (result: HistoryEntry['result'], message?: string): HistoryEntry => ({
  ...{ ...ref('bad'), startedAt: '', result },
  ...(message !== undefined && { message }),
})
const aPool = (status: Partial<NodePoolStatus>, name = 'workers'): RevertPool => ({ name, uid: name, status })
const failedIn = (status: Partial<NodePoolStatus>, content: string | undefined = 'of bad') =>
  [...failedPools([aPool(status)], () => content).values()].flat()

const failed = { rejected: [ref('bad')], stable: ref('good') }

test('a pool failed at its newest content with what its run said', () => {
  expect(failedIn({ ...failed, history: [run('RolledBack', '"n0": broken')] })).toMatchObject([
    { failed: ref('bad'), stable: ref('good'), message: '"n0": broken', goesBack: true, nodes: [] },
  ])
  expect(failedIn({ ...failed, history: [run('Halted', '"n0": broken')] })).toMatchObject([{ goesBack: false }])
})

test('a pool whose run says nothing failed on nodes', () => {
  expect(failedIn({ ...failed, history: [run('RolledBack')] })).toMatchObject([{ message: 'nodes failed', goesBack: false }])
  expect(failedIn(failed)).toMatchObject([{ message: 'nodes failed', goesBack: false }])
})

test.each<readonly [what: string, status: Partial<NodePoolStatus>, content: string | undefined]>([
  ['nothing of it was rejected', { stable: ref('good') }, 'of bad'],
  ['the newest commit says something else of it', failed, 'of newer'],
  ['it never completed anything', { rejected: [ref('bad')] }, 'of bad'],
  ['it completed the same content before', { ...failed, stable: ref('bad') }, 'of bad'],
])('a pool did not fail at its newest content when %s', (_, status, content) => {
  expect(failedIn(status, content)).toEqual([])
})

test('a pool of which the newest commit says nothing did not fail at it', () => {
  expect([...failedPools([aPool(failed)], () => undefined)]).toEqual([])
})

test('pools that failed are told by the commit that failed in them', () => {
  const other = { rejected: [{ ...ref('bad'), revision: 'earlier' }], stable: ref('good') }
  const found = failedPools([aPool(failed, 'a'), aPool(other, 'b'), aPool(failed, 'c')], () => 'of bad')

  expect([...found].map(([revision, pools]) => `${revision}: ${pools.map(({ pool }) => pool.name)}`)).toEqual([
    'bad: a,c',
    'earlier: b',
  ])
})

test('everRejected tells every revision that failed in some pool', () => {
  expect([...everRejected([aPool(failed), aPool({}), aPool({ rejected: [ref('worse'), ref('bad')] })])]).toEqual(['bad', 'worse'])
})

const ready = (status: PoolCondition['status'], type: PoolCondition['type'] = 'Ready') =>
  aPool({ conditions: [{ type, status, reason: 'Completed', message: '', lastTransitionTime: '' }] })

test.each<readonly [what: string, pools: readonly RevertPool[], expected: boolean]>([
  ['there is none', [], true],
  ['each is Ready', [ready('True'), ready('True')], true],
  ['one is not Ready', [ready('True'), ready('False')], false],
  ['one has said nothing yet', [ready('True'), aPool({})], false],
  ['one has only another condition', [ready('True', 'Reconciling')], false],
])('all pools are Ready, or not, when %s: %s', (_, pools, expected) => {
  expect(allReady(pools)).toBe(expected)
})
