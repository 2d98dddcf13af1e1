import { expect, test } from 'vitest'
import { revisionName, revisionSecretName } from '../../src/protocol/names.ts'
import { commitOf, revisionId, shortRevision } from '../../src/protocol/revision-id.ts'
import { denotes } from '../../src/rollout/model/remembered-revision.ts'

const COMMIT = '3f2c9ab01d7e5566778899aabbccddeeff001122'
const REVISION = `${COMMIT}+1a2b3c4d`

test('a revision is its commit, and with contents of Secrets their hash', () => {
  expect(revisionId(COMMIT, undefined)).toBe(COMMIT)
  expect(revisionId(COMMIT, '1a2b3c4d')).toBe(REVISION)
  expect([commitOf(COMMIT), commitOf(REVISION)]).toEqual([COMMIT, COMMIT])
  expect([shortRevision(COMMIT, 7), shortRevision(REVISION, 7)]).toEqual(['3f2c9ab', '3f2c9ab+1a2b3c4d'])
})

test('objects that keep a revision are named after both', () => {
  expect(revisionName(COMMIT, 1)).toBe('fleet-3f2c9ab01d7e-1')
  expect(revisionName(REVISION, 1)).toBe('fleet-3f2c9ab01d7e-1a2b3c4d-1')
  expect(revisionSecretName(REVISION)).toBe('fleet-3f2c9ab01d7e-1a2b3c4d-secrets')
})

test.each([
  [COMMIT, REVISION, true],
  ['3f2c9ab', REVISION, true],
  ['3f2c9ab+1a2b3c4d', REVISION, true],
  [REVISION, REVISION, true],
  ['3f2c9ab+00000000', REVISION, false],
  ['3f2c9ab+1a2b3c4d', COMMIT, false],
  ['3f2c9+1a2b3c4d', REVISION, false],
  ['3f2c9a', COMMIT, false],
  ['', REVISION, false],
])('"%s" as a name of "%s": %s', (text, revision, is) => {
  expect(denotes(text, { revision })).toBe(is)
})
