/**
 * Signatures as documented: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries (with its test values);
 * https://docs.gitlab.com/user/project/integrations/webhooks/; e2e `forge` gets those of a real Gitea.
 */
import { expect, test } from 'vitest'
import { isSigned } from '../../../src/forge/webhook/signature.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const body = (text: string) => Buffer.from(text)

test('a body signed as in the documentation of GitHub is signed', () => {
  const headers = { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' }
  const secrets = ["It's a Secret to Everybody"]
  expect(isSigned({ headers, body: body('Hello, World!') }, { secrets, now: NOW })).toBe(true)
  expect(isSigned({ headers, body: body('Hello, World.') }, { secrets, now: NOW })).toBe(false)
})

test('a body signed by Gitea alone, without the header of GitHub, is signed', () => {
  const headers = { 'x-gitea-signature': '9c312c4f96120868375e968d41725d4e4bdde5fc858424f077d61ee5266646f2' }
  const push = body('{"ref":"refs/heads/main","repository":{"full_name":"platform/fleet"}}')
  expect(isSigned({ headers, body: push }, { secrets: ['a newer secret of ours', 'a secret of sixteen'], now: NOW })).toBe(true)
  expect(isSigned({ headers, body: push }, { secrets: ['a newer secret of ours'], now: NOW })).toBe(false)
})

const GITLAB = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': '1767225600',
  // openssl dgst -sha256 -mac HMAC over "msg_1.1767225600.BODY".
  'webhook-signature': 'v1,AAAA v1,4qHBml0NYlZscAMWIoJBf+Z6ZB4IMBYoznYEfINQTEE=',
}
const SIGNED_BODY = body('{"object_kind":"push","ref":"refs/heads/main","project":{"path_with_namespace":"platform/fleet"}}')
const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']

test.each([
  ['at its time', 0, true],
  ['five minutes later', 300_000, true],
  ['recorded and sent again after that', 300_001, false],
  ['by a clock that is ahead', -300_001, false],
])('a body signed with the signing token of GitLab, %s', (_, later, expected) => {
  expect(isSigned({ headers: GITLAB, body: SIGNED_BODY }, { secrets, now: NOW + later })).toBe(expected)
})

test('another id or time than the signed one is not signed', () => {
  for (const other of [{ 'webhook-id': 'msg_2' }, { 'webhook-timestamp': '1767225601' }])
    expect(isSigned({ headers: { ...GITLAB, ...other }, body: SIGNED_BODY }, { secrets, now: NOW })).toBe(false)
})

test('the secret token of GitLab is compared as a whole', () => {
  const sent = (token: string) => isSigned({ headers: { 'x-gitlab-token': token }, body: body('{}') }, { secrets, now: NOW })
  expect(sent(secrets[0] ?? '')).toBe(true)
  expect([sent(''), sent('whsec_'), sent(`${secrets[0]} `)]).toEqual([false, false, false])
})

test('a delivery without a signature, or with two, is not signed', () => {
  const twice = ['sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17', 'sha256=00']
  const known = { secrets: ["It's a Secret to Everybody"], now: NOW }
  expect(isSigned({ headers: {}, body: body('Hello, World!') }, known)).toBe(false)
  expect(isSigned({ headers: { 'x-hub-signature-256': twice }, body: body('Hello, World!') }, known)).toBe(false)
})
