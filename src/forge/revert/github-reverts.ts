import * as z from 'zod'
import { answerAs } from '../pull-request/answer.ts'
import { unlessThere } from '../pull-request/propose-change.ts'
import { type Ask, askGithub } from '../status/ask-forge.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { pullOf, pulls, pullsLikeGithub } from './pulls-like-github.ts'
import type { BranchCommit, FileChange, RevertRequests } from './revert-requests.ts'

const made = z.object({ sha: z.string() })
const commit = z.object({ tree: z.object({ sha: z.string() }) })
const listed = z.object({ tree: z.array(z.object({ path: z.string(), mode: z.string() })) })
const PLAIN = '100644'
const GIT = '/repos/{owner}/{repo}/git'

/** GitHub reverts nothing by REST: the commit is made of its parts, on a parent that is known. */
export function githubReverts(access: ForgeAccess): RevertRequests {
  const ask = askGithub(access)
  return {
    ...pullsLikeGithub(ask, access),
    async find({ branch }, signal) {
      const head = `${access.repository.split('/')[0]}:${branch}`
      const found = await ask('GET /repos/{owner}/{repo}/pulls', { head, state: 'all', per_page: 1, signal })
      return pullOf(answerAs(found, { shape: pulls, what: 'list of pull requests', access })[0])
    },
    async commit({ parent, branch, message, files }, signal) {
      const shape = { shape: made, what: 'object', access }
      const tree = await treeWith(ask, { access, parent, files, signal })
      const asked = await ask(`POST ${GIT}/commits`, { message, tree, parents: [parent], signal })
      const { sha } = answerAs(asked, shape)
      return (await unlessThere(ask(`POST ${GIT}/refs`, { ref: `refs/heads/${branch}`, sha, signal }))) !== undefined
    },
  }
}

interface NewTree extends Pick<BranchCommit, 'parent' | 'files'> {
  readonly access: ForgeAccess
  readonly signal: AbortSignal
}

async function treeWith(ask: Ask, { access, parent, files, signal }: NewTree): Promise<string> {
  const found = await ask(`GET ${GIT}/commits/{parent}`, { parent, signal })
  const base_tree = answerAs(found, { shape: commit, what: 'commit', access }).tree.sha
  const modes = files.some(isUpdate) ? await modesIn(ask, { access, tree: base_tree, signal }) : new Map<string, string>()
  const tree: object[] = []
  for (const { path, after } of files)
    tree.push({ path, mode: modes.get(path) ?? PLAIN, type: 'blob', sha: await blobOf(ask, { access, after, signal }) })
  return answerAs(await ask(`POST ${GIT}/trees`, { base_tree, tree, signal }), { shape: made, what: 'tree', access }).sha
}

function isUpdate({ before, after }: FileChange): boolean {
  return before !== undefined && after !== undefined
}

/** What is executable stays so. Of a tree with more than 100,000 entries GitHub lists the first ones. */
async function modesIn(
  ask: Ask,
  { access, tree, signal }: { readonly tree: string } & Pick<NewTree, 'access' | 'signal'>,
): Promise<ReadonlyMap<string, string>> {
  const found = await ask(`GET ${GIT}/trees/{tree}`, { tree, recursive: '1', signal })
  const entries = answerAs(found, { shape: listed, what: 'tree', access }).tree
  return new Map(entries.map(({ path, mode }) => [path, mode]))
}

/** @returns null for a file that is removed */
async function blobOf(
  ask: Ask,
  { access, after, signal }: { readonly after: FileChange['after'] | undefined } & Pick<NewTree, 'access' | 'signal'>,
): Promise<string | null> {
  if (after === undefined) return null
  const content = Buffer.from(after).toString('base64')
  const asked = await ask(`POST ${GIT}/blobs`, { content, encoding: 'base64', signal })
  return answerAs(asked, { shape: made, what: 'blob', access }).sha
}
