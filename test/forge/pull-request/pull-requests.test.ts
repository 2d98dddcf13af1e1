/**
 * Answers as the forges document them:
 * GitHub https://docs.github.com/rest/pulls/pulls#get-a-pull-request, /rest/commits/commits#compare-two-commits,
 * /rest/issues/comments, /graphql/reference/queries#viewer; GitLab https://docs.gitlab.com/api/merge_requests/#get-single-mr,
 * /api/notes/#merge-requests; Gitea: /api/swagger of 1.26, and e2e `forge` asks a real one.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { giteaPullRequests } from '../../../src/forge/pull-request/gitea-pull-requests.ts'
import { githubPullRequests } from '../../../src/forge/pull-request/github-pull-requests.ts'
import { gitlabPullRequests } from '../../../src/forge/pull-request/gitlab-pull-requests.ts'
import type { PullRequests } from '../../../src/forge/pull-request/pull-requests.ts'
import type { ForgeAccess } from '../../../src/forge/status/forge-request.ts'
import { type ForgeServer, startForgeServer } from '../status/forge-server.ts'

const HEAD = 'a'.repeat(40)
const BASE = 'b'.repeat(40)
const TARGET = 'c'.repeat(40)
const { signal } = new AbortController()

let server: ForgeServer
beforeEach(async () => {
  server = await startForgeServer()
})
afterEach(() => server[Symbol.asyncDispose]())

function clientOf(make: (access: ForgeAccess) => PullRequests, path = ''): PullRequests {
  return make({ url: server.url + path, repository: 'platform/fleet', token: async () => 'one', now: () => 0 })
}

function answered(...bodies: readonly unknown[]): void {
  server.answers = bodies.map((body) => ({ status: 200, body }))
}

const lines = (): string[] => server.asked.map(({ line }) => line)

test('GitHub tells the head of a pull request, and its merge base by a comparison', async () => {
  answered({ head: { sha: HEAD }, base: { sha: TARGET } }, { merge_base_commit: { sha: BASE }, files: [] })
  expect(await clientOf(githubPullRequests).commits(7, signal)).toEqual({ head: HEAD, base: BASE })
  expect(lines()).toEqual([
    'GET /api/repos/platform/fleet/pulls/7',
    `GET /api/repos/platform/fleet/compare/${TARGET}...${HEAD}?per_page=1`,
  ])
})

test('own comments on GitHub are those of the user that a query names', async () => {
  const comment = (id: number, user: number | undefined) => ({ id, body: `comment ${id}`, user: user && { id: user } })
  answered({ data: { viewer: { databaseId: 41898282 } } }, [comment(1, 5), comment(2, 41898282), comment(3, undefined)])
  expect(await clientOf(githubPullRequests).ownComments(7, signal)).toEqual([{ id: 2, body: 'comment 2' }])
  expect(server.asked.map(({ line, body }) => [line, body])).toEqual([
    ['POST /api/graphql', { query: '{viewer{databaseId}}' }],
    ['GET /api/repos/platform/fleet/issues/7/comments?per_page=100&page=1', undefined],
  ])
})

test("queries of a GitHub server of one's own have another path than its API", async () => {
  answered({ data: { viewer: { databaseId: 1 } } }, [])
  await clientOf(githubPullRequests, '/v3').ownComments(7, signal)
  expect(lines()).toEqual(['POST /api/graphql', 'GET /api/v3/repos/platform/fleet/issues/7/comments?per_page=100&page=1'])
})

test('Gitea tells the head and the merge base of a pull request', async () => {
  answered({ head: { sha: HEAD }, base: { sha: TARGET }, merge_base: BASE })
  expect(await clientOf(giteaPullRequests).commits(7, signal)).toEqual({ head: HEAD, base: BASE })
  expect(lines()).toEqual(['GET /api/repos/platform/fleet/pulls/7'])
})

test('own comments on Gitea are those of the owner of the token', async () => {
  answered({ id: 3 }, [
    { id: 1, body: 'a', user: { id: 2 } },
    { id: 2, body: 'b', user: { id: 3 } },
  ])
  expect(await clientOf(giteaPullRequests).ownComments(7, signal)).toEqual([{ id: 2, body: 'b' }])
  expect(lines()).toEqual(['GET /api/user', 'GET /api/repos/platform/fleet/issues/7/comments?per_page=100&page=1'])
})

test.each([
  ['GitHub', githubPullRequests],
  ['Gitea', giteaPullRequests],
])('a comment on %s is one on the issue of that number', async (_, make) => {
  answered({ id: 5 }, { id: 5 })
  await clientOf(make).comment(7, 'plan', signal)
  await clientOf(make).edit(7, { id: 5, body: 'other' }, signal)
  expect(server.asked).toEqual([
    {
      line: 'POST /api/repos/platform/fleet/issues/7/comments',
      body: { body: 'plan' },
      authorization: 'Bearer one',
      privateToken: undefined,
    },
    {
      line: 'PATCH /api/repos/platform/fleet/issues/comments/5',
      body: { body: 'other' },
      authorization: 'Bearer one',
      privateToken: undefined,
    },
  ])
})

test('GitLab tells the commits of a merge request', async () => {
  answered({ sha: HEAD, diff_refs: { base_sha: BASE, head_sha: HEAD, start_sha: TARGET } })
  expect(await clientOf(gitlabPullRequests).commits(7, signal)).toEqual({ head: HEAD, base: BASE })
  expect(lines()).toEqual(['GET /api/projects/platform%2Ffleet/merge_requests/7'])
})

test('GitLab may still prepare a merge request', async () => {
  answered({ sha: HEAD, diff_refs: null })
  await expect(clientOf(gitlabPullRequests).commits(7, signal)).rejects.toThrow(/it may still be prepared, so run it again/)
})

test('comments on GitLab are notes', async () => {
  const note = (id: number, author: number) => ({ id, body: `note ${id}`, author: { id: author } })
  answered({ id: 3 }, [note(1, 2), note(2, 3)], {}, {})
  const client = clientOf(gitlabPullRequests)
  expect(await client.ownComments(7, signal)).toEqual([{ id: 2, body: 'note 2' }])
  await client.comment(7, 'plan', signal)
  await client.edit(7, { id: 2, body: 'other' }, signal)
  const request = '/api/projects/platform%2Ffleet/merge_requests/7'
  expect(server.asked.map(({ line, body, privateToken }) => [line, body, privateToken])).toEqual([
    ['GET /api/user', undefined, 'one'],
    [`GET ${request}/notes?per_page=100&page=1&sort=asc`, undefined, 'one'],
    [`POST ${request}/notes`, { body: 'plan' }, 'one'],
    [`PUT ${request}/notes/2`, { body: 'other' }, 'one'],
  ])
})

test('an answer that is something else is an error, and no plan', async () => {
  answered({ message: 'hello' })
  await expect(clientOf(giteaPullRequests).commits(7, signal)).rejects.toThrow(/the answer is no pull request$/)
})
