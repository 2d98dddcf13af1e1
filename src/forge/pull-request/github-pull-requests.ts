import * as z from 'zod'
import { askGithub } from '../status/ask-forge.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { answerAs } from './answer.ts'
import { issueComments } from './issue-comments.ts'
import type { PullRequests } from './pull-requests.ts'

const pull = z.object({ head: z.object({ sha: z.string() }), base: z.object({ sha: z.string() }) })
const comparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) })
/** `GET /user` refuses the tokens of apps and of Actions; this answers to every token. */
const viewer = z.object({ data: z.object({ viewer: z.object({ databaseId: z.number() }) }) })

export function githubPullRequests(access: ForgeAccess): PullRequests {
  const ask = askGithub(access)
  // A server of one's own has it beside /api/v3.
  const askQuery = askGithub({ ...access, url: access.url.replace(/\/v3$/, '') })
  const ownId = async (signal: AbortSignal): Promise<number> => {
    const answer = await askQuery('POST /graphql', { query: '{viewer{databaseId}}', signal })
    return answerAs(answer, { shape: viewer, what: 'user', access }).data.viewer.databaseId
  }
  return {
    longestComment: 65_536,
    async commits(number, signal) {
      const found = await ask('GET /repos/{owner}/{repo}/pulls/{number}', { number, signal })
      const { head, base } = answerAs(found, { shape: pull, what: 'pull request', access })
      // One file of the difference is enough: only the commit is read.
      const query = { base: base.sha, head: head.sha, per_page: 1, signal, longest: 16 * 1024 * 1024 }
      const compared = await ask('GET /repos/{owner}/{repo}/compare/{base}...{head}', query)
      const { merge_base_commit } = answerAs(compared, { shape: comparison, what: 'comparison', access })
      return { head: head.sha, base: merge_base_commit.sha }
    },
    ...issueComments(ask, { access, ownId }),
  }
}
