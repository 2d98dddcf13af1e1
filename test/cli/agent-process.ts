/** The agent as a process, on a directory that stands for a host. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export function kubeconfigFor(server: string, token: string): string {
  return JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server } }],
    users: [{ name: 'u', user: { token } }],
  })
}

export function put(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o755 })
  writeFileSync(path, text, { mode: 0o644 })
}

/** @param main a file, as seen from this one */
export function startAgent(root: string, main = '../../src/cli/agent-main.ts') {
  const program = fileURLToPath(new URL(main, import.meta.url))
  const child = spawn(process.execPath, [program, '--root', root, '--node-name', 'n1'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const lines = createInterface(child.stderr)[Symbol.asyncIterator]()
  return {
    /** @returns the first line that matches; all others before it are dropped */
    async line(pattern: RegExp): Promise<string> {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`wait for ${pattern}: the agent ended`)
        if (pattern.test(value)) return value
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
