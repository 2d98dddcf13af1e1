import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ControllerSetup, runController } from '../../src/cli/controller/run-controller.ts'
import { webhookOf } from '../../src/cli/controller/webhook-options.ts'
import { startGitServer } from '../../src/sim/git-server.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage, assignedRevision, NODES } from '../controller/stage.ts'
import { withDeadline } from '../waiting/until.ts'

const SECRET = 'a secret of sixteen'
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nodewave-test-'))
  await writeFile(join(folder, 'secret'), `${SECRET}\n`)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Never in the thread that is to serve it. */
async function git(...args: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main']
  return (await promisify(execFile)('git', ['-C', join(folder, 'work'), ...identity, ...args])).stdout.trim()
}

async function push(url: string, v: number): Promise<string> {
  await mkdir(join(folder, 'work'), { recursive: true })
  for (const [name, text] of Object.entries(aFleet({ v }))) await writeFile(join(folder, 'work', name), text)
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', `verbosity ${v}`)
  await git('push', '--quiet', url, 'HEAD:main')
  return git('rev-parse', 'HEAD')
}

/** As Gitea does after a push. */
async function deliver(port: string, body = '{"ref":"refs/heads/main","repository":{"full_name":"platform/fleet"}}') {
  const signature = createHmac('sha256', SECRET).update(body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-gitea-event': 'push', 'x-gitea-signature': signature }
  return (await fetch(`http://127.0.0.1:${port}/webhook`, { method: 'POST', headers, body })).status
}

test('a push that the forge delivers reaches the nodes an hour before the next poll', async () => {
  await using stage = await aStage()
  await stage.addNodes(2)
  await using server = await startGitServer({ root: folder })
  await mkdir(join(folder, 'platform'))
  const url = await server.createRepository('platform/fleet.git')
  await writeFile(join(folder, 'kubeconfig'), stage.server.kubeconfig())
  const reached = (commit: string) =>
    stage.until(NODES, (nodes) => [...nodes.values()].every((node) => assignedRevision(node) === commit))

  const first = await push(url, 2)
  const stop = new AbortController()
  const port = Promise.withResolvers<string>()
  const log: ControllerSetup['log'] = (_, message) => {
    const [, found] = /^receiving webhooks on port (\d+), path \/webhook$/.exec(message) ?? []
    if (found !== undefined) port.resolve(found)
  }
  const files = { kubeconfig: join(folder, 'kubeconfig'), webhookSecretFile: 'secret' }
  const webhookAddress = { host: '127.0.0.1', port: 0 }
  const running = runController(
    { repo: url, poll: 3_600_000, ceiling: false, webhookAddress, ...files, cwd: folder, env: {}, log },
    stop.signal,
  )
  await reached(first)
  const second = await push(url, 4)
  const listening = await withDeadline(port.promise, { for: 'the receiver', last: () => undefined })
  expect(await deliver(listening)).toBe(202)
  await reached(second)
  stop.abort()
  await running
})

const webhookAddress = { port: 9443 }
const given = { repo: 'https://git.example.com/platform/fleet.git', webhookAddress, webhookSecretFile: 'secret' }

test.each([
  ['https://git.example.com/platform/fleet.git', 'platform/fleet'],
  ['https://git.example.com/a/b/c%20d/', 'a/b/c d'],
  ['ssh://git@git.example.com:2222/platform/fleet.git', 'platform/fleet'],
  ['git@git.example.com:platform/fleet.git', 'platform/fleet'],
])('the repository of %s is that of its path', async (repo, repository) => {
  expect(await webhookOf({ ...given, repo, cwd: folder })).toMatchObject({ repository, refs: 'refs/heads/main', port: 9443 })
})

test.each([
  [{ branch: 'prod' }, 'refs/heads/prod'],
  [{ tag: 'live' }, 'refs/tags/live'],
  [{ semver: '~1.4' }, 'refs/tags/*'],
])('who follows %j is told of pushes to %s', async (ref, refs) => {
  expect(await webhookOf({ ...given, ...ref, cwd: folder })).toMatchObject({ refs })
})

test('a webhook for a commit is refused, because no push changes it', async () => {
  await expect(webhookOf({ ...given, commit: 'a'.repeat(40), cwd: folder })).rejects.toThrow('--commit exclude each other')
})

test('without an address there is no webhook, whatever else is given', async () => {
  expect(await webhookOf({ repo: '.', webhookSecretFile: 'nowhere', cwd: folder })).toBeUndefined()
})

test.each([
  [{ ...given, webhookSecretFile: undefined }, '--webhook-address needs --webhook-secret-file'],
  [{ ...given, repo: '/srv/fleet' }, '--webhook-address needs a --repo with a URL; a path is watched'],
  [{ ...given, webhookTlsCertFile: 'cert' }, '--webhook-tls-cert-file and --webhook-tls-key-file need each other'],
  [{ ...given, webhookSecretFile: 'short' }, 'is shorter than 16 characters'],
  [{ ...given, webhookSecretFile: 'empty' }, 'is empty'],
  [{ ...given, webhookSecretFile: 'nowhere' }, 'ENOENT'],
])('%j is refused', async (options, message) => {
  await writeFile(join(folder, 'short'), 'fifteen letters')
  await writeFile(join(folder, 'empty'), '\n')
  const { webhookSecretFile, ...more } = options
  await expect(webhookOf({ ...more, ...(webhookSecretFile && { webhookSecretFile }), cwd: folder })).rejects.toThrow(message)
})
