import { expect, test } from 'vitest'
import { ConfirmedSteps } from '../../../src/controller/status/confirmed-steps.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'

type Steps = Partial<Pick<NodePoolStatus, 'wave' | 'rejected' | 'history' | 'nodes'>>

const opened = (...names: readonly string[]): Steps => ({ wave: { index: 1, count: 2, name: 'canary', opened: names } as never })
const rejected = (...fingerprints: readonly string[]): Steps => ({
  rejected: fingerprints.map((fingerprint) => ({ revision: 'abc', fingerprint })),
})

const failed = (failures: number, startedAt = '2026-11-21T08:00:00.000Z'): Steps => ({
  history: [{ revision: 'abc', fingerprint: 'new', startedAt, result: 'Running', failures }],
})

const run = (fingerprint: 'old' | 'new', result: 'Running' | 'Completed'): Steps => ({
  history: [{ revision: 'abc', fingerprint, startedAt: `2026-11-21T0${fingerprint === 'old' ? 7 : 8}:00:00.000Z`, result }],
})

/** The same of a pool of so many nodes. */
const failedOf = (total: number, failures: number): Steps => ({ ...failed(failures), nodes: { total } as never })

function someSteps({ isNews = true }: { isNews?: boolean } = {}) {
  const [read, clock]: [string[], { now: number }] = [[], { now: 100_000 }]
  const steps = new ConfirmedSteps({
    refresh: async (pool) => {
      read.push(pool)
      return isNews
    },
    now: () => clock.now,
  })
  return { steps, read, clock }
}

test.each<readonly [what: string, before: Steps, after: Steps, isStep: boolean]>([
  ['nothing opens', {}, {}, false],
  ['the first wave opens', {}, opened('canary'), false],
  ['the first wave opens of a pool that had some', opened(), opened('canary'), false],
  ['the same wave stays open', opened('canary'), opened('canary'), false],
  ['another wave opens', opened('canary'), opened('canary', 'all'), true],
  ['waves begin anew', opened('canary', 'all'), opened('canary'), false],
  ['two waves open at once', {}, opened('canary', 'all'), true],
  [
    'two waves of another run open, which have the names of those before',
    { ...opened('canary', 'all'), ...run('old', 'Running') },
    { ...opened('canary', 'all'), ...run('new', 'Running') },
    true,
  ],
  [
    'the first wave of another run opens',
    { ...opened('canary', 'all'), ...run('old', 'Running') },
    { ...opened('canary'), ...run('new', 'Running') },
    false,
  ],
  ['no wave is open any more', opened('canary'), {}, false],
  ['the target completes', run('new', 'Running'), run('new', 'Completed'), true],
  ['the target begins and completes', run('old', 'Completed'), run('new', 'Completed'), true],
  ['the first target completes', {}, run('new', 'Completed'), true],
  ['nothing else completes', run('new', 'Completed'), run('new', 'Completed'), false],
  ['the next target begins', run('old', 'Completed'), run('new', 'Running'), false],
  ['a commit is rejected', rejected('old'), rejected('new', 'old'), true],
  ['the first commit is rejected', {}, rejected('new'), true],
  ['the first node fails', {}, failed(1), true],
  ['another node fails', failed(1), failed(2), true],
  ['as many nodes fail in another run', failed(1), failed(1, '2026-11-21T09:00:00.000Z'), true],
  ['no other node fails', failed(2), failed(2), false],
  ['a rejected commit is retried', rejected('new', 'old'), rejected('old'), false],
  [
    'the last wave opens and completes',
    { ...opened('canary'), ...run('new', 'Running') },
    { ...opened('canary', 'all'), ...run('new', 'Completed') },
    true,
  ],
])('the nodes of a pool are read again, or not, when %s', async (_, before, after, isStep) => {
  const { steps, read } = someSteps()
  expect(await steps.confirm('workers', { before, after })).toBe(!isStep)
  expect(read).toEqual(isStep ? ['workers'] : [])
})

const step = { before: run('new', 'Running'), after: run('new', 'Completed') }

test('the nodes of a pool are read again when it has gone back to what is stable all the time', async () => {
  const { steps, read } = someSteps()
  const stable = { stable: { revision: 'abc', fingerprint: 'new' } }
  const confirmed = steps.confirm('workers', {
    before: { ...stable, ...run('new', 'Running') },
    after: { ...stable, ...run('new', 'Completed') },
  })
  expect(await confirmed).toBe(false)
  expect(read).toEqual(['workers'])
})

test('a step is taken when its nodes are as they were known', async () => {
  const { steps, read } = someSteps({ isNews: false })
  expect([await steps.confirm('workers', step), await steps.confirm('workers', step)]).toEqual([true, true])
  expect(read).toEqual(['workers', 'workers'])
})

test.each([
  ['at once', 0, true],
  ['just before ten seconds have passed', 9_999, true],
  ['ten seconds later', 10_000, false],
  ['by a clock that was put back', -1, false],
])('a step that is decided again %s, after its nodes were read, is taken upon that: %s ms, %s', async (_, later, isTaken) => {
  const { steps, read, clock } = someSteps()
  expect(await steps.confirm('workers', step)).toBe(false)
  clock.now += later
  expect(await steps.confirm('workers', step)).toBe(isTaken)
  expect(read).toHaveLength(isTaken ? 1 : 2)
  if (isTaken) expect(await steps.confirm('workers', step)).toBe(false)
})

test('what was read for one decision confirms no step that is decided after another one, though soon', async () => {
  const { steps, read, clock } = someSteps()
  expect(await steps.confirm('workers', step)).toBe(false)
  expect(steps.isOpen('workers', { before: failed(1), after: failed(1) })).toBe(false)
  clock.now += 5_000
  expect(await steps.confirm('workers', step)).toBe(false)
  expect(read).toHaveLength(2)
})

test('a failure that is decided upon again, soon after nodes turned out to be others, is counted upon that', async () => {
  const { steps, read } = someSteps()
  const more = { before: failed(1), after: failed(2) }
  expect([await steps.confirm('workers', more), await steps.confirm('workers', more)]).toEqual([false, true])
  expect(read).toHaveLength(1)
})

test('what was read of one pool confirms no step of another', async () => {
  const { steps } = someSteps()
  expect([await steps.confirm('workers', step), await steps.confirm('gpu', step)]).toEqual([false, false])
})

test.each([
  ['just before ten seconds have passed', 501, 9_999, 1],
  ['ten seconds later', 501, 10_000, 2],
  ['at once in a pool that is not large', 500, 0, 2],
])('nodes that were read are read again for another failure, or not, %s: of %s, %s ms later', async (_, total, later, times) => {
  const { steps, read, clock } = someSteps({ isNews: false })
  await steps.confirm('workers', { before: failedOf(total, 1), after: failedOf(total, 2) })
  clock.now += later
  expect(await steps.confirm('workers', { before: failedOf(total, 2), after: failedOf(total, 3) })).toBe(true)
  expect(read).toHaveLength(times)
})
