import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { judgeDelivery } from '../../../src/forge/webhook/judge-delivery.ts'

const SECRET = 'a secret of sixteen'
const context = { repository: 'platform/fleet', refs: 'refs/heads/main', secrets: [SECRET], now: 0 }

function judge(content: unknown, headers: Record<string, string> = { 'x-github-event': 'push' }) {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
  const all = { 'content-type': 'application/json; charset=utf-8', 'x-hub-signature-256': signature, ...headers }
  return judgeDelivery({ headers: all, body }, context)
}

const push = { ref: 'refs/heads/main', repository: { full_name: 'Platform/Fleet' } }

test('a push to the branch that is followed is one, from GitHub, Gitea and GitLab', () => {
  const gitlab = { ref: 'refs/heads/main', project: { path_with_namespace: 'platform/fleet' } }
  const verdicts = [
    judge(push),
    judge(push, { 'x-gitea-event': 'push', 'x-github-event': 'push' }),
    judge(gitlab, { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': SECRET }),
  ]
  expect(verdicts).toEqual([{ kind: 'push' }, { kind: 'push' }, { kind: 'push' }])
})

test.each([
  ['refs/tags/*', 'refs/tags/v1.4.2', 'push'],
  ['refs/tags/*', 'refs/heads/main', 'ignored'],
  ['refs/tags/live', 'refs/tags/live', 'push'],
  ['refs/tags/live', 'refs/tags/live2', 'ignored'],
] as const)('who follows %s takes a push to %s so: %s', (refs, ref, kind) => {
  const body = Buffer.from(JSON.stringify({ ref, project: { path_with_namespace: 'platform/fleet' } }))
  const headers = { 'content-type': 'application/json', 'x-gitlab-event': 'Tag Push Hook', 'x-gitlab-token': SECRET }
  expect(judgeDelivery({ headers, body }, { ...context, refs }).kind).toBe(kind)
})

test.each([
  [
    'another branch',
    { ...push, ref: 'refs/heads/test' },
    '"refs/heads/test" is not "refs/heads/main", which the controller follows',
  ],
  [
    'a tag with the name of the branch',
    { ...push, ref: 'refs/tags/main' },
    '"refs/tags/main" is not "refs/heads/main", which the controller follows',
  ],
  [
    'another repository',
    { ...push, repository: { full_name: 'platform/\u001b[31mred' } },
    '"platform/\\u{1b}[31mred" is not "platform/fleet", which the controller follows',
  ],
])('a push to %s is ignored', (_, event, because) => {
  expect(judge(event)).toEqual({ kind: 'ignored', because })
})

test('an event that is not a push is ignored', () => {
  expect(judge({}, { 'x-github-event': 'ping' })).toEqual({ kind: 'ignored', because: 'event "ping" is not a push' })
})

test.each([
  ['no event', push, { 'x-other': 'push' }, 400, 'expected the header X-GitHub-Event, X-Gitea-Event or X-Gitlab-Event'],
  [
    'another secret',
    push,
    { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    401,
    'the signature does not match; the forge and --webhook-secret-file need the same secret',
  ],
  [
    'a form',
    push,
    { 'x-github-event': 'push', 'content-type': 'application/x-www-form-urlencoded' },
    415,
    'expected content type application/json; set it in the webhook of the forge',
  ],
  ['a body that is not JSON', '{"ref":', { 'x-github-event': 'push' }, 400, 'the body is not the push event of a forge'],
  [
    'a push without a repository',
    { ref: 'refs/heads/main' },
    { 'x-github-event': 'push' },
    400,
    'the body is not the push event of a forge',
  ],
])('a delivery with %s is refused', (_, event, headers, status, because) => {
  expect(judge(event, headers)).toEqual({ kind: 'refused', status, because })
})
