import * as z from 'zod'
import { allPages } from '../status/all-pages.ts'
import { askGitlab } from '../status/ask-forge.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { answerAs } from './answer.ts'
import { LONGEST_PAGE, type PullRequests } from './pull-requests.ts'

const request = z.object({ diff_refs: z.object({ base_sha: z.string(), head_sha: z.string() }) })
const user = z.object({ id: z.number() })
const notes = z.array(z.object({ id: z.number(), body: z.string(), author: z.object({ id: z.number() }) }))

const REQUEST = '/projects/{project}/merge_requests/{number}'

/** Merge requests of GitLab. Their comments are notes. */
export function gitlabPullRequests(access: ForgeAccess): PullRequests {
  const ask = askGitlab(access)
  return {
    longestComment: 1_000_000,
    async commits(number, signal) {
      const shape = { shape: request, what: 'merge request with its commits; it may still be prepared, so run it again', access }
      const { diff_refs } = answerAs(await ask(`GET ${REQUEST}`, { number, signal }), shape)
      return { head: diff_refs.head_sha, base: diff_refs.base_sha }
    },
    async ownComments(number, signal) {
      const own = answerAs(await ask('GET /user', { signal }), { shape: user, what: 'user', access }).id
      const found = await allPages(async (page) => {
        const query = { number, per_page: 100, page, sort: 'asc', signal, longest: LONGEST_PAGE }
        return answerAs(await ask(`GET ${REQUEST}/notes`, query), { shape: notes, what: 'list of notes', access })
      })
      return found.filter(({ author }) => author.id === own).map(({ id, body }) => ({ id, body }))
    },
    async comment(number, body, signal) {
      await ask(`POST ${REQUEST}/notes`, { number, body, signal })
    },
    async edit(number, { id, body }, signal) {
      await ask(`PUT ${REQUEST}/notes/{id}`, { number, id, body, signal })
    },
  }
}
