import { expect, test } from 'vitest'
import { KubeError } from '../../../src/kube/kube-api.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import { assign, NOW, retry, somePoolWrites, uncordon } from './some-pool-writes.ts'

const sign = { ...assign('a'), kind: 'sign', pool: 'workers' } as never as Action
const AFTER = 'afterwards workers'

test.each<readonly [what: string, actions: readonly Action[], done: readonly string[]]>([
  ['an assignment, with what was rendered', [assign('a')], ['assume assign a', 'begin assign a with d', AFTER]],
  ['a signature, with what was rendered', [sign], ['assume sign a', 'begin sign a with d', AFTER]],
  [
    'a cordon',
    [{ kind: 'cordon', node: 'a', mark: { digest: 'd', at: 5, state: 'Ours' } }],
    ['assume cordon a', 'begin cordon a', AFTER],
  ],
  ['an uncordon, which waits for no status', [uncordon('a')], ['assume uncordon a', 'begin uncordon a']],
  ['nothing for a node that is gone', [assign('gone'), uncordon('gone')], []],
  ['a question to a gate', [{ kind: 'askGate', gate: { name: 'slo' } } as never], ['ask slo of workers']],
  ['the start of a proof', [{ kind: 'startProof' } as never], ['startProof']],
  ['the end of a proof', [{ kind: 'removeProof' } as never], ['removeProof']],
  ['an operator control that is cleared', [retry], ['clear retry of workers', AFTER, 'changed']],
  [
    'an assignment before a control is cleared',
    [assign('a'), retry],
    ['assume assign a', 'begin assign a with d', 'clear retry of workers', AFTER, 'changed'],
  ],
])('a decision carries out %s', async (_, actions, done) => {
  const { begin, since } = somePoolWrites()
  begin(...actions)
  expect(await since()).toEqual(done)
})

test('nothing is begun for a node whose last write failed a moment ago', async () => {
  const { begin, since, refused } = somePoolWrites()
  refused.add('a')
  begin(assign('a'), uncordon('a'), assign('b'))
  expect(await since()).toEqual(['assume assign b', 'begin assign b with d', AFTER])
})

test('no assignment is begun whose payload could not be written a moment ago', async () => {
  const { begin, since, refused } = somePoolWrites()
  refused.add('d')
  begin(assign('a'))
  expect(await since()).toEqual([])
})

test('one pass begins so many actions, and uncordons beside them', async () => {
  const { begin, since } = somePoolWrites({ actionsAPass: 1 })
  begin(assign('a'), assign('b'), uncordon('c'))
  expect(await since()).toEqual(['assume uncordon c', 'begin uncordon c', 'assume assign a', 'begin assign a with d', AFTER])
})

test('a pool whose status was refused a moment ago gets its uncordons alone', async () => {
  const { begin, since, failures } = somePoolWrites({ dueAt: NOW })
  failures.failed('pool workers', { error: new KubeError('no', { code: 403, reason: 'Forbidden' }), now: NOW })
  begin(assign('a'), uncordon('b'))
  expect(await since()).toEqual(['assume uncordon b', 'begin uncordon b'])
})

test('a pool whose status was written is not taken for one that is refused any more', async () => {
  const { begin, since, failures, status } = somePoolWrites({ dueAt: NOW })
  failures.failed('pool workers', { error: new KubeError('no', { code: 403, reason: 'Forbidden' }), now: NOW - 10_000 })
  begin()
  status.resolve(true)
  await since()
  expect(failures.refusal('pool workers')).toBeUndefined()
})

test('while mere counts are written, nodes are assigned, and what is news or clears a control waits', async () => {
  const { begin, since, status, journal } = somePoolWrites({ dueAt: NOW, isNews: false })
  begin()
  expect(await since()).toEqual(['assume status of workers', 'write status of workers'])
  expect(begin(assign('a'))).toBeUndefined()
  expect(await since()).toEqual(['assume assign a', 'begin assign a with d'])
  begin(assign('b'), retry)
  expect(await since()).toEqual([])
  journal.isNews = true
  begin(assign('b'))
  expect(await since()).toEqual([])
  status.resolve(true)
  expect(await since()).toEqual([AFTER, 'changed'])
})

test('while a control is cleared, a pass waits, and the next decision is asked for', async () => {
  const { begin, since, writes } = somePoolWrites({ isNews: false })
  begin(retry)
  begin(assign('a'))
  expect(await since()).toEqual(['clear retry of workers', AFTER, 'changed'])
  begin(assign('a'))
  expect(await since()).toEqual(['assume assign a', 'begin assign a with d', AFTER])
  await writes.end()
})

test('another decision is asked for when the last write of a pass was sent, and not before', async () => {
  const { begin, since, ends, isSent } = somePoolWrites()
  begin(assign('a'), assign('b'))
  await since()
  isSent.is = false
  ends.get('a')?.()
  expect(await since()).toEqual([])
  isSent.is = true
  ends.get('b')?.()
  expect(await since()).toEqual(['changed'])
})

test('the end waits for a status that is being written', async () => {
  const { writes, begin, since, status } = somePoolWrites({ dueAt: NOW })
  begin()
  await since()
  let hasEnded = false
  const end = writes.end().then(() => {
    hasEnded = true
  })
  await since()
  expect(hasEnded).toBe(false)
  status.resolve(true)
  await end
  expect(hasEnded).toBe(true)
})
