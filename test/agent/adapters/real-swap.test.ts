/** The swap of this machine's kernel, where a test may change it: one megabyte, for a moment. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { procKernel } from '../../../src/agent/adapters/proc-kernel.ts'

const MIB = 1024 * 1024

/** Runs `use` with a file that is ready to be swapped to; undefined where nobody may swap. */
async function withSwapFile(use: (path: string) => Promise<void>): Promise<'done' | 'not here'> {
  const directory = mkdtempSync(join(tmpdir(), 'nodewave-swap-'))
  const path = join(directory, 'a swap file')
  const quiet = { stdio: 'ignore' } as const
  try {
    writeFileSync(path, Buffer.alloc(MIB), { mode: 0o600 })
    try {
      execFileSync('mkswap', [path], quiet)
      execFileSync('swapon', ['--priority', '7', path], quiet)
    } catch {
      return 'not here'
    }
    await use(path)
    return 'done'
  } finally {
    try {
      execFileSync('swapoff', [path], quiet)
    } catch {
      // It is off already.
    }
    rmSync(directory, { recursive: true })
  }
}

test('procKernel switches a swap file of this machine off, and on again with its priority', async ({ skip }) => {
  const kernel = procKernel()
  const found = async (path: string) => (await kernel.swaps()).filter((swap) => swap.path === path)
  const ended = await withSwapFile(async (path) => {
    expect(await found(path)).toEqual([{ path, priority: 7 }])
    await kernel.swapOff(path)
    expect(await found(path)).toEqual([])
    await kernel.swapOn({ path, priority: 7 })
    expect(await found(path)).toEqual([{ path, priority: 7 }])
  })
  skip(ended === 'not here', 'nobody may swap here')
})
