import type { WriteOptions } from '../ports.ts'
import { type ActualFile, readRegular } from './regular-file.ts'
import type { ResourceKind } from './resource.ts'

/** What is not named (mode, owner) stays as it is; a file without bytes should not be there. */
export interface FileSpec extends WriteOptions {
  readonly path: string
  readonly bytes?: Uint8Array
}

export const file: ResourceKind<FileSpec, ActualFile | undefined> = {
  name: 'file',
  observe: ({ files }, { path }) => readRegular(files, path),
  difference: ({ bytes, ...spec }, actual) => {
    if (bytes === undefined) return actual && { kind: 'remove', path: spec.path }
    if (actual && Buffer.compare(bytes, actual.bytes) === 0 && hasOwnership(actual.stat, spec)) return undefined
    return { kind: 'write', ...spec, bytes }
  },
}

export function hasOwnership(actual: Required<WriteOptions>, wanted: WriteOptions): boolean {
  return (['mode', 'uid', 'gid'] as const).every((key) => wanted[key] === undefined || wanted[key] === actual[key])
}
