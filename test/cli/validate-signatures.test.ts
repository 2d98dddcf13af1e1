import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { aFolder, commitAll, FLEET, runCli } from './run-cli.ts'

const run = promisify(execFile)

/** A fleet with an unsigned commit and a signed one after it, and the file of trusted keys. */
async function signedFleet() {
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  const unsigned = (await run('git', ['rev-parse', 'HEAD'], { cwd: folder })).stdout.trim()
  const keys = await aFolder({})
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(keys, 'key')])
  await writeFile(join(keys, 'trusted'), `ada@example.invalid ${await readFile(join(keys, 'key.pub'), 'utf8')}`)
  const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${join(keys, 'key')}`]
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.invalid']
  await run('git', [...signing, ...who, 'commit', '-q', '-S', '--allow-empty', '-m', 'signed'], { cwd: folder })
  return { folder, unsigned, trusted: join(keys, 'trusted') }
}

test('validate checks the signature of the commit, and of all commits since another one', async () => {
  const { folder, unsigned, trusted } = await signedFleet()
  expect(await runCli(folder, ['validate', '--commit-keys', trusted])).toMatchObject({ code: 0, stderr: '' })
  expect(await runCli(folder, ['validate', '--commit-keys', trusted, '--since', unsigned])).toMatchObject({ code: 0 })
})

test('validate refuses a commit that no trusted key signed, and does not look into it', async () => {
  const { folder, unsigned, trusted } = await signedFleet()
  expect(await runCli(folder, ['validate', '--commit-keys', trusted, '--revision', unsigned])).toEqual({
    stdout: '',
    stderr: `error: refuse commit "${unsigned}": it is not signed; sign it (git commit -S) with a key that --commit-keys holds, or add the key there\n`,
    code: 2,
  })
})

test('validate refuses --since without keys', async () => {
  const { folder } = await signedFleet()
  expect(await runCli(folder, ['validate', '--since', 'HEAD~1'])).toMatchObject({
    stderr: expect.stringContaining('--since needs --commit-keys'),
    code: 2,
  })
})

test('plan checks the signature of the commit that it plans', async () => {
  const { folder, unsigned, trusted } = await signedFleet()
  await writeFile(join(folder, '.nodes.json'), '[{"name":"w-0"}]')
  const plan = (...more: readonly string[]) =>
    runCli(folder, ['plan', '--nodes', '.nodes.json', '--server-version', '1.36', '--commit-keys', trusted, ...more])
  expect(await plan('--to', 'HEAD')).toMatchObject({ code: 0, stderr: '' })
  expect((await plan('--to', unsigned)).stderr).toContain(`refuse commit "${unsigned}": it is not signed`)
  expect((await plan()).stderr).toContain('--commit-keys needs --to: only commits are signed')
})
