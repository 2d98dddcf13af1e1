import type { FileStat } from '../ports.ts'
import type { LocalFile } from '../state/local.ts'
import { hasOwnership } from './file.ts'
import { statRegular } from './regular-file.ts'
import type { ResourceKind } from './resource.ts'

/** A file that nothing names any more is to be as it was before nodewave first touched it: bytes, mode, owner, or not there. */
type OriginalSpec = Pick<LocalFile, 'path' | 'saved' | 'directories'>

export const original: ResourceKind<OriginalSpec, { readonly stat: FileStat | undefined; readonly sha256: string | undefined }> =
  {
    name: 'original',
    observe: async ({ files }, { path }) => ({ stat: await statRegular(files, path), sha256: await files.sha256(path) }),
    difference: ({ path, saved, directories }, actual) => {
      if (saved === undefined) return actual.stat && { kind: 'remove', path, directories }
      if (actual.stat && actual.sha256 === saved.sha256 && hasOwnership(actual.stat, saved)) return undefined
      const { mode, uid, gid } = saved
      return { kind: 'install', path, from: saved.at, mode, uid, gid }
    },
  }
