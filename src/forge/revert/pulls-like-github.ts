import * as z from 'zod'
import { answerAs } from '../pull-request/answer.ts'
import type { Ask } from '../status/ask-forge.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import type { OpenedRequest, RevertRequests } from './revert-requests.ts'

export const pull = z.object({ number: z.number(), html_url: z.string(), state: z.string(), body: z.nullish(z.string()) })
export const pulls = z.array(pull)

export function pullOf(found: z.infer<typeof pull> | undefined): OpenedRequest | undefined {
  return found && { number: found.number, url: found.html_url, isOpen: found.state === 'open', body: found.body ?? '' }
}

/** What is the same on GitHub, Gitea and Forgejo. */
export function pullsLikeGithub(ask: Ask, access: ForgeAccess): Pick<RevertRequests, 'open' | 'close'> {
  return {
    async open({ base, branch, title, body }, signal) {
      const asked = await ask('POST /repos/{owner}/{repo}/pulls', { title, body, head: branch, base, signal })
      return answerAs(asked, { shape: pull, what: 'pull request', access }).html_url
    },
    async close({ number, body }, signal) {
      await ask('PATCH /repos/{owner}/{repo}/pulls/{number}', { number, state: 'closed', body, signal })
    },
  }
}
