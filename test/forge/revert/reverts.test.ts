import { afterEach, beforeEach, expect, test } from 'vitest'
import { revertRequestsOn } from '../../../src/forge/revert/reverts-on.ts'
import { type ForgeServer, startForgeServer } from '../status/forge-server.ts'

const PARENT = 'c'.repeat(40)
const place = { base: 'main', branch: 'nodewave/revert-bbbbbbbbbbbb' }
const commit = {
  ...{ ...place, parent: PARENT, message: 'Revert b' },
  files: [
    { path: 'fleet/a.yaml', before: Buffer.from('hello\n'), after: Buffer.from('bye\n') },
    { path: 'fleet/new.yaml', before: Buffer.from('hello\n') },
    { path: 'fleet/gone.yaml', after: Buffer.from('bye\n') },
  ],
}
/** What `git hash-object` says of "hello". */
const BLOB = 'ce013625030ba8dba906f756967f9e9ca394464a'
const BYE = 'YnllCg=='
const { signal } = new AbortController()
let server: ForgeServer

beforeEach(async () => {
  server = await startForgeServer()
})
afterEach(() => server[Symbol.asyncDispose]())

function on(forge: 'github' | 'gitea' | 'gitlab') {
  return revertRequestsOn(forge, { url: server.url, repository: 'platform/fleet', token: async () => 'secret', now: () => 0 })
}

const asked = () => server.asked.map(({ line, body }) => [line.replace('/api', ''), body])

// docs.github.com/en/rest/git: blobs, trees (sha null removes a file), commits, refs.
test('a commit is made of its parts on GitHub, on the parent that is known, and a file that is executable stays so', async () => {
  server.answers = [
    { status: 200, body: { tree: { sha: 'tree' } } },
    { status: 200, body: { tree: [{ path: 'fleet/a.yaml', mode: '100755', type: 'blob', sha: BLOB }], truncated: false } },
    ...['one', 'two', 'all', 'made'].map((sha) => ({ status: 201, body: { sha } })),
  ]
  server.answers.push({ status: 201 })
  await on('github').commit(commit, signal)
  const entry = { mode: '100644', type: 'blob' }
  expect(asked()).toEqual([
    [`GET /repos/platform/fleet/git/commits/${PARENT}`, undefined],
    ['GET /repos/platform/fleet/git/trees/tree?recursive=1', undefined],
    ['POST /repos/platform/fleet/git/blobs', { content: BYE, encoding: 'base64' }],
    ['POST /repos/platform/fleet/git/blobs', { content: BYE, encoding: 'base64' }],
    [
      'POST /repos/platform/fleet/git/trees',
      {
        base_tree: 'tree',
        tree: [
          { path: 'fleet/a.yaml', ...entry, mode: '100755', sha: 'one' },
          { path: 'fleet/new.yaml', ...entry, sha: null },
          { path: 'fleet/gone.yaml', ...entry, sha: 'two' },
        ],
      },
    ],
    ['POST /repos/platform/fleet/git/commits', { message: 'Revert b', tree: 'all', parents: [PARENT] }],
    ['POST /repos/platform/fleet/git/refs', { ref: `refs/heads/${place.branch}`, sha: 'made' }],
  ])
})

// Gitea 1.26, modules/structs/repo_file.go: ChangeFilesOptions.
test('a commit is one request to Gitea, which refuses it when a file is another', async () => {
  server.answers = [{ status: 201 }]
  expect(await on('gitea').commit(commit, signal)).toBe(true)
  expect(asked()).toEqual([
    [
      'POST /repos/platform/fleet/contents',
      {
        ...{ branch: 'main', new_branch: place.branch, message: 'Revert b' },
        files: [
          { operation: 'update', path: 'fleet/a.yaml', sha: BLOB, content: BYE },
          { operation: 'delete', path: 'fleet/new.yaml', sha: BLOB },
          { operation: 'create', path: 'fleet/gone.yaml', content: BYE },
        ],
      },
    ],
  ])
})

