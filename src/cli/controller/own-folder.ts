import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = /^nodewave-git-(\d+)-/

export interface Processes {
  readonly own: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  isRunning(pid: number): boolean
}

/**
 * A folder of this process below another one. Those of processes that were killed are removed: a container that is started again has the
 * disk of the one before, and would fill it.
 */
export async function makeOwnFolder(parent: string, processes: Processes): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN)
    const path = join(parent, name)
    // What another user left takes place, and is no reason not to start.
    if (pid > 0 && (await isLeft(path, pid, processes))) await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
  return mkdtemp(join(parent, `nodewave-git-${processes.own}-`))
}

/** In a container, the process before had the same id. */
async function isLeft(path: string, pid: number, { own, startedAt, isRunning }: Processes): Promise<boolean> {
  if (pid !== own) return !isRunning(pid)
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.mtimeMs < startedAt
}

export function systemProcesses(now = Date.now()): Processes {
  return { own: process.pid, startedAt: now - process.uptime() * 1000, isRunning }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Of somebody else, but running.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
