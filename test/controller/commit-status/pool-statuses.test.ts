import { expect, test } from 'vitest'
import { statusesOf } from '../../../src/controller/commit-status/pool-statuses.ts'
import type { HistoryEntry, NodePoolStatus, PoolCondition } from '../../../src/protocol/node-pool.ts'

const [A, B, C] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]
const context = 'nodewave/workers'
const TIME = '2026-11-21T08:00:00Z'

const ref = (revision: string) => ({ revision, fingerprint: `of ${revision[0]}` })
const entry = (revision: string, result: HistoryEntry['result'], message?: string): HistoryEntry => ({
  ...ref(revision),
  startedAt: TIME,
  result,
  ...(message && { message }),
})

function condition(type: PoolCondition['type'], reason: PoolCondition['reason'], message: string): PoolCondition {
  return { type, status: 'True', reason, message, lastTransitionTime: TIME }
}

function said(status: Partial<NodePoolStatus>): string[] {
  return statusesOf({ status, context }).map(({ commit, state, description }) => `${commit[0]} ${state}: ${description}`)
}

const done = { total: 3, current: 3, byPhase: { Current: 3 } }

test('a commit that all nodes run has succeeded; one that came before it was superseded or completed', () => {
  const history = [entry(C, 'Completed'), entry(B, 'Superseded'), entry(A, 'Completed')]
  expect(said({ target: ref(C), observedRevision: C, nodes: done, history })).toEqual([
    'c success: 3 nodes run it',
    'b error: superseded by ccccccc',
    'a success: completed',
  ])
})

test('a commit under way is pending, with nodes, wave and what goes on', () => {
  const wave = { index: 2, count: 3, name: 'early' }
  const conditions = [condition('Reconciling', 'Soaking', '17 of 40 nodes are at bbbbbbb; 4 soak for 5m')]
  const nodes = { total: 40, current: 17, byPhase: {} }
  expect(said({ target: ref(B), observedRevision: B, nodes, wave, conditions })).toEqual([
    'b pending: 17/40 nodes, wave 2 of 3: 17 of 40 nodes are at bbbbbbb; 4 soak for 5m',
  ])
})

test('a commit that stalls has failed, also while work goes on beside it', () => {
  const wave = { index: 1, count: 2, name: 'canary' }
  const conditions = [condition('Reconciling', 'RollingOut', 'goes on'), condition('Stalled', 'NodesFailed', 'n0 failed')]
  expect(said({ target: ref(B), observedRevision: B, nodes: { ...done, current: 2 }, wave, conditions })).toEqual([
    'b failure: 2/3 nodes, wave 1 of 2: n0 failed',
  ])
})

test.each(['WaitingForPromotion', 'Paused'] as const)('a commit that a person has to let go on is pending: %s', (reason) => {
  const wave = { index: 1, count: 2, name: 'canary' }
  const conditions = [condition('Stalled', reason, 'waits for a person')]
  expect(said({ target: ref(B), observedRevision: B, nodes: { ...done, current: 2 }, wave, conditions })).toEqual([
    'b pending: 2/3 nodes, wave 1 of 2: waits for a person',
  ])
})

test('a commit under way does not fail by what is wrong with a newer one', () => {
  const wave = { index: 1, count: 2, name: 'canary' }
  const conditions = [
    condition('Reconciling', 'RollingOut', 'goes on'),
    condition('Stalled', 'InvalidRepository', 'p.yaml:3: no'),
  ]
  expect(said({ target: ref(A), observedRevision: B, nodes: { ...done, current: 2 }, wave, conditions })).toEqual([
    'a pending: 2/3 nodes, wave 1 of 2: goes on',
    'b error: p.yaml:3: no',
  ])
})

test('a commit that a pool has completed says what the other nodes are at while a newer commit waits for a promotion', () => {
  const conditions = (['Ready', 'Reconciling', 'Stalled'] as const).map((type): PoolCondition => {
    const status = type === 'Stalled' ? 'True' : 'False'
    return { ...condition(type, 'CommitNeedsPromotion', 'bbbbbbb changes 3 of 3 nodes'), status }
  })
  const nodes = { total: 3, current: 1, byPhase: { Current: 1, Held: 1, Failed: 1 } }
  expect(said({ target: ref(A), observedRevision: B, nodes, history: [entry(A, 'Completed')], conditions })).toEqual([
    'a pending: 1/3 nodes: 1 Failed, 1 Held, see the condition Stalled of the pool',
    'b pending: bbbbbbb changes 3 of 3 nodes',
  ])
})

