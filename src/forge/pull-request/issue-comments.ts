import * as z from 'zod'
import { allPages } from '../status/all-pages.ts'
import type { Ask } from '../status/ask-forge.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { answerAs } from './answer.ts'
import { LONGEST_PAGE, type PullRequests } from './pull-requests.ts'

const comments = z.array(z.object({ id: z.number(), body: z.nullish(z.string()), user: z.nullish(z.object({ id: z.number() })) }))

const ISSUES = '/repos/{owner}/{repo}/issues'

/** Comments of GitHub, Gitea and Forgejo: to their API a pull request is an issue. */
export function issueComments(
  ask: Ask,
  { access, ownId }: { readonly access: ForgeAccess; readonly ownId: (signal: AbortSignal) => Promise<number> },
): Pick<PullRequests, 'ownComments' | 'comment' | 'edit'> {
  return {
    async ownComments(number, signal) {
      const own = await ownId(signal)
      const found = await allPages(async (page) => {
        const query = { number, per_page: 100, page, signal, longest: LONGEST_PAGE }
        return answerAs(await ask(`GET ${ISSUES}/{number}/comments`, query), {
          shape: comments,
          what: 'list of comments',
          access,
        })
      })
      return found.filter(({ user }) => user?.id === own).map(({ id, body }) => ({ id, body: body ?? '' }))
    },
    async comment(number, body, signal) {
      await ask(`POST ${ISSUES}/{number}/comments`, { number, body, signal })
    },
    async edit(_, { id, body }, signal) {
      await ask(`PATCH ${ISSUES}/comments/{id}`, { id, body, signal })
    },
  }
}
