import * as fs from 'node:fs'

/** The objects of one repository on disk, as isomorphic-git wants them named. */
export interface ObjectStore {
  readonly fs: typeof fs
  readonly gitdir: string
  /** Holds whole packs: created for every reading, so that nothing stays in memory between two commits. */
  readonly cache: object
}

export function objectStore(gitdir: string): ObjectStore {
  return { fs, gitdir, cache: {} }
}
