import { expect, test } from 'vitest'
import { Stirred } from '../../../src/agent/loop/stirred.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** @returns when looks took place, of a path that somebody changes at these times. */
function looksAt(changes: readonly number[], longest = 5 * MINUTE): number[] {
  const stirred = new Stirred(longest)
  const looks: number[] = []
  const lookUntil = (end: number): void => {
    while (stirred.next < end) {
      const at = stirred.next
      if (stirred.take(at).length > 0) looks.push(at)
    }
  }
  for (const at of changes) {
    lookUntil(at)
    stirred.changed(['/etc/motd'], at)
  }
  lookUntil(Number.POSITIVE_INFINITY)
  return looks
}

test('path is compared half a second after its last change', () => {
  expect(looksAt([0])).toEqual([500])
  expect(looksAt([0, 100, 400])).toEqual([900])
})

test('path that is changed every two seconds is compared less and less often', () => {
  const changes = Array.from({ length: 1800 }, (_, index) => index * 2 * SECOND)

  expect(looksAt(changes).map((at) => at / SECOND)).toEqual([
    0.5, 2.5, 4.5, 6.5, 10.5, 18.5, 34.5, 66.5, 130.5, 258.5, 514.5, 814.5, 1114.5, 1414.5, 1714.5, 2014.5, 2314.5, 2614.5,
    2914.5, 3214.5, 3514.5, 3814.5,
  ])
})

test('path that never comes to rest is left to the regular look until it does', () => {
  const changes = Array.from({ length: 1000 }, (_, index) => index * 400)

  expect(looksAt(changes)).toEqual([999 * 400 + 500])
})

test('path that was changed all the time is compared at once again after ten calm minutes', () => {
  const storm = Array.from({ length: 60 }, (_, index) => index * SECOND)
  const looks = looksAt([...storm, 60 * MINUTE])

  expect(looks.at(-1)).toBe(60 * MINUTE + 500)
})

test('what is due soon after a look is compared together with others, a second later', () => {
  const stirred = new Stirred(5 * MINUTE)
  stirred.changed(['/a'], 0)
  stirred.changed(['/b'], 200)
  stirred.changed(['/c'], 400)
  expect(stirred.take(500)).toEqual(['/a'])

  expect(stirred.next).toBe(1500)
  expect(stirred.take(1500)).toEqual(['/b', '/c'])
  expect(stirred.next).toBe(Number.POSITIVE_INFINITY)
})

test('only a change that is due earlier than all others asks for an earlier look', () => {
  const stirred = new Stirred(5 * MINUTE)

  expect(stirred.changed(['/a'], 0)).toBe(true)
  expect(stirred.changed(['/a'], 100)).toBe(false)
  expect(stirred.changed(['/b'], 200)).toBe(false)
})
