import * as z from 'zod/mini'
import type { StatePaths } from '../paths.ts'
import type { HostFiles } from '../ports.ts'

const processIdentity = z.object({
  pid: z.number(),
  /** Which boot of the machine it belongs to. */
  boot: z.string(),
  /** When it was started, as the kernel counts; by it a pid that was given out again is told from the first. */
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
  readonly paths: StatePaths
  readonly processes: Processes
}

/**
 * Takes the state directory for this process, until it ends: two agents would each undo what the other has under way.
 *
 * The lock is the file with the highest number. It is never given back; it is stale when its process is gone, and then the next number is
 * made, which one of those who want it succeeds in. (Replacing a stale file could replace the fresh one of somebody who was faster.)
 *
 * @throws when an agent that runs has it
 */
export async function takeLock(context: LockContext): Promise<void> {
  const { files, paths, processes } = context
  const own = Buffer.from(JSON.stringify(await processes.own()))
  for (;;) {
    const newest = (await numbers(context)).at(-1) ?? 0
    await refuseWhenHeld(newest, context)
    const isMade = await files.create(`${paths.lock}.${newest + 1}`, own)
    // Whoever looked for long may have made a number that others have passed by, and cleared away, meanwhile.
    const after = await numbers(context)
    if (isMade && after.at(-1) === newest + 1) return clear(after.slice(0, -1), context)
    if (isMade) await clear([newest + 1], context)
  }
}

async function refuseWhenHeld(number: number, { files, paths, processes }: LockContext): Promise<void> {
  const holder = parse(await files.read(`${paths.lock}.${number}`))
  if (holder === undefined || !(await processes.isRunning(holder))) return
  throw new Error(
    `lock "${paths.directory}": the agent with pid ${holder.pid} works with it; stop that one, or give this one a --state-directory or a --root of its own`,
  )
}

async function numbers({ files, paths }: LockContext): Promise<number[]> {
  const found = (await files.list(paths.directory)).flatMap((name) => /^lock\.(\d{1,15})$/.exec(name)?.[1] ?? [])
  return found.map(Number).sort((a, b) => a - b)
}

async function clear(which: readonly number[], { files, paths }: LockContext): Promise<void> {
  for (const number of which) await files.remove(`${paths.lock}.${number}`)
}

/** A file that says nothing names nobody who could still be there. */
function parse(bytes: Uint8Array | undefined): ProcessIdentity | undefined {
  try {
    return processIdentity.safeParse(JSON.parse(Buffer.from(bytes ?? []).toString())).data
  } catch {
    return undefined
  }
}
