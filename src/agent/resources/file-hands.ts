import * as z from 'zod/mini'
import { isUnitPath } from '../paths.ts'
import type { FileStat, WriteOptions } from '../ports.ts'
import type { Effects, HostHands, UndoOf, UpcomingFiles } from './kind.ts'
import { missingParents, removeWithDirectories } from './missing-parents.ts'

/** What is done to a file, whatever kind it is of. */
export type FileChange =
  | ({ readonly do: 'write'; readonly path: string; readonly bytes: Uint8Array } & WriteOptions)
  /** Takes its bytes from a file on this host: a staged binary, or a baseline. */
  | ({ readonly do: 'install'; readonly path: string; readonly from: string } & WriteOptions)
  | {
      readonly do: 'remove'
      readonly path: string
      /** That came with the file, the innermost first. They go too, as far as nobody has put anything there. */
      readonly directories?: readonly string[] | undefined
    }

const fileUndo = z.union([
  z.object({
    do: z.literal('restore'),
    path: z.string(),
    from: z.string(),
    mode: z.number(),
    uid: z.number(),
    gid: z.number(),
  }),
  z.object({ do: z.literal('remove'), path: z.string(), directories: z.optional(z.readonly(z.array(z.string()))) }),
])
type FileUndo = z.infer<typeof fileUndo>

const undo: UndoOf<FileChange, FileUndo> = {
  fidelity: 'exact',
  schema: fileUndo,
  leavesTrace: true,
  kept: (undone) => (undone.do === 'restore' ? [undone.from] : []),

  prepare: async (change, { host, backup }) => {
    const stat = await host.files.stat(change.path)
    if (stat === undefined) return removal(change, host)
    await host.files.keep(change.path, backup)
    return { do: 'restore', path: change.path, from: backup, mode: stat.mode, uid: stat.uid, gid: stat.gid }
  },

  perform: async (undone, { files }) => {
    if (undone.do === 'remove') return removeWithDirectories(undone, files)
    const { from, path, mode, uid, gid } = undone
    await files.restore(from, path, { mode, uid, gid })
  },

  isUndone: async (undone, { files }) => {
    const stat = await files.stat(undone.path)
    if (stat === undefined || undone.do === 'remove') return stat === undefined && undone.do === 'remove'
    const isSame = stat.mode === undone.mode && stat.uid === undone.uid && stat.gid === undone.gid
    return isSame && stat.type === 'file' && (await files.sha256(undone.path)) === (await files.sha256(undone.from))
  },
}

/** What all kinds that are one file have in common. */
export const fileHands = {
  version: 1,
  undo,
  effects: (change: FileChange): Effects => ({ reload: isUnitPath(change.path), writes: writesOf(change) }),
  perform: async (change: FileChange, { files }: HostHands): Promise<void> => {
    if (change.do === 'write') return files.writeAtomic(change.path, change.bytes, ownership(change))
    if (change.do === 'install') return files.install(change.from, change.path, ownership(change))
    return removeWithDirectories(change, files)
  },
}

function writesOf(change: FileChange): UpcomingFiles {
  if (change.do === 'install') return new Map()
  return new Map([[change.path, change.do === 'write' ? change.bytes : undefined]])
}

/** Where nothing was, a write makes directories as well. */
async function removal(change: FileChange, { files }: HostHands): Promise<FileUndo> {
  const directories = change.do === 'remove' ? [] : await missingParents(change.path, { files })
  return { do: 'remove', path: change.path, ...(directories.length === 0 ? {} : { directories }) }
}

export function hasOwnership(actual: Required<WriteOptions> | undefined, wanted: WriteOptions): boolean {
  return (['mode', 'uid', 'gid'] as const).every((key) => wanted[key] === undefined || wanted[key] === actual?.[key])
}

/** Only what was said: an undefined member would not mean the same as a missing one. */
export function ownership({ mode, uid, gid }: WriteOptions | FileStat): WriteOptions {
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  }
}
