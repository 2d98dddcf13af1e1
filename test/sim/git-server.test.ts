import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type GitServerOptions, startGitServer } from '../../src/sim/git-server.ts'

const run = promisify(execFile)

async function start(options: Partial<GitServerOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-git-server-'))
  const server = await startGitServer({ root: join(folder, 'root'), ...options })
  const git = async (...args: string[]) =>
    (
      await run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: folder,
        env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
      })
    ).stdout
  const dispose = async () => {
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  }
  return { server, git, folder, [Symbol.asyncDispose]: dispose }
}

test('a push is received, told, and cloned again, even when it is larger than git sends in one piece', async () => {
  const pushes: string[] = []
  await using it = await start({ onPush: (repository) => pushes.push(repository) })
  const url = await it.server.createRepository('team/fleet.git')
  await it.git('clone', '--quiet', url, 'one')
  const bytes = Buffer.from(Array.from({ length: 2_000_000 }, (_, n) => (n * 7919) % 251))
  await writeFile(join(it.folder, 'one', 'large'), bytes)
  await it.git('-C', 'one', 'add', 'large')
  await it.git('-C', 'one', 'commit', '--quiet', '--message', 'large')
  await it.git('-C', 'one', '-c', 'core.compression=0', 'push', '--quiet', 'origin', 'HEAD:main')
  await it.git('clone', '--quiet', url, 'two')
  expect((await readFile(join(it.folder, 'two', 'large'))).equals(bytes)).toBe(true)
  expect(pushes).toEqual(['team/fleet.git'])
})

test('nobody gets in without the password when there is one', async () => {
  await using it = await start({ password: { username: 'bot', password: 'secret' } })
  const url = await it.server.createRepository('fleet.git')
  await expect(it.git('ls-remote', url)).rejects.toThrow(/terminal prompts disabled|could not read Username/)
  await expect(it.git('ls-remote', url.replace('://', '://bot:wrong@'))).rejects.toThrow('Authentication failed')
  expect(await it.git('ls-remote', url.replace('://', '://bot:secret@'))).toBe('')
})

test('what lies outside of the root is not served', async () => {
  await using it = await start()
  await it.server.createRepository('fleet.git')
  await run('git', ['init', '--quiet', '--bare', join(it.folder, 'outside.git')])
  for (const path of ['/..%2foutside.git', '/fleet.git/..%2f..%2foutside.git', '/none.git'])
    expect((await fetch(`${it.server.url}${path}/info/refs?service=git-upload-pack`)).ok).toBe(false)
})

test('git speaks its newest protocol with the server', async () => {
  await using it = await start()
  const url = await it.server.createRepository('fleet.git')
  const response = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers: { 'git-protocol': 'version=2' } })
  expect(await response.text()).toContain('version 2')
})
