import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const ENV = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.invalid',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.invalid',
  GIT_AUTHOR_DATE: '1700000000 +0000',
  GIT_COMMITTER_DATE: '1700000100 +0000',
}

/** A working tree made with the real git, in a folder of its own that goes with it. */
export interface GitFixture extends AsyncDisposable {
  /** The folder; `work` in it is the working tree. */
  readonly folder: string
  readonly work: string
  git(...args: readonly string[]): Promise<string>
  /** Writes files and commits everything. @returns the commit */
  commit(message: string, files?: Readonly<Record<string, string>>): Promise<string>
  /** Puts so many commits on top of `main`. */
  pile(count: number): Promise<void>
}

export async function gitFixture(): Promise<GitFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-git-'))
  const work = join(folder, 'work')
  const git = async (...args: readonly string[]) => (await run('git', args, { cwd: work, env: ENV })).stdout.trim()
  await mkdir(work)
  await git('init', '--quiet', '--initial-branch=main')
  return {
    folder,
    work,
    git,
    async commit(message, files = {}) {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(work, name)), { recursive: true })
        await writeFile(join(work, name), text)
      }
      await git('add', '--all')
      await git('commit', '--quiet', '--allow-empty', '--message', message)
      return git('rev-parse', 'HEAD')
    },
    async pile(count) {
      const commits = Array.from({ length: count }, (_, n) => {
        const from = n === 0 ? 'from refs/heads/main^0\n' : ''
        return `commit refs/heads/main\ncommitter Grace <grace@example.invalid> 1700000000 +0000\ndata 0\n${from}\n`
      })
      const importing = run('git', ['fast-import', '--quiet'], { cwd: work, env: ENV })
      importing.child.stdin?.end(commits.join(''))
      await importing
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
