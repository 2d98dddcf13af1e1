import { expect, test } from 'vitest'
import { glibcWanted, isNewer } from '../../scripts/image/glibc-version.ts'

test('a library wants the newest glibc that it names', () => {
  expect(glibcWanted(Buffer.from('\0GLIBC_2.9\0GLIBC_2.34\0GLIBCXX_3.4.30\0GLIBC_2.28\0'))).toEqual([2, 34])
  expect(glibcWanted(Buffer.from('no names'))).toEqual([0, 0])
})

test('2.10 is newer than 2.9', () => {
  expect([isNewer([2, 10], [2, 9]), isNewer([2, 9], [2, 10]), isNewer([2, 9], [2, 9])]).toEqual([true, false, false])
})
