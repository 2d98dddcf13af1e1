import type { FileStat } from '../ports.ts'
import { statRegular } from './regular-file.ts'
import type { ResourceKind } from './resource.ts'

export interface BinarySpec {
  readonly path: string
  readonly sha256: string
  /** Where staging puts it. */
  readonly staged: string
}

/** Judged by content alone: a version can be built twice. */
export const kubeletBinary: ResourceKind<
  BinarySpec,
  { readonly stat: FileStat | undefined; readonly sha256: string | undefined }
> = {
  name: 'kubelet-binary',
  observe: async ({ files }, { path }) => ({ stat: await statRegular(files, path), sha256: await files.sha256(path) }),
  difference: ({ path, sha256, staged }, actual) => {
    if (actual.sha256 === sha256 && isExecutable(actual.stat)) return undefined
    return { kind: 'install', path, from: staged, mode: 0o755 }
  },
}

function isExecutable(stat: FileStat | undefined): boolean {
  return stat !== undefined && (stat.mode & 0o111) !== 0
}
