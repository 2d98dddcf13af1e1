import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePrivate } from '../../../src/agent/adapters/private-directory.ts'

test('makePrivate makes a directory that only its owner enters, and closes one that is open', async () => {
  const root = mkdtempSync(join(tmpdir(), 'nodewave-private-'))
  const old = join(root, 'old')
  mkdirSync(old)
  chmodSync(old, 0o755)
  await makePrivate(old)
  await makePrivate(join(root, 'var/lib/new'))

  expect(statSync(old).mode & 0o777).toBe(0o700)
  expect(statSync(join(root, 'var/lib/new')).mode & 0o777).toBe(0o700)
  rmSync(root, { recursive: true })
})
