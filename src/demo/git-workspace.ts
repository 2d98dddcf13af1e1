import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Nobody's git settings may change what the demo shows: no signing, no hooks, no templates, a name of its own. */
const ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'nodewave demo',
  GIT_AUTHOR_EMAIL: 'demo@nodewave.invalid',
  GIT_COMMITTER_NAME: 'nodewave demo',
  GIT_COMMITTER_EMAIL: 'demo@nodewave.invalid',
  GIT_TERMINAL_PROMPT: '0',
}

/** A clone that commits and pushes as a platform engineer would, with the real git. */
export interface GitWorkspace {
  readonly folder: string
  /** Replaces text in a file; a text that is not there is an error, so that a scene never pushes nothing. */
  edit(file: string, from: string, to: string): Promise<void>
  commit(message: string): Promise<string>
  /** @returns the commit that is now the branch's head */
  push(): Promise<string>
  revert(commit: string): Promise<string>
  head(): Promise<string>
}

/** Clones `url` into `folder` and copies `content` in, uncommitted. */
export async function cloneWith(url: string, { folder, content }: { folder: string; content: string }): Promise<GitWorkspace> {
  await git(undefined, ['clone', '--quiet', url, folder])
  await git(folder, ['checkout', '--quiet', '-B', 'main'])
  await cp(content, folder, { recursive: true })
  return openWorkspace(folder)
}

function openWorkspace(folder: string): GitWorkspace {
  const head = async (): Promise<string> => (await git(folder, ['rev-parse', 'HEAD'])).trim()
  return {
    folder,
    edit: (file, from, to) => editFile(join(folder, file), from, to),
    commit: async (message) => {
      await git(folder, ['add', '--all'])
      await git(folder, ['commit', '--quiet', '--message', message])
      return head()
    },
    push: async () => {
      await git(folder, ['push', '--quiet', 'origin', 'main'])
      return head()
    },
    revert: async (commit) => {
      await git(folder, ['revert', '--no-edit', commit])
      return head()
    },
    head,
  }
}

async function editFile(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  if (!text.includes(from)) throw new Error(`edit "${path}": "${from}" is not in it`)
  await writeFile(path, text.replaceAll(from, to))
}

async function git(folder: string | undefined, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...(folder === undefined ? [] : ['-C', folder]), ...args], {
    env: { ...process.env, ...ENVIRONMENT },
    timeout: 30_000,
  })
  return stdout
}
