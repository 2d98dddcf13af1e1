import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { watch } from 'chokidar'
import { Errors, listTags, resolveRef } from 'isomorphic-git'
import { refMissing } from './explain-failure.ts'
import { describeRef, followedIn, type GitRef, prefixOf, tagName } from './git-ref.ts'
import { GitSyncError } from './git-sync-error.ts'
import { type LocatedRepo, locateRepo } from './locate-repo.ts'
import { objectStore } from './object-store.ts'
import type { FetchedHead, RepoSource } from './repo-source.ts'
import { peel } from './revision.ts'

export interface LocalOptions {
  /** A working tree, or a bare repository. */
  readonly path: string
  /** The default is whatever HEAD points to at the time. */
  readonly ref?: GitRef
}

/** A repository on this machine: read where it is, and followed at once. */
export function createLocalSource({ path, ref }: LocalOptions): RepoSource {
  const head = async (): Promise<FetchedHead> => {
    const repo = await locateRepo(path)
    const store = objectStore(repo.gitdir)
    const name = ref ? await nameOf(repo, ref) : await headOf(repo)
    try {
      const named = await resolveRef({ ...store, ref: name })
      return { gitdir: repo.gitdir, named, commit: await peel(store, named), tag: tagName(name) }
    } catch (cause) {
      if (!(cause instanceof Errors.NotFoundError)) throw cause
      const what = ref ? describeRef(ref) : `branch "${name}"`
      throw new GitSyncError(`failed to find ${what} in "${path}"`, { reason: 'BranchNotFound', cause })
    }
  }
  return {
    head: async () => (await head()).named,
    fetch: head,
    deepen: async () => undefined,
    tidy: async () => {},
    watch: async (ring) => watchRefs(await locateRepo(path), ring),
  }
}

async function nameOf({ gitdir }: LocatedRepo, ref: GitRef): Promise<string> {
  if ('commit' in ref) return ref.commit
  if (!('semver' in ref)) return prefixOf(ref)
  const tags = await listTags(objectStore(gitdir))
  const names = tags.map((tag) => `refs/tags/${tag}`)
  const name = followedIn(names, ref)
  if (name === undefined) throw refMissing(ref, { url: gitdir, names })
  return name
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
