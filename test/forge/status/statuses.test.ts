/**
 * Requests and answers as documented: GitHub https://docs.github.com/en/rest/commits/statuses; GitLab https://docs.gitlab.com/api/commits/ (commit
 * status), and https://gitlab.com/gitlab-org/gitlab-foss/-/issues/25807 of a state that is there already; Gitea: /api/swagger of 1.26, and e2e
 * `forge` asks a real one.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ForgeError } from '../../../src/forge/status/commit-status.ts'
import { githubStatuses } from '../../../src/forge/status/github-statuses.ts'
import { gitlabStatuses } from '../../../src/forge/status/gitlab-statuses.ts'
import { type ForgeServer, startForgeServer } from './forge-server.ts'

const COMMIT = 'a'.repeat(40)
const NOW = Date.UTC(2026, 0, 1)
const status = { commit: COMMIT, context: 'nodewave/workers', state: 'pending', description: '1/3 nodes' } as const
const { signal } = new AbortController()
let server: ForgeServer
let tokens: string[]

beforeEach(async () => {
  server = await startForgeServer()
  tokens = ['one', 'two']
})
afterEach(() => server[Symbol.asyncDispose]())

function access(repository = 'platform/fleet') {
  return { url: server.url, repository, token: async () => tokens.shift() ?? '', now: () => NOW }
}

test('a status is posted to GitHub and Gitea, with the token that the file has then', async () => {
  const github = githubStatuses(access())
  server.answers = [{ status: 201 }, { status: 201 }]
  await github.post(status, signal)
  await github.post({ ...status, state: 'success' }, signal)
  expect(server.asked).toEqual([
    {
      line: `POST /api/repos/platform/fleet/statuses/${COMMIT}`,
      body: { context: 'nodewave/workers', state: 'pending', description: '1/3 nodes' },
      authorization: 'Bearer one',
      privateToken: undefined,
    },
    expect.objectContaining({ authorization: 'Bearer two', body: expect.objectContaining({ state: 'success' }) }),
  ])
})

test('the newest status of each context is read, in the words of GitHub and of Gitea', async () => {
  server.answers = [
    {
      status: 200,
      body: [
        { context: 'nodewave/workers', state: 'success', description: 'done' },
        { context: 'nodewave/workers', state: 'pending', description: '1/3' },
        { context: 'ci', status: 'warning', description: null },
      ],
    },
  ]
  expect(await githubStatuses(access()).list(COMMIT, signal)).toEqual([
    { context: 'nodewave/workers', state: 'success', description: 'done' },
    { context: 'ci', state: 'error', description: '' },
  ])
  expect(server.asked.map(({ line }) => line)).toEqual([
    `GET /api/repos/platform/fleet/commits/${COMMIT}/statuses?per_page=100&limit=50&sort=leastindex&page=1`,
  ])
})

test.each([
  ['GitHub', githubStatuses, 100],
  ['Gitea', githubStatuses, 50],
  ['GitLab', gitlabStatuses, 100],
])('statuses of a commit that fill a page of %s are read to the end', async (_, statuses, size) => {
  const of = (name: string) => ({ context: name, name, state: 'success', status: 'success', description: 'd' })
  const page = Array.from({ length: size }, (_, index) => of(`ci/${index}`))
  server.answers = [
    { status: 200, body: page },
    { status: 200, body: [of('nodewave/workers')] },
  ]
  const found = await statuses(access()).list(COMMIT, signal)
  expect(found.at(-1)?.context).toBe('nodewave/workers')
  expect(server.asked.map(({ line }) => /[?&]page=\d/.exec(line)?.[0].slice(1))).toEqual(['page=1', 'page=2'])
})

test('a commit with statuses without end is read for ten pages', async () => {
  const page = Array.from({ length: 100 }, (_, index) => ({ context: `ci/${index}`, state: 'success' }))
  server.answers = Array.from({ length: 12 }, () => ({ status: 200, body: page }))
  await githubStatuses(access()).list(COMMIT, signal)
  expect(server.asked).toHaveLength(10)
})

test('a status is posted to GitLab in its words, for a project in nested groups', async () => {
  server.answers = [{ status: 201 }]
  await gitlabStatuses(access('a/b/fleet')).post({ ...status, state: 'failure' }, signal)
  expect(server.asked).toEqual([
    {
      line: `POST /api/projects/a%2Fb%2Ffleet/statuses/${COMMIT}`,
      body: { state: 'failed', name: 'nodewave/workers', description: '1/3 nodes' },
      authorization: undefined,
      privateToken: 'one',
    },
  ])
})

test('a state that GitLab has already is posted', async () => {
  const message = 'Cannot transition status via :run from :running (Reason(s): Status cannot transition via "run")'
  server.answers = [{ status: 400, body: { message } }]
  await gitlabStatuses(access()).post(status, signal)
  expect(server.asked).toHaveLength(1)
})

test('statuses of GitLab are read in our words', async () => {
  const of = (name: string, state: string) => ({ name, status: state, description: 'd' })
  server.answers = [{ status: 200, body: [of('a', 'running'), of('b', 'success'), of('c', 'failed'), of('d', 'created')] }]
  const found = await gitlabStatuses(access()).list(COMMIT, signal)
  expect(found.map(({ context, state }) => `${context} ${state}`)).toEqual(['a pending', 'b success', 'c failure', 'd pending'])
})

test.each([
  ['says when', { status: 429, headers: { 'retry-after': '30' } }, 30_000],
  [
    'has no requests left',
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 90) } },
    90_000,
  ],
  ['says a date', { status: 503, headers: { 'retry-after': new Date(NOW + 90_000).toUTCString() } }, 90_000],
  ['says a date of next year', { status: 429, headers: { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' } }, 3_600_000],
  ['wants a day', { status: 429, headers: { 'retry-after': '86400' } }, 3_600_000],
  ['does not say', { status: 403, headers: { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '1' } }, undefined],
])('a forge that %s is asked again by then', async (_, answer, retryAfter) => {
  server.answers = [{ ...answer, body: { message: 'slow\u001b[31m down' } }]
  const error = await githubStatuses(access())
    .post(status, signal)
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ForgeError)
  expect((error as ForgeError).retryAfter).toBe(retryAfter)
  expect((error as ForgeError).message).toMatch(/: HTTP (429|403|503): slow\\u\{1b\}\[31m down/)
})

test.each([
  ['404, a commit that was pushed away, lies in the request', { status: 404 }, true],
  ['422, the maximum of statuses of a commit, lies in the request', { status: 422 }, true],
  ['401 lies in the token', { status: 401 }, false],
  ['403 lies in the token', { status: 403 }, false],
  ['503 lies in the server', { status: 503 }, false],
])('an answer of %s', async (_, answer, isRefusal) => {
  server.answers = [answer]
  const error = await githubStatuses(access())
    .post(status, signal)
    .catch((thrown: unknown) => thrown)
  expect((error as ForgeError).isRefusal).toBe(isRefusal)
})

test('a redirect is not followed, since the token is for this server', async () => {
  server.answers = [{ status: 307, headers: { location: 'http://127.0.0.1:1/' } }]
  await expect(githubStatuses(access()).post(status, signal)).rejects.toThrow(/unexpected redirect/)
})

test('an answer over 2 MiB is not read', async () => {
  server.answers = [{ status: 200, body: [{ context: 'x'.repeat(2 * 1024 * 1024) }] }]
  await expect(githubStatuses(access()).list(COMMIT, signal)).rejects.toThrow('the answer is longer than 2097152 bytes')
})

test('no error has the token', async () => {
  tokens = ['secret-token']
  server.answers = [{ status: 401, body: { message: 'Bad credentials' } }]
  const error = (await githubStatuses(access())
    .post(status, signal)
    .catch((thrown: unknown) => thrown)) as Error
  expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api: HTTP 401: Bad credentials/)
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-token')
})

test('statuses by account on GitHub and Gitea are the newest of each context and account', async () => {
  const of = (state: string, login: string, description: string) => ({
    ...{ context: 'nodewave/staging/workers', state, description },
    creator: { login },
  })
  server.answers = [
    {
      status: 200,
      body: [
        of('success', 'mallory', 'forged'),
        { ...of('success', '', 'by nobody'), creator: null },
        of('failure', 'Nodewave[bot]', 'rolled back'),
        of('success', 'nodewave[bot]', 'done'),
      ],
    },
  ]
  expect(await githubStatuses(access()).listByAccount(COMMIT, signal)).toEqual([
    { context: 'nodewave/staging/workers', state: 'success', description: 'forged', account: 'mallory' },
    { context: 'nodewave/staging/workers', state: 'success', description: 'by nobody', account: '' },
    { context: 'nodewave/staging/workers', state: 'failure', description: 'rolled back', account: 'Nodewave[bot]' },
  ])
})

test('statuses by account on GitLab have those that another account hides', async () => {
  const of = (id: number, status: string, username: string) => ({
    ...{ id, name: 'nodewave/staging/workers', status, description: null },
    author: { username },
  })
  server.answers = [
    { status: 200, body: [of(1, 'running', 'nodewave'), of(2, 'failed', 'nodewave'), of(3, 'success', 'mallory')] },
  ]
  expect(await gitlabStatuses(access()).listByAccount(COMMIT, signal)).toEqual([
    { context: 'nodewave/staging/workers', state: 'success', description: '', account: 'mallory' },
    { context: 'nodewave/staging/workers', state: 'failure', description: '', account: 'nodewave' },
  ])
  expect(server.asked[0]?.line).toContain('all=true')
})

test('a commit with more statuses on GitLab than are read is an error, for the newest one may be missing', async () => {
  const status = { id: 1, name: 'x', status: 'success', description: null, author: { username: 'nodewave' } }
  server.answers = Array.from({ length: 10 }, () => ({ status: 200, body: Array(100).fill(status) }))
  tokens = Array(10).fill('one')
  await expect(gitlabStatuses(access()).listByAccount(COMMIT, signal)).rejects.toThrow('has more than 1000 statuses')
})

test('a forge that limits requests is asked again after as long as it says, where somebody waits for it', async () => {
  const waits: number[] = []
  const patience = { longest: 60_000, sleep: async (milliseconds: number) => void waits.push(milliseconds) }
  const limited = (after: string) => ({ status: 429, headers: { 'retry-after': after } })
  server.answers = [limited('30'), limited('0'), { status: 201 }]
  await githubStatuses({ ...access(), patience }).post(status, signal)
  expect(waits).toEqual([30_000, 1000])
  expect(server.asked).toHaveLength(3)
})

test('a forge that asks for a longer wait than is left is not waited for', async () => {
  const waits: number[] = []
  const patience = { longest: 60_000, sleep: async (milliseconds: number) => void waits.push(milliseconds) }
  server.answers = [
    { status: 429, headers: { 'retry-after': '40' } },
    { status: 429, headers: { 'retry-after': '30' } },
    { status: 500 },
  ]
  await expect(githubStatuses({ ...access(), patience }).post(status, signal)).rejects.toThrow('HTTP 429')
  await expect(githubStatuses({ ...access(), patience }).post(status, signal)).rejects.toThrow('HTTP 500')
  expect(waits).toEqual([40_000])
})
