import { expect, test } from 'vitest'
import { KNOWN_VERSIONS, meantVersion } from '../../../src/repo/kubelet-knowledge/versions.ts'

test('each minor from 1.31 to 1.36 is known', () => {
  expect(KNOWN_VERSIONS).toEqual(['1.31.14', '1.32.13', '1.33.13', '1.34.4', '1.35.4', '1.36.3'])
})

test.each([
  ['1.36', '1.36.3'],
  ['1.36.', '1.36.3'],
  ['1.30', '1.30.0'],
  ['v1.35.2', '1.35.2'],
  ['"1.31"', '1.31.14'],
])('meantVersion makes a version of %s', (text, version) => {
  expect(meantVersion(text)).toBe(version)
})

test.each(['latest', '2.0', '1', ''])('meantVersion does not guess at "%s"', (text) => {
  expect(meantVersion(text)).toBeUndefined()
})
