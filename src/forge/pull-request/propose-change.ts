import * as z from 'zod'
import { type Ask, askGithub, askGitlab } from '../status/ask-forge.ts'
import { ForgeError } from '../status/commit-status.ts'
import { type ForgeAccess, statusOf } from '../status/forge-request.ts'
import { answerAs } from './answer.ts'
import { blobId } from './blob-id.ts'
import { checkProposed } from './proposed-already.ts'
import type { ForgeKind } from './pull-request-url.ts'

/** A change of one file, as a pull request. */
export interface ProposedChange {
  /** The branch that it is for. */
  readonly base: string
  /** A new one, with the change. */
  readonly branch: string
  readonly path: string
  /** What the file is on `base`: a change of another text is refused. */
  readonly before: Buffer
  readonly after: Buffer
  readonly title: string
  readonly body: string
}

/** @returns where people see it; undefined when the branch is there already. @throws {ForgeError} */
export type Propose = (change: ProposedChange, signal: AbortSignal) => Promise<string | undefined>

export function proposeOn(forge: ForgeKind, access: ForgeAccess): Propose {
  if (forge === 'gitlab') return onGitlab(access)
  return forge === 'gitea' ? onGitea(access) : onGithub(access)
}

const opened = z.object({ html_url: z.string() })
const contents = z.object({ sha: z.string() })
const branchHead = z.object({ commit: z.object({ sha: z.string() }) })
const CONTENTS = '/repos/{owner}/{repo}/contents/{+path}'

function onGithub(access: ForgeAccess): Propose {
  const ask = askGithub(access)
  return async (change, signal) => {
    const { base, branch, path } = change
    const found = answerAs(await ask(`GET ${CONTENTS}`, { path, ref: base, signal }), { shape: contents, what: 'file', access })
    checkSame(found.sha, { change, access })
    const head = await ask('GET /repos/{owner}/{repo}/branches/{base}', { base, signal })
    const { sha } = answerAs(head, { shape: branchHead, what: 'branch', access }).commit
    const made = ask('POST /repos/{owner}/{repo}/git/refs', { ref: `refs/heads/${branch}`, sha, signal })
    if ((await unlessThere(made)) === undefined) return checkProposed('github', { access, branches: change, signal })
    await ask(`PUT ${CONTENTS}`, { path, branch, ...fileOf(change), signal })
    return openPull(ask, { change, access, signal })
  }
}

/** Gitea and Forgejo make the branch with the commit. */
function onGitea(access: ForgeAccess): Propose {
  const ask = askGithub(access)
  return async (change, signal) => {
    const { base, branch, path } = change
    const made = ask(`PUT ${CONTENTS}`, { path, branch: base, new_branch: branch, ...fileOf(change), signal })
    if ((await unlessThere(made)) === undefined) return checkProposed('gitea', { access, branches: change, signal })
    return openPull(ask, { change, access, signal })
  }
}

/** With its blob, so that the forge refuses a change of another text. */
function fileOf({ before, after, title }: ProposedChange) {
  return { message: title, content: after.toString('base64'), sha: blobId(before) }
}

async function openPull(
  ask: Ask,
  { change, access, signal }: { readonly change: ProposedChange; readonly access: ForgeAccess; readonly signal: AbortSignal },
): Promise<string> {
  const { title, body, branch: head, base } = change
  const answer = await ask('POST /repos/{owner}/{repo}/pulls', { title, body, head, base, signal })
  return answerAs(answer, { shape: opened, what: 'pull request', access }).html_url
}

const file = z.object({ blob_id: z.string() })
const merge = z.object({ web_url: z.string() })

function onGitlab(access: ForgeAccess): Propose {
  const ask = askGitlab(access)
  return async (change, signal) => {
    const { base, branch, path, after, title, body } = change
    const found = await ask('GET /projects/{project}/repository/files/{path}', { path, ref: base, signal })
    checkSame(answerAs(found, { shape: file, what: 'file', access }).blob_id, { change, access })
    const actions = [{ action: 'update', file_path: path, content: after.toString('base64'), encoding: 'base64' }]
    const commit = { branch, start_branch: base, commit_message: title, actions }
    const made = ask('POST /projects/{project}/repository/commits', { ...commit, signal })
    if ((await unlessThere(made)) === undefined) return checkProposed('gitlab', { access, branches: change, signal })
    const request = { source_branch: branch, target_branch: base, title, description: body, remove_source_branch: true }
    const answer = await ask('POST /projects/{project}/merge_requests', { ...request, signal })
    return answerAs(answer, { shape: merge, what: 'merge request', access }).web_url
  }
}

/** Before there is a branch. @throws {ForgeError} when the forge has another text */
function checkSame(
  id: string,
  { change: { before, path, base }, access }: { readonly change: ProposedChange; readonly access: ForgeAccess },
): void {
  if (id !== blobId(before)) throw new ForgeError(`${access.url}: "${path}" on "${base}" is another than here; fetch it first`)
}

/** What forges say of a branch that is there. */
const THERE = /already exists/i

/** @returns undefined when the branch is there already */
export async function unlessThere(asked: Promise<unknown>): Promise<unknown> {
  try {
    return (await asked) ?? {}
  } catch (error) {
    const isThere = [400, 409, 422].includes(statusOf(error) ?? 0) && THERE.test((error as Error).message)
    if (isThere) return undefined
    throw error
  }
}
