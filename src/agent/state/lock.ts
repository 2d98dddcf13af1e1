import { basename, dirname } from 'node:path/posix'
import * as z from 'zod/mini'
import { HOST_LOCK, INSTALL_LOCK, type StatePaths } from '../paths.ts'
import type { HostFiles } from '../ports.ts'

const processIdentity = z.object({
  pid: z.number(),
  /** Which boot of the machine it belongs to. */
  boot: z.string(),
  /** When it was started, as the kernel counts; by it a pid that was given out again is distinguished from the first. */
  started: z.string(),
})

/** One process, and no other that will ever have its pid. */
export type ProcessIdentity = z.infer<typeof processIdentity>

export interface Processes {
  own(): Promise<ProcessIdentity>
  isRunning(identity: ProcessIdentity): Promise<boolean>
}

export interface LockContext {
  readonly files: HostFiles
  readonly processes: Processes
}

interface LockTaking extends LockContext {
  /** A boot empties its directory: an id of the boot, which some containers show to one process and not to another, is not asked for. */
  readonly isOfThisBoot?: boolean
  /** Why not, and what to do. */
  readonly refusal: (pid: number) => string
}

const AGENT_WORKS = (pid: number): string =>
  `the agent with pid ${pid} works on this host; stop that one, or give this one a --root of its own`
const INSTALLER_WORKS = (pid: number): string =>
  `another installation works on this host (pid ${pid}); wait until it has ended, and try again`

/** A disk that takes no file; what is there can be read. */
const TAKES_NOTHING = ['ENOSPC', 'EDQUOT', 'EROFS']

/**
 * Takes the host and the state directory for this process, until it ends: two agents would each undo what the other has under way. Agents of
 * earlier releases take only the state directory.
 * @throws when an agent that runs has one of them
 */
export async function takeLocks(paths: StatePaths, context: LockContext): Promise<void> {
  await takeLock(HOST_LOCK, { ...context, isOfThisBoot: true, refusal: AGENT_WORKS })
  // Nobody was found to have it, and nobody could take it now. An agent that does not start puts nothing back.
  await takeLock(paths.lock, { ...context, refusal: AGENT_WORKS }).catch((error: NodeJS.ErrnoException) => {
    if (!TAKES_NOTHING.includes(error.code ?? '')) throw error
  })
}

/**
 * Takes one step of installing for this process, until it ends: two that copy to one folder, or set links, would each undo what the other did.
 * @throws when another process has that step
 */
export async function takeInstallLock(step: 'copy' | 'install', context: LockContext): Promise<void> {
  await takeLock(`${INSTALL_LOCK}-${step}`, { ...context, isOfThisBoot: true, refusal: INSTALLER_WORKS })
}

/**
 * The lock is the file with the highest number. It is never given back; it is stale when its process is gone, and then the next number is
 * made, which one of those who want it succeeds in. (Replacing a stale file could replace the fresh one of somebody who was faster.)
 */
async function takeLock(lock: string, context: LockTaking): Promise<void> {
  const { files, processes } = context
  const own = Buffer.from(JSON.stringify(await processes.own()))
  for (;;) {
    const newest = (await numbers(lock, files)).at(-1) ?? 0
    await refuseWhenHeld(`${lock}.${newest}`, context)
    const isMade = await files.create(`${lock}.${newest + 1}`, own)
    // Whoever looked for long may have made a number that others have passed by, and cleared away, meanwhile.
    const after = await numbers(lock, files)
    const isTaken = isMade && after.at(-1) === newest + 1
    const cleared = isTaken ? after.slice(0, -1) : isMade ? [newest + 1] : []
    for (const number of cleared) await files.remove(`${lock}.${number}`)
    if (isTaken) return
  }
}

async function refuseWhenHeld(file: string, { files, processes, isOfThisBoot = false, refusal }: LockTaking): Promise<void> {
  const holder = parse(await files.read(file))
  if (holder === undefined) return
  const { boot } = isOfThisBoot ? await processes.own() : holder
  if (!(await processes.isRunning({ ...holder, boot }))) return
  throw new Error(`lock "${dirname(file)}": ${refusal(holder.pid)}`)
}

async function numbers(lock: string, files: HostFiles): Promise<number[]> {
  const prefix = `${basename(lock)}.`
  const found = (await files.list(dirname(lock)))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
  return found
    .filter((name) => /^\d{1,15}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

/** A file that says nothing names nobody who could still be there. */
function parse(bytes: Uint8Array | undefined): ProcessIdentity | undefined {
  try {
    return processIdentity.safeParse(JSON.parse(Buffer.from(bytes ?? []).toString())).data
  } catch {
    return undefined
  }
}
