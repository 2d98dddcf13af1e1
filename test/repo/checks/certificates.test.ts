import { expect, test } from 'vitest'
import { AUTHORITY, NO_AUTHORITY } from '../certificates.ts'
import { aDocument, modelOf, problemsOf } from '../fleets.ts'

const profile = (certificate: object, files: Readonly<Record<string, string>> = {}) =>
  problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: ${JSON.stringify({ certificates: [certificate] })}\n`), ...files })

test('the certificate of an authority is part of a profile, also from a file', () => {
  expect(profile({ name: 'corp', content: AUTHORITY })).toEqual([])
  expect(profile({ name: 'corp', from: 'ca.pem' }, { 'ca.pem': AUTHORITY })).toEqual([])
  const spec = 'spec: {certificates: [{name: corp, from: ca.pem}]}\n'
  expect([...modelOf({ 'h.yaml': aDocument('HostProfile', 'h', spec), 'ca.pem': AUTHORITY }).attachments.keys()]).toEqual([
    'ca.pem',
  ])
})

test.each([
  ['one that is none of an authority', NO_AUTHORITY, 'expected the certificate of an authority (CA:TRUE)'],
  ['two in one', AUTHORITY + AUTHORITY, 'write each into an entry of its own'],
  ['a key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', 'expected one certificate in PEM form'],
  ['one that is cut short', AUTHORITY.replace(/\n.*\n-----END/, '\n-----END'), 'certificate: '],
])('%s is refused', (_, content, message) => {
  expect(profile({ name: 'corp', content })[0]).toContain(message)
})

test('a certificate that the repository does not have is refused', () => {
  expect(profile({ name: 'corp', from: 'ca.pem' })[0]).toContain('the repository has no file "ca.pem"')
})

test('a certificate has one source', () => {
  expect(profile({ name: 'corp' })[0]).toContain('expected one of content and from')
})
