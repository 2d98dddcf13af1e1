import { expect, test } from 'vitest'
import { nodeKey, poolKey, WriteFailures } from '../../../src/controller/writes/write-failures.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'

const HOUR = 3_600_000
const NOW = 10 * HOUR
const forbidden = new KubeError('no', { code: 403, reason: 'Forbidden' })

test('write that was refused is not tried again before its time', () => {
  const failures = new WriteFailures()
  failures.failed(nodeKey('n0'), { error: forbidden, now: NOW })
  expect(failures.mayTry(nodeKey('n0'), NOW - 30_000)).toBe(false)
  expect(failures.mayTry(nodeKey('n0'), NOW)).toBe(false)
  expect(failures.mayTry(nodeKey('n0'), NOW + 9_999)).toBe(false)
  expect(failures.mayTry(nodeKey('n0'), NOW + 10_000)).toBe(true)
  expect(failures.nextTry(NOW)).toBe(NOW + 10_000)
})

test('write that failed before the clock was put back is tried again at once', () => {
  const failures = new WriteFailures()
  failures.failed(nodeKey('n0'), { error: forbidden, now: NOW })
  expect(failures.mayTry(nodeKey('n0'), NOW - HOUR)).toBe(true)
  expect(failures.refusals(NOW - HOUR).map(({ isDue }) => isDue)).toEqual([true])
  expect(failures.nextTry(NOW - HOUR)).toBeUndefined()
})

test('a write without an answer is a refusal from the third time in a row on, and one that is refused at once', () => {
  const failures = new WriteFailures()
  const away = new KubeError('no answer', { code: 0, reason: 'Unreachable' })
  const isRefusal = [1, 2, 3, 4].map(() => {
    failures.failed(nodeKey('n0'), { error: away, now: NOW })
    return failures.refusal(nodeKey('n0')) !== undefined
  })
  failures.failed(nodeKey('n1'), { error: forbidden, now: NOW })

  expect(isRefusal).toEqual([false, false, true, true])
  expect(failures.refusals(NOW).map(({ object }) => object)).toEqual(['node n0', 'node n1'])
})

test('a write that failed counts as of before the clock was put back by a minute, and not by less', () => {
  const failures = new WriteFailures()
  failures.failed(nodeKey('n0'), { error: forbidden, now: NOW })
  expect([NOW - 59_999, NOW - 60_000].map((now) => failures.mayTry(nodeKey('n0'), now))).toEqual([false, true])
})

const asking = (retryAfter: number) => new KubeError('later', { code: 503, reason: 'ServiceUnavailable', retryAfter })

test.each<readonly [what: string, error: unknown, wait: number]>([
  ['was refused', forbidden, 10_000],
  ['had no answer', new KubeError('no answer', { code: 0, reason: 'Unreachable' }), 250],
  ['failed by a mistake of ours', new TypeError('ours'), 250],
  ['is asked to wait', asking(2), 2_000],
  ['is asked to wait for an hour', asking(3_600), 10_000],
])('a write that %s is tried again after its time', (_, error, wait) => {
  const failures = new WriteFailures()
  expect(failures.failed(nodeKey('n0'), { error, now: NOW }).until - NOW).toBe(wait)
})

test('what had no answer before the server was there again is forgotten, and nothing else', () => {
  const failures = new WriteFailures()
  const away = new KubeError('no answer', { code: 0, reason: 'Unreachable' })
  failures.failed(nodeKey('before'), { error: away, now: NOW - 1 })
  failures.failed(nodeKey('then'), { error: away, now: NOW })
  failures.failed(nodeKey('refused'), { error: forbidden, now: NOW - 1 })
  failures.forgetAwayBefore(NOW)
  expect(['before', 'then', 'refused'].map((node) => failures.of(nodeKey(node)) !== undefined)).toEqual([false, true, true])
})

test('failures of objects that are gone are forgotten', () => {
  const failures = new WriteFailures()
  for (const node of ['gone', 'there']) failures.failed(nodeKey(node), { error: forbidden, now: NOW })
  failures.retain((object) => object !== nodeKey('gone'))
  expect(failures.refusals(NOW).map(({ object }) => object)).toEqual(['node there'])
})

test('failures that are about another object of the same name are forgotten', () => {
  const failures = new WriteFailures()
  for (const name of ['before', 'now']) failures.failed(poolKey(name), { error: forbidden, about: `uid-${name}`, now: NOW })
  failures.retain((_, { about }) => about === 'uid-now')
  expect(failures.refusals(NOW).map(({ object }) => object)).toEqual(['pool now'])
})