// docs.gitlab.com/api/commits: create a commit with multiple files and actions.
test('a commit is one request to GitLab, on the parent that is known', async () => {
  server.answers = [{ status: 201 }]
  await on('gitlab').commit(commit, signal)
  const content = { content: BYE, encoding: 'base64' }
  expect(asked()).toEqual([
    [
      'POST /projects/platform%2Ffleet/repository/commits',
      {
        ...{ branch: place.branch, start_sha: PARENT, commit_message: 'Revert b' },
        actions: [
          { action: 'update', file_path: 'fleet/a.yaml', ...content },
          { action: 'delete', file_path: 'fleet/new.yaml' },
          { action: 'create', file_path: 'fleet/gone.yaml', ...content },
        ],
      },
    ],
  ])
})

const PULL = { number: 7, html_url: 'https://git.example.com/7', state: 'closed', body: null }
const OWN = { source_project_id: 1, target_project_id: 1 }
const MERGED = { iid: 7, web_url: 'https://git.example.com/7', state: 'merged', description: null, ...OWN }
const FOUND = { number: 7, url: 'https://git.example.com/7', isOpen: false, body: '' }

test.each([
  ['github', [PULL], 'GET /repos/platform/fleet/pulls?head=platform%3Anodewave%2Frevert-bbbbbbbbbbbb&state=all&per_page=1'],
  ['gitea', PULL, 'GET /repos/platform/fleet/pulls/main/nodewave/revert-bbbbbbbbbbbb'],
  [
    'gitlab',
    [MERGED],
    'GET /projects/platform%2Ffleet/merge_requests?source_branch=nodewave%2Frevert-bbbbbbbbbbbb&state=all&per_page=100&page=1',
  ],
] as const)('the pull request of a branch is found in any state on %s', async (forge, body, line) => {
  server.answers = [{ status: 200, body }]
  expect(await on(forge).find(place, signal)).toEqual(FOUND)
  expect(asked()).toEqual([[line, undefined]])
})

// docs.gitlab.com/api/merge_requests: the list of a project has those from forks of it.
test('a merge request from a fork is not taken for one of nodewave on GitLab', async () => {
  server.answers = [{ status: 200, body: [{ ...MERGED, iid: 9, source_project_id: 2 }, MERGED] }]
  expect(await on('gitlab').find(place, signal)).toEqual(FOUND)
})

test.each([
  ['github', { status: 200, body: [] }],
  ['gitea', { status: 404 }],
  ['gitlab', { status: 200, body: [] }],
] as const)('a branch without a pull request has none on %s', async (forge, answer) => {
  server.answers = [answer]
  expect(await on(forge).find(place, signal)).toBeUndefined()
})

test.each([
  ['github', PULL, 'PATCH /repos/platform/fleet/pulls/7', { state: 'closed', body: 'why' }],
  ['gitea', PULL, 'PATCH /repos/platform/fleet/pulls/7', { state: 'closed', body: 'why' }],
  [
    'gitlab',
    { iid: 7, web_url: 'https://git.example.com/7', state: 'opened' },
    'PUT /projects/platform%2Ffleet/merge_requests/7',
    { state_event: 'close', description: 'why' },
  ],
] as const)('a pull request is opened and closed on %s', async (forge, body, line, sent) => {
  server.answers = [{ status: 201, body }, { status: 200 }]
  expect(await on(forge).open({ ...place, title: 'Revert b', body: 'why' }, signal)).toBe('https://git.example.com/7')
  await on(forge).close({ number: 7, body: 'why' }, signal)
  expect(asked()[1]).toEqual([line, sent])
})

test.each([
  ['gitea', 422, 'branch already exists'],
  ['gitlab', 400, "A branch called 'x' already exists."],
] as const)('a branch that is there already is no error on %s', async (forge, status, message) => {
  server.answers = [{ status, body: { message } }]
  expect(await on(forge).commit(commit, signal)).toBe(false)
})
