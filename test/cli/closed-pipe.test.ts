import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { aFolder, FLEET } from './run-cli.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** Runs a command whose reader has gone before it says anything. */
async function unread(cwd: string, ...args: string[]): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (bytes) => {
    stderr += String(bytes)
  })
  const [code] = await once(child, 'close')
  return { code, stderr }
}

test('a command whose reader has gone, as in `| head -1`, ends with its own code and says nothing', async () => {
  const folder = await aFolder(FLEET)

  expect(await unread(folder, 'windows')).toEqual({ code: 0, stderr: '' })
  expect(await unread(await aFolder({}), 'validate')).toEqual({ code: 2, stderr: '' })
})
