import { Errors } from 'isomorphic-git'
import { describeRef, type GitRef, othersThan } from './git-ref.ts'
import { GitSyncError, type GitSyncReason } from './git-sync-error.ts'

/** Characters of what a server said; it may be a page for browsers. */
const MAX_SAID = 300
const MAX_NAME = 100
const CREDENTIALS = 'check --token-file, or --username-file and --password-file'

const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT']
const ROOM = 'make room in the folder for temporary files: a commit needs as much as its fleet folder'

interface Reaction {
  readonly reason: GitSyncReason
  readonly remedy: string
}

const BY_STATUS: Readonly<Record<number, Reaction>> = {
  401: { reason: 'Unauthorized', remedy: CREDENTIALS },
  403: { reason: 'Unauthorized', remedy: `${CREDENTIALS}: they may not read this repository` },
  404: { reason: 'RepositoryNotFound', remedy: `check the address; forges also say so of what one may not see: ${CREDENTIALS}` },
}

const NOT_GIT =
  'check the address: this is what a page for browsers, a proxy or a server of files alone answers, not Git over smart HTTP'

/** What went wrong with a repository, in words that say what to do. */
export function explainFailure(error: unknown, url: string): Error {
  if (error instanceof GitSyncError) return error
  const { reason, remedy } = reactionTo(error)
  const said = lineOf(error instanceof Error ? error.message : String(error))
  return new GitSyncError(`failed to read "${url}": ${said}${remedy && `; ${remedy}`}`, { reason, cause: error })
}

function reactionTo(error: unknown): Reaction {
  if (error instanceof Errors.HttpError) return BY_STATUS[error.data.statusCode] ?? { reason: 'Unreachable', remedy: '' }
  if (NO_SPACE.includes(Object(error).code)) return { reason: 'DiskFull', remedy: ROOM }
  return { reason: 'Unreadable', remedy: error instanceof Errors.SmartHttpError ? NOT_GIT : '' }
}

/** What somebody else wrote, as one line of bounded length. */
export function lineOf(text: string): string {
  return text
    .slice(0, MAX_SAID)
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .toWellFormed()
}

/** Where a repository has gone; never what stands behind the `?`, which is often a secret of somebody's login. */
export function movedTo(location: string | undefined, from: string): GitSyncError {
  const to = location !== undefined && URL.canParse(location, from) ? new URL(location, from) : undefined
  const where = to ? `"${address(to)}"` : 'where it says no address'
  return new GitSyncError(
    `failed to read "${address(new URL(from))}": it redirects to ${where}; use that address, if it is the repository and not a login page`,
    { reason: 'RepositoryMoved' },
  )
}

function address({ origin, pathname }: URL): string {
  return lineOf(`${origin}${pathname.replace(/\/(?:info\/refs|git-upload-pack)$/, '')}`)
}

/** Something in the repository, or somebody on the way, makes a pack that would cost too much. */
export function packTooLarge(why: string): GitSyncError {
  const remedy = 'remove what is large from the branch; or see --git-max-object and --git-max-unpacked'
  return new GitSyncError(`refuse the pack that the repository sends: ${why}; ${remedy}`, { reason: 'PackTooLarge' })
}

/** The server has the last word on what it sends. @param text of the server */
export function refusedByServer(text: string): GitSyncError {
  return new GitSyncError(`failed to read the repository: the server says: ${lineOf(text) || 'nothing more'}`, {
    reason: 'RefusedByServer',
  })
}

export function corruptPack(why: string): GitSyncError {
  const remedy = 'it is asked for again; if that does not help, run git fsck in the repository'
  return new GitSyncError(`failed to read the pack that the repository sends: ${why}; ${remedy}`, { reason: 'CorruptPack' })
}

/** A ref that is not there, with those that are. @param names in full, of the same kind */
export function refMissing(
  ref: GitRef,
  { url, names }: { readonly url: string; readonly names: readonly string[] },
): GitSyncError {
  const reason = 'branch' in ref ? 'BranchNotFound' : 'TagNotFound'
  return new GitSyncError(`failed to find ${describeRef(ref)} in "${url}": ${othersThan(ref, names.map(nameOf))}`, { reason })
}

function nameOf(ref: string): string {
  return lineOf(ref).slice(0, MAX_NAME)
}
