import * as z from 'zod'
import { askGithub } from '../status/ask-forge.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { answerAs } from './answer.ts'
import { issueComments } from './issue-comments.ts'
import type { PullRequests } from './pull-requests.ts'

const pull = z.object({ head: z.object({ sha: z.string() }), merge_base: z.string() })
const user = z.object({ id: z.number() })

/** Gitea and Forgejo. */
export function giteaPullRequests(access: ForgeAccess): PullRequests {
  const ask = askGithub(access)
  const ownId = async (signal: AbortSignal): Promise<number> =>
    answerAs(await ask('GET /user', { signal }), { shape: user, what: 'user', access }).id
  return {
    // Gitea takes any length; nobody reads more.
    longestComment: 1_000_000,
    async commits(number, signal) {
      const found = await ask('GET /repos/{owner}/{repo}/pulls/{number}', { number, signal })
      const { head, merge_base } = answerAs(found, { shape: pull, what: 'pull request', access })
      return { head: head.sha, base: merge_base }
    },
    ...issueComments(ask, { access, ownId }),
  }
}
