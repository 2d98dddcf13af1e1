import { type Ask, askGithub, askGitlab } from '../status/ask-forge.ts'
import { ForgeError } from '../status/commit-status.ts'
import { type ForgeAccess, statusOf } from '../status/forge-request.ts'
import type { ForgeKind } from './pull-request-url.ts'

export interface Branches {
  readonly base: string
  readonly branch: string
}

/**
 * A branch that is there already was proposed, open or closed; or whoever made it was interrupted, and then nobody has seen it.
 * It may have been made by anybody, so that no pull request is opened from it.
 * @throws {ForgeError} when it has no pull request
 */
export async function checkProposed(
  forge: ForgeKind,
  { access, branches, signal }: { readonly access: ForgeAccess; readonly branches: Branches; readonly signal: AbortSignal },
): Promise<undefined> {
  const ask = forge === 'gitlab' ? askGitlab(access) : askGithub(access)
  if (await HAS[forge](ask, { access, branches, signal })) return undefined
  throw new ForgeError(
    `${access.url}: branch "${branches.branch}" has no pull request: an earlier run was interrupted; delete the branch, and run it again`,
  )
}

type Has = (
  ask: Ask,
  { access, branches, signal }: { readonly access: ForgeAccess; readonly branches: Branches; readonly signal: AbortSignal },
) => Promise<boolean>

const HAS: Readonly<Record<ForgeKind, Has>> = {
  async github(ask, { access, branches: { branch }, signal }) {
    const head = `${access.repository.split('/')[0]}:${branch}`
    return isListed(await ask('GET /repos/{owner}/{repo}/pulls', { head, state: 'all', signal }))
  },
  async gitlab(ask, { branches: { branch }, signal }) {
    return isListed(await ask('GET /projects/{project}/merge_requests', { source_branch: branch, state: 'all', signal }))
  },
  async gitea(ask, { branches: { base, branch }, signal }) {
    try {
      await ask('GET /repos/{owner}/{repo}/pulls/{base}/{+branch}', { base, branch, signal })
      return true
    } catch (error) {
      if (statusOf(error) === 404) return false
      throw error
    }
  },
}

function isListed(answer: unknown): boolean {
  return Array.isArray(answer) && answer.length > 0
}
