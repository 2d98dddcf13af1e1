import { Errors } from 'isomorphic-git'
import { expect, test } from 'vitest'
import { explainFailure, movedTo } from '../../src/gitsync/explain-failure.ts'

const URL = 'https://git.example.com/fleet.git'

test.for([
  [401, 'Unauthorized', 'HTTP Error: 401 no; check --token-file, or --username-file and --password-file'],
  [
    404,
    'RepositoryNotFound',
    'HTTP Error: 404 no; check the address; forges also say so of what one may not see: check --token-file, or --username-file and --password-file',
  ],
  [500, 'Unreachable', 'HTTP Error: 500 no'],
] as const)('an answer of %i says what to check', ([code, reason, message]) => {
  const error = explainFailure(new Errors.HttpError(code, 'no', ''), URL)
  expect(error).toMatchObject({ reason, message: `failed to read "${URL}": ${message}` })
})

test('a page for browsers is told as what it is, in one line that a terminal can show', () => {
  const page = `<html>\n\x1b[2Jlog in${'x'.repeat(5000)}`
  const { message } = explainFailure(new Errors.SmartHttpError(page, page), URL)
  expect(message).toContain('<html> [2Jlog in')
  expect(message).toContain('; check the address: this is what a page for browsers')
  expect(message.length).toBeLessThan(600)
})

test.for([
  ['/login?next=%2Ffleet&token=secret', 'it redirects to "https://git.example.com/login"'],
  ['https://user:secret@elsewhere.example.com/fleet.git', 'it redirects to "https://elsewhere.example.com/fleet.git"'],
  [undefined, 'it redirects to where it says no address'],
  ['http://[', 'it redirects to where it says no address'],
] as const)('a redirect to %s is told without what may be secret in it', ([location, where]) => {
  const { message } = movedTo(location, `${URL}/info/refs?service=git-upload-pack`)
  expect(message).toBe(`failed to read "${URL}": ${where}; use that address, if it is the repository and not a login page`)
})
