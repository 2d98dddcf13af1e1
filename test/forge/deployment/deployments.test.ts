import { afterEach, beforeEach, expect, test } from 'vitest'
import { githubDeployments } from '../../../src/forge/deployment/github-deployments.ts'
import { gitlabDeployments } from '../../../src/forge/deployment/gitlab-deployments.ts'
import { type ForgeServer, startForgeServer } from '../status/forge-server.ts'

const COMMIT = 'a'.repeat(40)
const context = 'nodewave/workers'
const pending = { commit: COMMIT, context, state: 'pending', description: '1/3 nodes' } as const
const { signal } = new AbortController()
let server: ForgeServer

beforeEach(async () => {
  server = await startForgeServer()
})
afterEach(() => server[Symbol.asyncDispose]())

const access = () => ({ url: server.url, repository: 'platform/fleet', token: async () => 'secret', now: () => 0 })
const github = () => githubDeployments(access())
const gitlab = () => gitlabDeployments(access(), { branch: 'main' })
const asked = () => server.asked.map(({ line, body }) => [line.replace('/api', ''), body])

// docs.github.com/en/rest/deployments: deployments, and statuses.
const LIST = `GET /repos/platform/fleet/deployments?sha=${COMMIT}&task=nodewave&per_page=100&page=1`
const STATUSES = 'GET /repos/platform/fleet/deployments/7/statuses?per_page=1'
const MADE = { id: 7, environment: context }

test('the first state of a pool at a commit makes a deployment on GitHub', async () => {
  server.answers = [{ status: 200, body: [] }, { status: 201, body: MADE }, { status: 201 }]
  await github().post(pending, signal)
  const deployment = { ref: COMMIT, environment: context, task: 'nodewave', auto_merge: false, required_contexts: [] }
  expect(asked()).toEqual([
    [LIST, undefined],
    ['POST /repos/platform/fleet/deployments', { ...deployment, description: 'nodewave' }],
    ['POST /repos/platform/fleet/deployments/7/statuses', { state: 'in_progress', description: '1/3 nodes' }],
  ])
})

test('the next state is one of the same deployment', async () => {
  server.answers = [{ status: 200, body: [MADE] }, { status: 200, body: [{ state: 'in_progress' }] }, { status: 201 }]
  await github().post({ ...pending, state: 'success', description: '3 nodes run it' }, signal)
  expect(asked()).toEqual([
    [LIST, undefined],
    [STATUSES, undefined],
    ['POST /repos/platform/fleet/deployments/7/statuses', { state: 'success', description: '3 nodes run it' }],
  ])
})

test.each(['success', 'inactive', 'failure'])(
  'a commit that a pool comes back to is a new deployment (it was %s)',
  async (state) => {
    server.answers = [
      { status: 200, body: [MADE] },
      { status: 200, body: [{ state }] },
      { status: 201, body: { ...MADE, id: 8 } },
      { status: 201 },
    ]
    await github().post(pending, signal)
    expect(asked().at(-1)?.[0]).toBe('POST /repos/platform/fleet/deployments/8/statuses')
  },
)

test('what GitHub made inactive is known as a success, and not posted again', async () => {
  server.answers = [
    { status: 200, body: [MADE, { ...MADE, id: 6 }] },
    { status: 200, body: [{ state: 'inactive', description: null }] },
  ]
  expect(await github().list(COMMIT, signal)).toEqual([{ context, state: 'success', description: '' }])
})

// docs.gitlab.com/api/deployments: list, create, update.
const LISTED = 'GET /projects/platform%2Ffleet/deployments?order_by=id&sort=desc&per_page=100'
const ofGitlab = (status: string, id = 7) => ({ id, sha: COMMIT, status, environment: { name: context } })

test('the first state of a pool at a commit makes a deployment on GitLab', async () => {
  server.answers = [{ status: 200, body: [{ ...ofGitlab('success'), sha: 'b'.repeat(40) }] }, { status: 201 }]
  await gitlab().post(pending, signal)
  expect(asked()).toEqual([
    [LISTED, undefined],
    [
      'POST /projects/platform%2Ffleet/deployments',
      { environment: context, sha: COMMIT, ref: 'main', tag: false, status: 'running' },
    ],
  ])
})

test('the next state updates it, and the same state asks nothing more', async () => {
  server.answers = [{ status: 200, body: [ofGitlab('running')] }, { status: 200 }, { status: 200, body: [ofGitlab('success')] }]
  await gitlab().post({ ...pending, state: 'success' }, signal)
  await gitlab().post({ ...pending, state: 'success' }, signal)
  expect(asked()).toEqual([
    [LISTED, undefined],
    ['PUT /projects/platform%2Ffleet/deployments/7', { status: 'success' }],
    [LISTED, undefined],
  ])
})

test.each(['success', 'failed', 'canceled'])('a deployment that ended (%s) stays, and another one is made', async (status) => {
  server.answers = [{ status: 200, body: [ofGitlab(status)] }, { status: 201 }]
  await gitlab().post(pending, signal)
  expect(asked().at(-1)?.[0]).toBe('POST /projects/platform%2Ffleet/deployments')
})

test('deployments of GitLab have no text', async () => {
  server.answers = [{ status: 200, body: [ofGitlab('failed'), ofGitlab('success', 6)] }]
  expect([gitlab().longestDescription, await gitlab().list(COMMIT, signal)]).toEqual([
    0,
    [{ context, state: 'failure', description: '' }],
  ])
})
