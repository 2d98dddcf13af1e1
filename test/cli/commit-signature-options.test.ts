import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signaturesOf } from '../../src/cli/controller/commit-signature-options.ts'
import { keyText } from '../gitsync/signature-fixture.ts'
import { aFolder } from './run-cli.ts'

test('no commit needs a signature when no keys are given', () => {
  expect(signaturesOf({ cwd: '/' })).toBeUndefined()
})

test('a mode without keys is refused', () => {
  expect(() => signaturesOf({ cwd: '/', commitSignatures: 'All' })).toThrow('--commit-signatures needs --commit-keys')
})

test('the head needs a signature by default, and the keys are those that the file has at the time', async () => {
  const cwd = await aFolder({})
  await writeFile(join(cwd, 'trusted'), keyText('ssh-ed25519.pub'))
  const policy = signaturesOf({ cwd, commitKeys: 'trusted' })
  expect(policy?.mode).toBe('Head')
  expect((await policy?.keys())?.signers).toHaveLength(1)
  await writeFile(join(cwd, 'trusted'), keyText('ssh-ed25519.pub') + keyText('ssh-rsa.pub'))
  expect((await policy?.keys())?.signers).toHaveLength(2)
  expect(signaturesOf({ cwd, commitKeys: 'trusted', commitSignatures: 'All' })?.mode).toBe('All')
})
