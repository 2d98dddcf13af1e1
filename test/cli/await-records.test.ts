import { expect, test } from 'vitest'
import { isPausedAndQuiet, isQuiet, runEnded } from '../../src/cli/controls/await-records.ts'
import { accepted, continued } from '../../src/cli/controls/fleet-effects.ts'
import { retryEnded } from '../../src/cli/controls/retry.ts'
import type { HistoryEntry, PoolCondition, PoolReason } from '../../src/protocol/node-pool.ts'

const ref = { revision: 'f'.repeat(40), fingerprint: 'content' }
const failed: HistoryEntry = { ...ref, startedAt: '2026-11-21T08:00:00Z', result: 'RolledBack', message: '"n0": no' }
const again: HistoryEntry = { ...failed, startedAt: '2026-11-21T09:00:00Z' }
const retried: HistoryEntry = { ...failed, retriedAt: '2026-11-21T09:00:00Z', result: 'Completed' }
const ended = { ok: false, message: 'fffffff RolledBack on "n0": no' }

test.each([
  ['of before the request is not its end', [failed], undefined],
  ['that began since is', [again, failed], ended],
  ['that goes on has no end', [{ ...again, result: 'Running' } as const, failed], undefined],
  ['that was retried since is', [retried], { ok: true, message: 'fffffff Completed on "n0": no' }],
])('a run %s', (_, history, expected) => {
  expect(runEnded(ref, [failed])({ history })).toEqual(expected)
})

const observedRevision = 'b'.repeat(40)
const [gone, newer] = [{ observedRevision }, { observedRevision: 'c'.repeat(40) }]
const because = (reason: PoolReason): { readonly conditions: readonly PoolCondition[] } => ({
  conditions: [{ type: 'Stalled', status: 'True', reason, message: '', lastTransitionTime: '2026-11-21T09:00:00Z' }],
})
const superseded = { ok: false, message: 'ccccccc came meanwhile; check what it waits for with: nodewave status' }

test.each([
  ['is awaited while the pool says so', { ...gone, ...because('CommitNeedsPromotion') }, undefined],
  ['is awaited while the commit cannot be kept', { ...gone, ...because('InvalidRepository') }, undefined],
  ['is over when it says something else', { ...gone, ...because('Paused') }, { ok: true, message: 'bbbbbbb is accepted' }],
  ['failed when a newer commit came', { ...newer, ...because('CommitNeedsPromotion') }, superseded],
])('the promotion of a commit for the fleet %s', (_, status, expected) => {
  expect(accepted(observedRevision)(status)).toEqual(expected)
})

test.each([
  ['is awaited until the pool remembers it', { ...gone, fleetRetry: { value: 'ccccccc', fingerprint: 'other' } }, undefined],
  [
    'is over when the pool remembers it',
    { ...gone, fleetRetry: { value: observedRevision, fingerprint: 'content' } },
    { ok: true, message: 'bbbbbbb continues' },
  ],
  ['failed when a newer commit came', newer, superseded],
])('the retry of a commit in the fleet %s', (_, status, expected) => {
  expect(continued(observedRevision)(status)).toEqual(expected)
})

const running: HistoryEntry = { ...again, result: 'Running' }

test.each([
  ['is awaited until its run begins', { ...gone, history: [failed] }, undefined],
  ['is awaited while its run goes on, also when a newer commit came', { ...newer, history: [running, failed] }, undefined],
  ['is over when its run has ended', { ...newer, history: [again, failed] }, ended],
  ['failed when a newer commit came before its run began', { ...newer, history: [failed] }, superseded],
])('the retry of a commit in a pool %s', (_, status, expected) => {
  expect(retryEnded(ref, { ...gone, history: [failed] })(status)).toEqual(expected)
})

const quiet = { ok: true, message: 'no node is changing' }

test.each(['Cordoned', 'Draining', 'Assigned', 'Applying', 'Rebooting', 'Proving'])('a node that is %s is changing', (phase) => {
  expect(isQuiet({ nodes: { total: 2, current: 1, byPhase: { Current: 1, [phase]: 1 } } })).toBeUndefined()
})

test('a pool is quiet when its nodes are done or wait', () => {
  expect(isQuiet({ nodes: { total: 2, current: 1, byPhase: { Current: 1, Waiting: 1 } } })).toEqual(quiet)
})

test.each([
  ['before the controller has seen the pause', {}, undefined],
  ['once it has seen the pause of the pool', { observedControls: { paused: '' } }, quiet],
  ['once it has seen the pause of the fleet', { observedControls: { fleetPaused: 'cooling' } }, quiet],
])('a pause that stood there before %s', (_, observed, expected) => {
  expect(isPausedAndQuiet({ ...observed, nodes: { total: 1, current: 1, byPhase: { Current: 1 } } })).toEqual(expected)
})
