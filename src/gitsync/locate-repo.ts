import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { GitSyncError } from './git-sync-error.ts'

export interface LocatedRepo {
  /** Where objects and branches are. */
  readonly gitdir: string
  /** Where HEAD is: another place in a linked worktree. */
  readonly headdir: string
  /** The given path inside of the repository, with `/`; empty for its root and for a bare one. */
  readonly folder: string
}

/** The repository that a path is in: a working tree or a folder of one, a linked worktree, a bare repository. @throws {GitSyncError} */
export async function locateRepo(path: string): Promise<LocatedRepo> {
  const start = await realpath(path).catch(() => resolve(path))
  for (let at = start; ; at = dirname(at)) {
    const headdir = await gitdirAt(at, at === start)
    if (headdir) {
      const folder = headdir === at ? '' : relative(at, start).split(sep).join('/')
      return { gitdir: await commonOf(headdir), headdir, folder }
    }
    if (dirname(at) === at)
      throw new GitSyncError(
        `failed to find a Git repository at "${path}"; make it one (git init), or name a folder inside of one`,
        { reason: 'NotARepository' },
      )
  }
}

async function gitdirAt(path: string, mayBeBare: boolean): Promise<string | undefined> {
  const dotGit = join(path, '.git')
  const found = await stat(dotGit).catch(() => undefined)
  if (found?.isDirectory()) return dotGit
  const link = found && /^gitdir: (.*)$/m.exec(await readFile(dotGit, 'utf8'))?.[1]
  if (link) return resolve(path, link)
  return mayBeBare && (await isBare(path)) ? path : undefined
}

async function isBare(path: string): Promise<boolean> {
  const found = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => stat(join(path, name)).catch(() => undefined)))
  return found.every(Boolean)
}

async function commonOf(headdir: string): Promise<string> {
  const common = await readFile(join(headdir, 'commondir'), 'utf8').catch(() => '.')
  return resolve(headdir, common.trim())
}
