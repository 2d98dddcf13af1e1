import { expect, test } from 'vitest'
import { nodeKey, WriteFailures } from '../../../src/controller/writes/write-failures.ts'
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
