import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { objectStore } from './object-store.ts'
import { readSnapshot } from './read-snapshot.ts'
import { createRemoteSource, type RemoteOptions } from './remote-source.ts'

export interface CommitAddress extends Omit<RemoteOptions, 'ref' | 'directory'> {
  /** Its full id. */
  readonly commit: string
}

/** One commit of a repository on a forge, with nothing of it left on disk. @throws {GitSyncError} or {BadTreeError} */
export async function fetchCommit({ commit, ...remote }: CommitAddress, signal: AbortSignal): Promise<RepoSnapshot> {
  const directory = await mkdtemp(join(tmpdir(), 'nodewave-'))
  try {
    const { gitdir } = await createRemoteSource({ ...remote, ref: { commit }, directory }).fetch(signal)
    return await readSnapshot(objectStore(gitdir), commit, { folder: remote.folder ?? '' })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
