import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../../src/sim/git-server.ts'
import { aForge, type ForgeDouble } from './forge-double.ts'
import { aFolder, FLEET, NODES, type Outcome, runCli, writeFiles } from './run-cli.ts'

const POOL = FLEET['pools/workers.yaml']
const run = promisify(execFile)

interface World {
  readonly forge: ForgeDouble
  readonly folder: string
  /** Commits and pushes; gives the id. */
  push(files: Readonly<Record<string, string>>): Promise<string>
  plan(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>
}

/** A repository with the fleet in a folder, and a pull request 7 from its first commit. */
async function aWorld(first: Readonly<Record<string, string>> = FLEET): Promise<World> {
  const folder = await aFolder({ 'nodes.json': NODES })
  const server = await startGitServer({ root: join(folder, 'served') })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const url = await server.createRepository('platform/fleet.git')
  const forge = await aForge(server.url)
  const git = async (...args: readonly string[]) => (await run('git', ['-C', join(folder, 'work'), ...args])).stdout.trim()
  await run('git', ['init', '--quiet', '--initial-branch=main', join(folder, 'work')])
  const push = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const placed = Object.entries(files).map(([path, text]) => [`work/fleet/${path}`, text])
    await writeFiles(folder, Object.fromEntries(placed))
    await git('add', '--all')
    await git('-c', 'user.name=a', '-c', 'user.email=a@example.invalid', 'commit', '--quiet', '-m', 'change')
    await git('push', '--quiet', url, 'HEAD:main')
    return git('rev-parse', 'HEAD')
  }
  forge.pull = { ...forge.pull, base: await push(first) }
  return {
    forge,
    folder,
    push,
    plan: (args = [], env = {}) =>
      runCli(
        folder,
        [
          'plan',
          'fleet/',
          '--pr',
          `${forge.url}/platform/fleet/pulls/7`,
          '--insecure-http',
          '--nodes',
          'nodes.json',
          ...SERVER,
          ...args,
        ],
        { env: { HOME: folder, NODEWAVE_FORGE_TOKEN: 'secret-token', ...env } },
      ),
  }
}

const SERVER = ['--server-version', '1.36']
const UPGRADE = { 'pools/workers.yaml': POOL.replace('1.35.4', '1.36.3') }

async function propose(world: World, files: Readonly<Record<string, string>>): Promise<string> {
  const head = await world.push(files)
  world.forge.pull = { ...world.forge.pull, head }
  return head
}

test('plan --pr comments on the pull request and sets a status, without a clone', async () => {
  const world = await aWorld()
  const head = await propose(world, UPGRADE)
  const { stdout, stderr, code } = await world.plan(['-o', 'markdown'])
  const text = '2 of 3 nodes change, greatest disruption: drain; about 11m 20s, at most 1 node unavailable at once'
  expect([code, stderr]).toEqual([0, `the comment on pull request 7 is created; status "nodewave/plan": success: ${text}\n`])
  expect(world.forge.comments).toEqual([{ id: 1, body: expect.stringContaining(stdout), user: { id: 3 } }])
  expect(stdout).toContain('| <code>version</code> | <code>1.35.4</code> | <code>1.36.3</code> |')
  expect(world.forge.statuses).toEqual([{ commit: head, context: 'nodewave/plan', state: 'success', description: text }])
})

test('plan --pr of the next commit updates the comment in place', async () => {
  const world = await aWorld()
  await propose(world, UPGRADE)
  await world.plan()
  await propose(world, { 'base.yaml': FLEET['base.yaml'].replace('110', '250') })
  const { stderr } = await world.plan()
  expect(stderr).toContain('the comment on pull request 7 is updated')
  expect(world.forge.comments).toHaveLength(1)
  expect(world.forge.comments[0]?.body).toContain('config.maxPods')
  expect((await world.plan()).stderr).toContain('the comment on pull request 7 is unchanged')
})

test('plan --pr leaves the comment to the next commit when there is one by the time it has planned', async () => {
  const world = await aWorld()
  const old = await propose(world, UPGRADE)
  const { base } = world.forge.pull
  const next = await world.push({ 'base.yaml': FLEET['base.yaml'].replace('110', '250') })
  const heads = [old, next]
  Object.defineProperty(world.forge, 'pull', { get: () => ({ base, head: heads.shift() }) })
  const { stderr, code } = await world.plan()
  expect([code, world.forge.comments]).toEqual([0, []])
  expect(stderr).toContain(
    `the comment on pull request 7 is left to the job of commit ${next.slice(0, 7)}; status "nodewave/plan"`,
  )
  expect(world.forge.statuses).toEqual([expect.objectContaining({ commit: old })])
})

test('plan --pr updates no comment of somebody else, whatever stands in it', async () => {
  const world = await aWorld()
  await propose(world, UPGRADE)
  world.forge.comments.push({
    id: 1,
    body: '<!-- nodewave plan: nodewave/plan -->\n**Passes:** nothing happens',
    user: { id: 9 },
  })
  await world.plan()
  expect(world.forge.comments.map(({ user }) => user.id)).toEqual([9, 3])
})

test('plan --pr of an invalid fleet says what is wrong, fails the check and ends with 2', async () => {
  const world = await aWorld()
  const head = await propose(world, { 'baseline.yaml': FLEET['baseline.yaml'].replace('{v:', '{vv:') })
  const { stdout, code } = await world.plan()
  expect(code).toBe(2)
  expect(stdout).toContain('<code>baseline.yaml:5:11')
  expect(world.forge.comments[0]?.body).toContain('**Fails:** the fleet is invalid: 1 error\n')
  expect(world.forge.statuses).toEqual([
    { commit: head, context: 'nodewave/plan', state: 'failure', description: 'the fleet is invalid: 1 error' },
  ])
})