test('the commit that a pool goes back to says how far it is, and where to look, when nothing moves on the way', () => {
  const wave = { index: 1, count: 1, name: 'all' }
  const message = 'bbbbbbb failed; the pool rolls back to aaaaaaa; push a fix or a revert; paused by ada'
  const conditions = (['Ready', 'Reconciling', 'Stalled'] as const).map(
    (type): PoolCondition => ({ ...condition(type, 'RolledBack', message), status: type === 'Stalled' ? 'True' : 'False' }),
  )
  const history = [entry(A, 'Running'), entry(B, 'RolledBack', 'n0: kubelet exited 3 times'), entry(A, 'Completed')]
  const nodes = { total: 3, current: 2, byPhase: { Current: 2, Waiting: 1 } }
  expect(said({ target: ref(A), observedRevision: B, nodes, wave, history, conditions })).toEqual([
    'a pending: 2/3 nodes, wave 1 of 1: 1 Waiting, see the condition Stalled of the pool',
    'b failure: rolled back: n0: kubelet exited 3 times',
  ])
})

test('after a rollback the failed commit says why, and the one that runs has succeeded', () => {
  const history = [entry(B, 'RolledBack', 'n0: kubelet exited 3 times'), entry(A, 'Completed')]
  const conditions = [condition('Stalled', 'RolledBack', 'rolled back from bbbbbbb')]
  expect(said({ target: ref(A), observedRevision: B, nodes: done, history, conditions })).toEqual([
    'a success: 3 nodes run it',
    'b failure: rolled back: n0: kubelet exited 3 times',
  ])
})

test('a commit from which an operator rolled back says so', () => {
  const rollback = { to: ref(A), from: ref(B), at: TIME }
  expect(said({ target: ref(A), observedRevision: B, nodes: done, rollback })).toEqual([
    'a success: 3 nodes run it',
    'b failure: an operator rolled the pool back to aaaaaaa',
  ])
})

test.each([
  [
    'that is invalid is in error',
    condition('Stalled', 'InvalidRepository', 'pools/a.yaml:3: unknown field'),
    'b error: pools/a.yaml:3: unknown field',
  ],
  [
    'that waits for a promotion is pending',
    condition('Stalled', 'CommitNeedsPromotion', 'nodewave promote …'),
    'b pending: nodewave promote …',
  ],
  ['that a ceiling refuses has failed', condition('Stalled', 'CeilingExceeded', 'maxUnavailable'), 'b failure: maxUnavailable'],
])('a newest commit %s', (_, found, expected) => {
  expect(said({ target: ref(A), observedRevision: B, nodes: done, conditions: [found] })).toEqual([
    'a success: 3 nodes run it',
    expected,
  ])
})

test('a revision with contents of Secrets is said of its commit, and its earlier contents are not said of it', () => {
  const contents = (hash: string) => ref(`${B}+${hash}`)
  const history = [
    { ...entry(B, 'Running'), ...contents('2') },
    { ...entry(B, 'Superseded'), ...contents('1') },
    entry(A, 'Completed'),
  ]
  const status = { target: contents('2'), observedRevision: contents('2').revision, nodes: done, history }
  expect(statusesOf({ status, context })).toEqual([
    { commit: B, context, state: 'success', description: '3 nodes run it' },
    { commit: A, context, state: 'success', description: 'completed' },
  ])
})

test('a pool without nodes keeps no commit waiting', () => {
  expect(said({ target: ref(A), observedRevision: A, nodes: { total: 0, current: 0, byPhase: {} } })).toEqual([
    'a success: the pool selects no node',
  ])
})

test('a pool that nothing is known of says nothing', () => {
  expect(said({})).toEqual([])
})

test.each<readonly [what: string, status: Partial<NodePoolStatus>, expected: string]>([
  ['all of its nodes run it', { nodes: done }, 'b success: 3 nodes run it'],
  ['its only node runs it', { nodes: { total: 1, current: 1, byPhase: {} } }, 'b success: 1 node runs it'],
  ['it selects no node', { nodes: { total: 0, current: 0, byPhase: {} } }, 'b success: the pool selects no node'],
  ['one node is missing', { nodes: { ...done, current: 2 } }, 'b pending: 2/3 nodes: goes on'],
  [
    'a wave is open though all run it',
    { nodes: done, wave: { index: 2, count: 2, name: 'rest' } },
    'b pending: 3/3 nodes, wave 2 of 2: goes on',
  ],
])('a commit of a pool is told when %s', (_, status, expected) => {
  const conditions = [condition('Reconciling', 'RollingOut', 'goes on')]

  expect(said({ target: ref(B), observedRevision: B, conditions, ...status })).toEqual([expected])
})
