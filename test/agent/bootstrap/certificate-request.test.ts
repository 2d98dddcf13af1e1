import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { certificateRequest, newKey, requestName } from '../../../src/agent/bootstrap/certificate-request.ts'

test('request is one that openssl reads and verifies, for the node and signed with its key', () => {
  const request = certificateRequest(newKey(), 'worker-1.example.com')
  const read = execFileSync('openssl', ['req', '-verify', '-noout', '-subject', '-nameopt', 'RFC2253'], {
    input: request,
    stdio: ['pipe', 'pipe', 'pipe'],
  }).toString()

  expect(read).toContain('subject=CN=system:node:worker-1.example.com,O=system:nodes')
})

test('request of a name of 250 characters is read as well', () => {
  const name = `${'a'.repeat(62)}.`.repeat(4).slice(0, 250)
  const request = certificateRequest(newKey(), name)
  expect(execFileSync('openssl', ['req', '-noout', '-text'], { input: request }).toString()).toContain(`system:node:${name}`)
})

test('request has the same name for the same key, and another for another', () => {
  const key = newKey()
  expect(requestName(key)).toBe(requestName(key))
  expect(requestName(key)).not.toBe(requestName(newKey()))
  expect(requestName(key)).toMatch(/^node-csr-[0-9a-f]{43}$/)
})