test('plan --pr of an invalid fleet prints its problems as JSON when it is asked for JSON', async () => {
  const world = await aWorld()
  await propose(world, { 'baseline.yaml': FLEET['baseline.yaml'].replace('{v:', '{vv:') })
  const { stdout, code } = await world.plan(['-o', 'json'])
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toEqual({
    error: 'the fleet is invalid: 1 error',
    problems: [expect.objectContaining({ file: 'baseline.yaml', line: 5, column: 11, found: 'vv' })],
  })
})

test('plan --pr of a correction passes, although there is nothing to compare it with', async () => {
  const world = await aWorld({ ...FLEET, 'baseline.yaml': FLEET['baseline.yaml'].replace('{v:', '{vv:') })
  await propose(world, { 'baseline.yaml': FLEET['baseline.yaml'] })
  const { code } = await world.plan()
  expect(code).toBe(0)
  expect(world.forge.comments[0]?.body).toMatch(
    /\*\*Passes:\*\* the fleet is valid; it was invalid at [0-9a-f]{7}, so there is nothing to compare/,
  )
})

test('plan --pr fails the check of a change that no controller begins with', async () => {
  const world = await aWorld()
  await propose(world, { 'pools/workers.yaml': POOL.replace('1.35.4', '1.34.0') })
  const { code } = await world.plan()
  expect([code, world.forge.statuses]).toEqual([2, [expect.objectContaining({ state: 'failure' })]])
})

test('plan --pr shows the warnings that the change brings, and not those that were there', async () => {
  const withFlags = (flags: string, config = ''): Record<string, string> => ({
    'baseline.yaml': FLEET['baseline.yaml'].replace('{v: 2', `{v: 2, ${flags}`),
    'base.yaml': `${FLEET['base.yaml']}${config}`,
  })
  const world = await aWorld({ ...FLEET, ...withFlags('max-pods: 50') })
  await propose(world, withFlags('registry-qps: 7, max-pods: 50', '    registryPullQPS: 3\n'))
  await world.plan()
  const [, warnings = ''] = world.forge.comments[0]?.body.split('The change brings 1 warning:\n\n') ?? []
  expect(warnings).toContain('the kubelet uses --registry-qps from here')
  expect(warnings).not.toContain('the kubelet uses --max-pods')
})

test('plan --pr finds its pull request in what GitHub and Gitea tell a job', async () => {
  const world = await aWorld()
  await propose(world, UPGRADE)
  const event = { pull_request: { html_url: `${world.forge.url}/platform/fleet/pulls/7` } }
  await writeFiles(world.folder, { 'event.json': JSON.stringify(event) })
  const env = {
    ...{ HOME: world.folder, NODEWAVE_FORGE_TOKEN: 'secret-token', GITHUB_EVENT_PATH: join(world.folder, 'event.json') },
    ...{ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'platform/fleet', GITHUB_RUN_ID: '99' },
  }
  const args = ['plan', 'fleet', '--insecure-http', '--nodes', 'nodes.json', ...SERVER, '--pr']
  expect((await runCli(world.folder, args, { env })).code).toBe(0)
  const job = 'https://github.com/platform/fleet/actions/runs/99'
  expect(world.forge.comments[0]?.body).toContain(`[this job](${job})`)
  expect(world.forge.statuses).toEqual([expect.objectContaining({ target_url: job })])
})

test('the token goes to the forge, and into nothing that is shown', async () => {
  const world = await aWorld()
  await propose(world, UPGRADE)
  const { stdout, stderr } = await world.plan()
  const basic = `Basic ${Buffer.from('x-access-token:secret-token').toString('base64')}`
  expect(world.forge.authorizations).toEqual(new Set(['Bearer secret-token', basic]))
  expect(stdout + stderr + JSON.stringify([world.forge.comments, world.forge.statuses])).not.toContain('secret-token')
})

test.each([
  [
    'without a token',
    [],
    { NODEWAVE_FORGE_TOKEN: '' },
    '--pr needs a token of the forge in the environment variable NODEWAVE_FORGE_TOKEN',
  ],
  ['with a name that could end the marker', ['--pr-context', 'a-->b'], {}, 'invalid --pr-context "a-->b"'],
  ['together with --to', ['--to', 'HEAD'], {}, "option '--pr [url]' cannot be used with option '--to <rev>'"],
])('plan --pr %s is refused', async (_, args, env, message) => {
  const world = await aWorld()
  const { stderr, code } = await world.plan(args, env as Record<string, string>)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('plan --pr sends no token over http:// unless told to', async () => {
  const folder = await aFolder({ 'nodes.json': NODES })
  const args = ['plan', '--pr', 'http://git.example.com/platform/fleet/pulls/7', '--nodes', 'nodes.json']
  const { stderr } = await runCli(folder, args, { env: { NODEWAVE_FORGE_TOKEN: 'x' } })
  expect(stderr).toContain('refuse to send the token to "http://git.example.com/api/v1"')
})

test.each([
  ['no pull request', true, {}, '--pr finds no pull request in the environment'],
  [
    'another URL',
    'https://github.com/platform/fleet',
    {},
    '--pr "https://github.com/platform/fleet": expected the URL of a pull request',
  ],
])('plan --pr with %s says what to pass', async (_, url, env, message) => {
  const folder = await aFolder({})
  const { stderr, code } = await runCli(folder, ['plan', '--pr', ...(url === true ? [] : [url as string])], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
