import * as z from 'zod'
import { answerAs } from '../pull-request/answer.ts'
import { unlessThere } from '../pull-request/propose-change.ts'
import { allPages } from '../status/all-pages.ts'
import { askGitlab } from '../status/ask-forge.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import type { FileChange, OpenedRequest, RevertRequests } from './revert-requests.ts'

const request = z.object({ iid: z.number(), web_url: z.string(), state: z.string(), description: z.nullish(z.string()) })
const requests = z.array(request.extend({ source_project_id: z.number(), target_project_id: z.number() }))
const LISTED = { shape: requests, what: 'list of merge requests' }
const PROJECT = '/projects/{project}'

export function gitlabReverts(access: ForgeAccess): RevertRequests {
  const ask = askGitlab(access)
  return {
    async find({ branch }, signal) {
      const query = { source_branch: branch, state: 'all', per_page: 100, signal }
      const found = await allPages(async (page) =>
        answerAs(await ask(`GET ${PROJECT}/merge_requests`, { ...query, page }), { ...LISTED, access }),
      )
      // Whoever may read the project may fork it, and name a branch there as they like.
      return requestOf(found.find((each) => each.source_project_id === each.target_project_id))
    },
    async commit({ parent, branch, message, files }, signal) {
      const change = { branch, start_sha: parent, commit_message: message, actions: files.map(actionOn) }
      return (await unlessThere(ask(`POST ${PROJECT}/repository/commits`, { ...change, signal }))) !== undefined
    },
    async open({ base, branch, title, body }, signal) {
      const text = { source_branch: branch, target_branch: base, title, description: body, remove_source_branch: true }
      const asked = await ask(`POST ${PROJECT}/merge_requests`, { ...text, signal })
      return answerAs(asked, { shape: request, what: 'merge request', access }).web_url
    },
    async close({ number, body }, signal) {
      await ask(`PUT ${PROJECT}/merge_requests/{number}`, { number, state_event: 'close', description: body, signal })
    },
  }
}

function requestOf(found: z.infer<typeof request> | undefined): OpenedRequest | undefined {
  return found && { number: found.iid, url: found.web_url, isOpen: found.state === 'opened', body: found.description ?? '' }
}

function actionOn({ path, before, after }: FileChange) {
  if (after === undefined) return { action: 'delete', file_path: path }
  const content = { content: Buffer.from(after).toString('base64'), encoding: 'base64' }
  return { action: before === undefined ? 'create' : 'update', file_path: path, ...content }
}
