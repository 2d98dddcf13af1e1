/** A repository to push to, and a clone of it to change. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { putFile } from '../build/layers.ts'
import { output, run } from '../exec.ts'

export interface GitRepository {
  /** What a controller follows. */
  readonly url: string
  readonly branch: string
  /** The clone that pushes are made from. */
  readonly clone: string
  /** Write files (path → text; undefined removes one), commit and push; gives the commit. */
  push(files: Readonly<Record<string, string | undefined>>, message: string): Promise<string>
  /** The same in two steps. */
  commit(files: Readonly<Record<string, string | undefined>>, message: string): Promise<void>
  publish(): Promise<string>
  /** `git revert` of a commit, pushed; gives the new commit. */
  revert(commit: string): Promise<string>
  git(args: readonly string[]): Promise<string>
}

/** The person who pushes: the machine's own Git configuration has no part in the tests. */
const identity = {
  GIT_AUTHOR_NAME: 'e2e',
  GIT_AUTHOR_EMAIL: 'e2e@nodewave.example',
  GIT_COMMITTER_NAME: 'e2e',
  GIT_COMMITTER_EMAIL: 'e2e@nodewave.example',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
}

export interface RepositoryOptions {
  /** The directory that the Git server serves. */
  readonly served: string
  /** The server's address. */
  readonly server: string
  readonly clones: string
  readonly name: string
}

export async function createRepository({ served, server, clones, name }: RepositoryOptions): Promise<GitRepository> {
  const bare = join(served, `${name}.git`)
  const branch = 'main'
  await run('git', ['init', '--quiet', '--bare', `--initial-branch=${branch}`, bare], { env: identity })
  return workingCopy({ url: `${server}/${name}.git`, clone: join(clones, name) })
}

export interface WorkingCopy {
  /** Of a repository that is still empty. */
  readonly url: string
  readonly clone: string
  /** Beside that of the person who pushes, for each `git`. */
  readonly env?: Readonly<Record<string, string>>
}

export async function workingCopy({ url, clone, env: more = {} }: WorkingCopy): Promise<GitRepository> {
  const env = { ...identity, ...more }
  const branch = 'main'
  await mkdir(clone, { recursive: true })
  await run('git', ['init', '--quiet', `--initial-branch=${branch}`, clone], { env })
  const git = (args: readonly string[]) => output('git', ['-C', clone, ...args], { env })
  await git(['remote', 'add', 'origin', url])

  async function commit(files: Readonly<Record<string, string | undefined>>, message: string): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) await git(['rm', '--quiet', path])
      else await putFile(clone, { path, content })
    }
    await git(['add', '--all'])
    await git(['commit', '--quiet', '--allow-empty', '-m', message])
  }
  async function publish(): Promise<string> {
    await git(['push', '--quiet', 'origin', 'HEAD'])
    return git(['rev-parse', 'HEAD'])
  }
  return {
    url,
    branch,
    clone,
    git,
    commit,
    publish,
    async push(files, message) {
      await commit(files, message)
      return publish()
    },
    async revert(commit) {
      await git(['revert', '--no-edit', commit])
      return publish()
    },
  }
}
