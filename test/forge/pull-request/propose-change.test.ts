/**
 * Requests and answers as documented: GitHub https://docs.github.com/en/rest/repos/contents, /rest/git/refs, /rest/pulls/pulls#create-a-pull-request; GitLab
 * https://docs.gitlab.com/api/repository_files/, /api/commits/, /api/merge_requests/; Gitea: /api/swagger of 1.26, and e2e `forge` asks a real one.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { proposeOn } from '../../../src/forge/pull-request/propose-change.ts'
import { type ForgeServer, startForgeServer } from '../status/forge-server.ts'

const change = {
  base: 'main',
  branch: 'nodewave/promote-production-workers-1.36.3',
  path: 'fleet/clusters/production.yaml',
  before: Buffer.from('hello\n'),
  after: Buffer.from('bye\n'),
  title: 'production/workers: kubelet 1.36.3',
  body: 'why',
}
/** What `git hash-object` says of the text before. */
const BLOB = 'ce013625030ba8dba906f756967f9e9ca394464a'
const { signal } = new AbortController()
let server: ForgeServer

beforeEach(async () => {
  server = await startForgeServer()
})
afterEach(() => server[Symbol.asyncDispose]())

function access() {
  return { url: server.url, repository: 'platform/fleet', token: async () => 'secret', now: () => 0 }
}

const asked = () => server.asked.map(({ line, body }) => [line.replace('/api', ''), body])

test('a change is a branch, a commit of the file and a pull request on GitHub', async () => {
  server.answers = [
    { status: 200, body: { sha: BLOB } },
    { status: 200, body: { commit: { sha: 'abc' } } },
    { status: 201 },
    { status: 200 },
    { status: 201, body: { html_url: 'https://git.example.com/pull/1' } },
  ]
  expect(await proposeOn('github', access())(change, signal)).toBe('https://git.example.com/pull/1')
  expect(asked()).toEqual([
    ['GET /repos/platform/fleet/contents/fleet/clusters/production.yaml?ref=main', undefined],
    ['GET /repos/platform/fleet/branches/main', undefined],
    ['POST /repos/platform/fleet/git/refs', { ref: `refs/heads/${change.branch}`, sha: 'abc' }],
    [
      'PUT /repos/platform/fleet/contents/fleet/clusters/production.yaml',
      { branch: change.branch, message: change.title, content: 'YnllCg==', sha: BLOB },
    ],
    ['POST /repos/platform/fleet/pulls', { title: change.title, body: 'why', head: change.branch, base: 'main' }],
  ])
})

test('a change is a commit on a new branch and a pull request on Gitea', async () => {
  server.answers = [{ status: 200 }, { status: 201, body: { html_url: 'https://git.example.com/pulls/1' } }]
  expect(await proposeOn('gitea', access())(change, signal)).toBe('https://git.example.com/pulls/1')
  expect(asked()[0]).toEqual([
    'PUT /repos/platform/fleet/contents/fleet/clusters/production.yaml',
    { branch: 'main', new_branch: change.branch, message: change.title, content: 'YnllCg==', sha: BLOB },
  ])
})

test('a change is a commit on a new branch and a merge request on GitLab', async () => {
  server.answers = [
    { status: 200, body: { blob_id: BLOB } },
    { status: 201 },
    { status: 201, body: { web_url: 'https://git.example.com/-/merge_requests/1' } },
  ]
  expect(await proposeOn('gitlab', access())(change, signal)).toBe('https://git.example.com/-/merge_requests/1')
  expect(asked().map(([line]) => line)).toEqual([
    'GET /projects/platform%2Ffleet/repository/files/fleet%2Fclusters%2Fproduction.yaml?ref=main',
    'POST /projects/platform%2Ffleet/repository/commits',
    'POST /projects/platform%2Ffleet/merge_requests',
  ])
})

test.each([
  [
    'github',
    422,
    'Reference already exists',
    [
      { status: 200, body: { sha: BLOB } },
      { status: 200, body: { commit: { sha: 'abc' } } },
    ],
  ],
  ['gitea', 422, 'branch already exists', []],
  ['gitlab', 400, 'A branch called "x" already exists', [{ status: 200, body: { blob_id: BLOB } }]],
] as const)('a change whose branch is there already is proposed once on %s', async (forge, status, message, before) => {
  server.answers = [...before, { status, body: { message } }, { status: 200, body: [{ number: 1, state: 'closed' }] }]
  expect(await proposeOn(forge, access())(change, signal)).toBeUndefined()
  expect(asked().at(-1)).toEqual([ASKED_FOR_PULL[forge], undefined])
})

const ASKED_FOR_PULL = {
  github: 'GET /repos/platform/fleet/pulls?head=platform%3Anodewave%2Fpromote-production-workers-1.36.3&state=all',
  gitea: 'GET /repos/platform/fleet/pulls/main/nodewave/promote-production-workers-1.36.3',
  gitlab: 'GET /projects/platform%2Ffleet/merge_requests?source_branch=nodewave%2Fpromote-production-workers-1.36.3&state=all',
}

test.each([
  [
    'github',
    [
      { status: 200, body: { sha: BLOB } },
      { status: 200, body: { commit: { sha: 'abc' } } },
    ],
    { status: 200, body: [] },
  ],
  ['gitea', [], { status: 404 }],
  ['gitlab', [{ status: 200, body: { blob_id: BLOB } }], { status: 200, body: [] }],
] as const)(
  'a branch without a pull request, which an interrupted run leaves on %s, is an error',
  async (forge, before, pulls) => {
    server.answers = [...before, { status: 409, body: { message: 'branch already exists' } }, pulls]
    await expect(proposeOn(forge, access())(change, signal)).rejects.toThrow(
      'branch "nodewave/promote-production-workers-1.36.3" has no pull request: an earlier run was interrupted; delete the branch, and run it again',
    )
  },
)

test.each([
  ['github', { sha: 'other' }],
  ['gitlab', { blob_id: 'other' }],
] as const)('a change of another text than %s has is refused before a branch is made', async (forge, body) => {
  server.answers = [{ status: 200, body }]
  await expect(proposeOn(forge, access())(change, signal)).rejects.toThrow('on "main" is another than here; fetch it first')
  expect(server.asked).toHaveLength(1)
})
