import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Errors } from 'isomorphic-git'
import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { GitSyncError } from './git-sync-error.ts'
import { locateRepo } from './locate-repo.ts'
import { damageOf, missingInClone } from './missing-in-clone.ts'
import { objectStore } from './object-store.ts'
import { readSnapshot } from './read-snapshot.ts'
import { resolveRevision } from './revision.ts'
import type { SnapshotCache } from './snapshot-cache.ts'

/**
 * One commit of a repository on this machine, as `plan --from REV` names it. A path below the repository's root reads that folder.
 * @param cache of another commit of the repository, which has most in common with it
 * @throws {GitSyncError} `NotARepository` or `RevisionNotFound`, or {BadTreeError}
 */
export async function readCommit(path: string, revision: string, cache?: SnapshotCache): Promise<RepoSnapshot> {
  const { gitdir, commit, folder } = await findCommit(path, revision)
  return readSnapshot(objectStore(gitdir), commit, { folder, ...(cache && { cache }) }).catch(async (cause: unknown) => {
    if (!(cause instanceof Errors.NotFoundError)) throw damageOf(gitdir, cause) ?? cause
    const remedy = (await missingInClone(gitdir)) ?? 'run git fsck in it'
    throw new GitSyncError(`failed to read revision "${revision}" in "${gitdir}": an object of it is missing; ${remedy}`, {
      reason: 'Unreadable',
      cause,
    })
  })
}

export interface FoundCommit {
  readonly gitdir: string
  readonly commit: string
  /** Of the path, in the repository. */
  readonly folder: string
}

/** @throws {GitSyncError} `NotARepository` or `RevisionNotFound` */
export async function findCommit(path: string, revision: string): Promise<FoundCommit> {
  const { gitdir, headdir, folder } = await locateRepo(path)
  const own = gitdir === headdir ? revision : await ownHead(headdir, revision)
  return { gitdir, commit: await resolveRevision(objectStore(gitdir), own), folder }
}

/** In a linked worktree HEAD is its own, not the one beside the objects. */
async function ownHead(headdir: string, revision: string): Promise<string> {
  const head = (await readFile(join(headdir, 'HEAD'), 'utf8')).trim().replace(/^ref: /, '')
  return revision.replace(/^HEAD(?=$|[~^])/, head)
}
