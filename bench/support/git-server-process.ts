import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { HOME } from './cluster.ts'

export interface GitServerProcess extends AsyncDisposable {
  readonly url: string
}

/** Real Git in a process of its own, as a forge is: a process that measures would pay for each that the server starts. */
export async function startGitServerProcess(root: string): Promise<GitServerProcess> {
  const child = fork(join(HOME, 'bench/support/git-server-main.ts'), [root], { execArgv: [] })
  const [url] = await once(child, 'message')
  return {
    url: String(url),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
