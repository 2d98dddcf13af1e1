import { expect, test } from 'vitest'
import { endingCertificates } from '../../../src/cli/validate/ending-certificates.ts'
import { AUTHORITY } from '../../repo/certificates.ts'
import { aDocument, modelOf } from '../../repo/fleets.ts'

/** Its certificate is valid until 2126-10-29T10:04:27Z. */
const model = (spec: object) =>
  modelOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: ${JSON.stringify(spec)}\n`), 'ca.pem': AUTHORITY })
const fromFile = model({ certificates: [{ name: 'corp', from: 'ca.pem' }] })
const said = (found: ReturnType<typeof model>, now: string) =>
  endingCertificates(found, Date.parse(now)).map(({ severity, reason, message }) => [severity, reason, message])

test('certificate is not mentioned when it ends in more than 30 days', () => {
  expect(said(fromFile, '2126-09-29T10:04:26Z')).toEqual([])
})

test('certificate is a warning when it ends within 30 days', () => {
  expect(said(fromFile, '2126-09-29T10:04:27Z')).toEqual([
    ['warning', 'CertificateEnds', 'certificate "corp" expires on 2126-10-29, within 30 days'],
  ])
})

test('certificate is a warning when it has expired, also one that stands in the profile itself', () => {
  const warning = 'certificate "corp" expired on 2126-10-29: programs accept nothing that it signed'
  for (const found of [fromFile, model({ certificates: [{ name: 'corp', content: AUTHORITY }] })])
    expect(said(found, '2126-10-29T10:04:28Z')).toEqual([['warning', 'CertificateEnds', warning]])
})
