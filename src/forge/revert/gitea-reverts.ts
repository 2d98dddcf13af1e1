import { answerAs } from '../pull-request/answer.ts'
import { blobId } from '../pull-request/blob-id.ts'
import { unlessThere } from '../pull-request/propose-change.ts'
import { askGithub } from '../status/ask-forge.ts'
import { type ForgeAccess, statusOf } from '../status/forge-request.ts'
import { pull, pullOf, pullsLikeGithub } from './pulls-like-github.ts'
import type { FileChange, RevertRequests } from './revert-requests.ts'

/** Gitea and Forgejo make the branch with the commit, and refuse a change of another text than they have. */
export function giteaReverts(access: ForgeAccess): RevertRequests {
  const ask = askGithub(access)
  return {
    ...pullsLikeGithub(ask, access),
    async find({ base, branch }, signal) {
      try {
        const found = await ask('GET /repos/{owner}/{repo}/pulls/{base}/{+branch}', { base, branch, signal })
        return pullOf(answerAs(found, { shape: pull, what: 'pull request', access }))
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw error
      }
    },
    async commit({ base, branch, message, files }, signal) {
      const change = { branch: base, new_branch: branch, message, files: files.map(operationOn) }
      return (await unlessThere(ask('POST /repos/{owner}/{repo}/contents', { ...change, signal }))) !== undefined
    },
  }
}

function operationOn({ path, before, after }: FileChange) {
  const content = after && Buffer.from(after).toString('base64')
  if (before === undefined) return { operation: 'create', path, content }
  const sha = blobId(before)
  return content === undefined ? { operation: 'delete', path, sha } : { operation: 'update', path, sha, content }
}
