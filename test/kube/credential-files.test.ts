import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentialsFrom } from '../../src/kube/credential-files.ts'
import { ManualTimers } from './manual-timers.ts'

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'nodewave-credentials-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test('credentials are read again when their file was replaced, at the earliest a second after the last look', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'token')
  const timers = new ManualTimers()
  await writeFile(file, 'first\n')
  const credentials = credentialsFrom({ token: { file } }, timers)
  expect(await credentials()).toEqual({ token: 'first' })
  await writeFile(file, 'second')
  expect(await credentials()).toEqual({ token: 'first' })
  timers.advance(1000)
  expect(await credentials()).toEqual({ token: 'second' })
})

test('credentials are read again at once when the last ones were refused', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'token')
  await writeFile(file, 'first')
  const credentials = credentialsFrom({ token: { file } }, new ManualTimers())
  await credentials()
  await writeFile(file, 'second')
  expect(await credentials({ refused: true })).toEqual({ token: 'second' })
})

test('credentials follow a symlink that moves on to another file', async () => {
  await using folder = await temporaryFolder()
  const at = (name: string) => join(folder.path, name)
  const timers = new ManualTimers()
  await writeFile(at('one.pem'), 'one')
  await writeFile(at('two.pem'), 'two')
  await symlink('one.pem', at('current.pem'))
  const credentials = credentialsFrom({ cert: { file: at('current.pem') }, key: { text: 'inline' } }, timers)
  expect(await credentials()).toEqual({ cert: 'one', key: 'inline' })
  await symlink('two.pem', at('next.pem'))
  await rename(at('next.pem'), at('current.pem'))
  timers.advance(1000)
  expect(await credentials()).toEqual({ cert: 'two', key: 'inline' })
})

test('credentials fail, to be retried, when their file is not there', async () => {
  await expect(credentialsFrom({ token: { file: '/does/not/exist' } })()).rejects.toMatchObject({
    message: 'failed to read credentials "/does/not/exist": ENOENT',
    reason: 'CredentialsUnreadable',
    reaction: 'retry',
  })
})
