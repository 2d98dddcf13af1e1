/** Where built things are kept: outside the checkout, by name, version and Go version. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { output } from '../exec.ts'

export const cacheRoot = process.env.NODEWAVE_E2E_CACHE ?? join(homedir(), '.cache', 'nodewave-e2e')

/** One build of a binary lives in a directory of its own and keeps its plain name. */
export function binaryPath(goVersion: string, name: string, version: string): string {
  return join(cacheRoot, 'bin', goVersion, `${name}-${version}`, name)
}

/** Short name for content: what is made from it is made again when it changes. */
export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12)
}

export async function goVersion(): Promise<string> {
  return output('go', ['env', 'GOVERSION'])
}

/** Do `work` unless `path` is there; two runs at the same time do it once, the second waits for the first. */
export async function once(path: string, work: () => Promise<void>): Promise<boolean> {
  if (existsSync(path)) return false
  await mkdir(dirname(path), { recursive: true })
  await using _lock = await lock(`${path}.lock`)
  if (existsSync(path)) return false
  await work()
  return true
}

/** A lock file with the process id of its holder; one whose holder is gone is taken over. */
async function lock(path: string): Promise<AsyncDisposable> {
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' })
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (await isStale(path)) await rm(path, { force: true })
    else await sleep(500)
  }
}

async function isStale(path: string): Promise<boolean> {
  const holder = Number(await readFile(path, 'utf8').catch(() => '0'))
  // An empty file is one that its holder is writing at this moment.
  return holder > 0 && !existsSync(`/proc/${holder}`)
}
