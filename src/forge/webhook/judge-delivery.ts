import { foreignText } from '../../protocol/foreign-text.ts'
import { readPushEvent } from './push-event.ts'
import { type Headers, isSigned, one, type Signed } from './signature.ts'

/** What a webhook is for. */
export interface Followed {
  /** `group/name`, as in the forge. */
  readonly repository: string
  /** `refs/heads/main`; with `*` at its end, all that begin so. */
  readonly refs: string
}

export interface DeliveryContext extends Followed {
  /** The newest and the ones before it: a forge may still sign with one of those. */
  readonly secrets: readonly string[]
  readonly now: number
}

export type Verdict =
  | { readonly kind: 'push' }
  /** True, and nothing to do. */
  | { readonly kind: 'ignored'; readonly because: string }
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 415; readonly because: string }

/** Pure. Nothing of the body is parsed before it is known who sent it. */
export function judgeDelivery(delivery: Signed, context: DeliveryContext): Verdict {
  const { headers, body } = delivery
  const event = eventOf(headers)
  if (event === undefined) return refused(400, 'expected the header X-GitHub-Event, X-Gitea-Event or X-Gitlab-Event')
  if (!isSigned(delivery, context))
    return refused(401, 'the signature does not match; the forge and --webhook-secret-file need the same secret')
  if (!/^application\/json\b/i.test(one(headers['content-type']) ?? ''))
    return refused(415, 'expected content type application/json; set it in the webhook of the forge')
  if (!PUSHES.has(event)) return ignored(`event "${foreignText(event, 60)}" is not a push`)
  const push = readPushEvent(body)
  if (push === undefined) return refused(400, 'the body is not the push event of a forge')
  if (push.repository.toLowerCase() !== context.repository.toLowerCase())
    return ignored(`"${foreignText(push.repository, 100)}" is not "${context.repository}", which the controller follows`)
  if (!isFollowed(push.ref, context.refs))
    return ignored(`"${foreignText(push.ref, 100)}" is not "${context.refs}", which the controller follows`)
  return { kind: 'push' }
}

const PUSHES: ReadonlySet<string> = new Set(['push', 'Push Hook', 'Tag Push Hook'])

function isFollowed(ref: string, followed: string): boolean {
  return followed.endsWith('*') ? ref.startsWith(followed.slice(0, -1)) : ref === followed
}

/** Gitea and Forgejo send the header of GitHub, too. */
function eventOf(headers: Headers): string | undefined {
  return one(headers['x-gitea-event']) ?? one(headers['x-gitlab-event']) ?? one(headers['x-github-event'])
}

function refused(status: 400 | 401 | 415, because: string): Verdict {
  return { kind: 'refused', status, because }
}

function ignored(because: string): Verdict {
  return { kind: 'ignored', because }
}
