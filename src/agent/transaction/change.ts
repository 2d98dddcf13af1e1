import { createHash } from 'node:crypto'
import type { AgentPorts, FileStat, WriteOptions } from '../ports.ts'
import { missingParents } from './missing-parents.ts'

/**
 * One thing done to the host. Each is idempotent: done twice, it leaves what it leaves when done once, so that an undo
 * that was cut short is simply done again. What puts a change back is a change too.
 */
export type Change = FileChange | UnitChange

/** What puts a change back: bytes come from a backup, so that the journal never has to carry them. */
export type Undo = Exclude<Change, { kind: 'write' | 'install' }>

export type FileChange =
  | ({ readonly kind: 'write'; readonly path: string; readonly bytes: Uint8Array } & WriteOptions)
  /** Takes its bytes from a file on this host: a staged binary, or an original. */
  | ({ readonly kind: 'install'; readonly path: string; readonly from: string } & WriteOptions)
  /** Puts a backup back. */
  | ({ readonly kind: 'restore'; readonly path: string; readonly from: string } & Required<WriteOptions>)
  | {
      readonly kind: 'remove'
      readonly path: string
      /** That came with the file, the innermost first. They go too, as far as nobody has put anything there. */
      readonly directories?: readonly string[] | undefined
    }

export interface UnitChange {
  readonly kind: 'unit'
  readonly unit: string
  readonly enabled?: boolean
  readonly running?: boolean
}

/** What changes act on. */
export type HostHands = Pick<AgentPorts, 'files' | 'services'>

export async function perform(change: Change, { files, services }: HostHands): Promise<void> {
  switch (change.kind) {
    case 'write':
      return files.writeAtomic(change.path, change.bytes, ownership(change))
    case 'install':
      return files.install(change.from, change.path, ownership(change))
    case 'restore':
      return files.restore(change.from, change.path, { mode: change.mode, uid: change.uid, gid: change.gid })
    case 'remove':
      await files.remove(change.path)
      for (const directory of change.directories ?? []) await files.removeEmpty(directory)
      return
    case 'unit':
      return setUnit(change, services)
  }
}

/** A service manager refuses to disable or stop a unit that it does not know; such a one is neither enabled nor running. */
async function setUnit({ unit, enabled, running }: UnitChange, services: HostHands['services']): Promise<void> {
  // The unit's own file may have come or gone a moment ago.
  await services.reload()
  const now = await services.show(unit)
  if (enabled !== undefined && enabled !== now.enabled) await (enabled ? services.enable(unit) : services.disable(unit))
  if (running !== undefined && running !== isRunning(now.active)) await (running ? services.start(unit) : services.stop(unit))
}

/**
 * Keeps what the change is about to replace, and tells what puts it back: bytes, mode and owner, or nothing where nothing was.
 * @param options.backup where the original may be kept
 */
export async function prepareUndo(change: Change, options: { readonly host: HostHands; readonly backup: string }): Promise<Undo> {
  const { host, backup } = options
  if (change.kind === 'unit') return unitUndo(change, host)
  const stat = await host.files.stat(change.path)
  if (stat === undefined) return removal(change, host)
  await host.files.keep(change.path, backup)
  return { kind: 'restore', path: change.path, from: backup, mode: stat.mode, uid: stat.uid, gid: stat.gid }
}

/** Where nothing was, a write makes directories as well. */
async function removal({ kind, path }: FileChange, { files }: HostHands): Promise<Undo> {
  const directories = kind === 'remove' ? [] : await missingParents(path, { files })
  return { kind: 'remove', path, ...(directories.length === 0 ? {} : { directories }) }
}

async function unitUndo({ unit, enabled, running }: UnitChange, { services }: HostHands): Promise<Undo> {
  const state = await services.show(unit)
  return {
    kind: 'unit',
    unit,
    ...(enabled === undefined ? {} : { enabled: state.enabled }),
    ...(running === undefined ? {} : { running: isRunning(state.active) }),
  }
}

/** Whether a file or unit is already as the undo would make it. */
export async function isUndone(undo: Undo, { files, services }: HostHands): Promise<boolean> {
  if (undo.kind === 'unit') {
    const { enabled, active } = await services.show(undo.unit)
    return (undo.enabled ?? enabled) === enabled && (undo.running ?? isRunning(active)) === isRunning(active)
  }
  const stat = await files.stat(undo.path)
  if (stat === undefined || undo.kind === 'remove') return stat === undefined && undo.kind === 'remove'
  const isSame = stat.mode === undo.mode && stat.uid === undo.uid && stat.gid === undo.gid
  return isSame && stat.type === 'file' && (await files.sha256(undo.path)) === (await files.sha256(undo.from))
}

export function isRunning(active: string): boolean {
  return active === 'active' || active === 'activating'
}

/** Only what was said: an undefined member would not mean the same as a missing one. */
export function ownership({ mode, uid, gid }: WriteOptions | FileStat): WriteOptions {
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
