import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { watch } from 'chokidar'
import { Errors, resolveRef } from 'isomorphic-git'
import { GitSyncError } from './git-sync-error.ts'
import { type LocatedRepo, locateRepo } from './locate-repo.ts'
import { objectStore } from './object-store.ts'
import type { RepoSource } from './repo-source.ts'

export interface LocalOptions {
  /** A working tree, or a bare repository. */
  readonly path: string
  /** The default is whatever HEAD points to at the time. */
  readonly branch?: string
}

/** A repository on this machine: read where it is, and followed at once. */
export function createLocalSource({ path, branch }: LocalOptions): RepoSource {
  const head = async () => {
    const repo = await locateRepo(path)
    const ref = branch ? `refs/heads/${branch}` : await headOf(repo)
    try {
      return { gitdir: repo.gitdir, commit: await resolveRef({ ...objectStore(repo.gitdir), ref }) }
    } catch (cause) {
      if (!(cause instanceof Errors.NotFoundError)) throw cause
      throw new GitSyncError(`failed to find branch "${branch ?? ref}" in "${path}"`, { reason: 'BranchNotFound', cause })
    }
  }
  return {
    head: async () => (await head()).commit,
    fetch: head,
    deepen: async () => undefined,
    tidy: async () => {},
    watch: async (ring) => watchRefs(await locateRepo(path), ring),
  }
}

/** The branch that HEAD names, or the commit it is. */
async function headOf({ headdir }: LocatedRepo): Promise<string> {
  const head = (await readFile(join(headdir, 'HEAD'), 'utf8')).trim()
  return head.replace(/^ref: /, '')
}

/** Watches folders, not files: Git replaces its files, and a watched file that is replaced is lost. */
async function watchRefs({ gitdir, headdir }: LocatedRepo, ring: () => void): Promise<() => Promise<void>> {
  const tops = [gitdir, headdir]
  const branches = join(gitdir, 'refs')
  const watcher = watch([...tops, branches], {
    ignoreInitial: true,
    ignored: (file) => !tops.includes(file) && !/[\\/](HEAD|packed-refs|refs([\\/].*)?)$/.test(file),
  })
  watcher.on('all', ring)
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return () => watcher.close()
}
