import type { BigIntStats } from 'node:fs'
import { lstat } from '../../kube/file-calls.ts'
import { orMissing } from './or-missing.ts'
import { sha256OfFile } from './sha256-of-file.ts'

/** Milliseconds. A file that was changed within so short a time before it was read may change again, and show the same stamp. */
const UNSURE = 2000

/**
 * SHA-256 of files, each read once as long as it stays as it is: a kubelet of 90 MB is asked for at every look at the host. A change of content
 * changes the inode's ctime, which no program can set. Not for what was downloaded: that is read whole before it is used.
 */
export class FileDigests {
  readonly #now: () => number
  readonly #read: (path: string) => Promise<string | undefined>
  readonly #known = new Map<string, { readonly state: string; readonly sha256: string }>()

  /** @param options.now milliseconds since the epoch, as the file system stamps them */
  constructor({ now = Date.now, read = sha256OfFile } = {}) {
    this.#now = now
    this.#read = read
  }

  /**
   * @param path as the host knows the file
   * @param at where this process finds it
   * @returns hex digest; undefined when there is no such file.
   */
  async of(path: string, at: string = path): Promise<string | undefined> {
    const state = await this.#stateOf(at)
    const known = this.#known.get(path)
    if (known !== undefined && known.state === state) return known.sha256
    this.#known.delete(path)
    const sha256 = await this.#read(at)
    if (sha256 !== undefined && state !== undefined && state === (await this.#stateOf(at)))
      this.#known.set(path, { state, sha256 })
    return sha256
  }

  /** Equal as long as nobody changed the file; undefined when that cannot be known. */
  async #stateOf(path: string): Promise<string | undefined> {
    const now = this.#now()
    const stats = await orMissing(lstat(path, { bigint: true }))
    return stats === undefined || now - Number(stats.ctimeMs) < UNSURE ? undefined : describe(stats)
  }
}

function describe({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
