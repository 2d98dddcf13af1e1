import { expect, test } from 'vitest'
import { accounts } from '../../../src/repo/schema/accounts.ts'

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx alice@example.com'
const isTaken = (key: string): boolean => accounts.users.safeParse([{ name: 'alice', sshKeys: [key] }]).success

test.each([
  KEY,
  'ssh-rsa AAAAB3NzaC1yc2E=',
  `restrict ${KEY}`,
  `restrict,from="10.0.0.0/8,192.0.2.1" ${KEY}`,
  `command="/usr/bin/rsync --server \\"a b\\"",no-pty ${KEY}`,
  `cert-authority,principals="ops" ${KEY}`,
])('an SSH key is taken: %s', (key) => {
  expect(isTaken(key)).toBe(true)
})

test.each([
  ['of two lines', `${KEY}\nssh-ed25519 AAAA`],
  ['with a second line in an option', `command="a\nb" ${KEY}`],
  ['with a quote that does not end', `from="10.0.0.0/8 ${KEY}`],
  ['that is private', '-----BEGIN OPENSSH PRIVATE KEY-----'],
  ['with options alone', 'restrict'],
])('an SSH key %s is refused', (_, key) => {
  expect(isTaken(key)).toBe(false)
})
