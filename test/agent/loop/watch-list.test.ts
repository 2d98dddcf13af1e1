import { expect, test } from 'vitest'
import { atOrBelow, watchList } from '../../../src/agent/loop/watch-list.ts'

test('watch list has the directory of each path and those above it, each with the names that count', () => {
  const list = watchList(['/etc/motd', '/etc/tuned/a.conf', '/etc/tuned/b.conf'])

  expect(Object.fromEntries([...list].map(([directory, names]) => [directory, [...names]]))).toEqual({
    '/': ['etc'],
    '/etc': ['motd', 'tuned'],
    '/etc/tuned': ['a.conf', 'b.conf'],
  })
})

test('paths at or below a place do not include those that only begin alike', () => {
  expect(atOrBelow('/etc/a', ['/etc/a', '/etc/a/b', '/etc/ab', '/etc'])).toEqual(['/etc/a', '/etc/a/b'])
  expect(atOrBelow('/', ['/etc', '/srv'])).toEqual(['/etc', '/srv'])
})
