import { basename, join } from 'node:path/posix'
import type { AgentPorts } from '../ports.ts'
import { atOrBelow, type WatchList, watchList } from './watch-list.ts'

/** A host has some thousand watches for all of its processes, and an archive may have more directories than that. */
export const MOST_WATCHES = 256
/** Nothing is there to be watched. The directory above is, and shows when something comes. */
const MISSING = ['ENOENT', 'ENOTDIR']
/** Of the host: whatever else is asked for is refused, too. */
const LIMITS = ['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']

type WatchPorts = Pick<AgentPorts, 'log' | 'watchDirectory'>

/**
 * Watches the directories that hold these paths. A watch is of the directory that was there when it began: whatever may have replaced that
 * ends it, and `renew` begins another one.
 */
export class DirectoryWatches {
  readonly #ports: WatchPorts
  readonly #onChange: (paths: readonly string[]) => void
  #paths: readonly string[] = []
  #list: WatchList = new Map()
  readonly #ends = new Map<string, () => void>()
  /** Why directories could not be watched the last time. */
  #trouble: string | undefined

  /** @param onChange called with the paths that may have changed */
  constructor(ports: WatchPorts, onChange: (paths: readonly string[]) => void) {
    this.#ports = ports
    this.#onChange = onChange
  }

  /** From now on it is these paths, and no others. */
  async follow(paths: readonly string[]): Promise<void> {
    this.#paths = paths
    this.#list = watchList(paths)
    for (const directory of [...this.#ends.keys()]) if (!this.#list.has(directory)) this.#end(directory)
    await this.renew()
  }

  /** Begins what is not watched, or not any more. */
  async renew(): Promise<void> {
    const trouble = await this.#beginAll()
    const counts = { because: trouble, watched: this.#ends.size, of: this.#list.size }
    if (trouble !== undefined && trouble !== this.#trouble)
      this.#ports.log.warn('not all directories are watched: the regular look finds what is changed there', counts)
    this.#trouble = trouble
  }

  close(): void {
    for (const directory of [...this.#ends.keys()]) this.#end(directory)
  }

  /** @returns why not all that are there are watched. */
  async #beginAll(): Promise<string | undefined> {
    let trouble: string | undefined
    for (const directory of this.#list.keys()) {
      if (this.#ends.has(directory)) continue
      if (this.#ends.size >= MOST_WATCHES) return `limit of ${MOST_WATCHES} directories`
      const code = await this.#begin(directory)
      if (code === undefined || MISSING.includes(code)) continue
      if (LIMITS.includes(code)) return code
      trouble = code
    }
    return trouble
  }

  /** @returns the code of the error, if it cannot be watched. */
  async #begin(directory: string): Promise<string | undefined> {
    try {
      this.#ends.set(directory, await this.#ports.watchDirectory(directory, (name) => this.#saw(directory, name)))
      return undefined
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code ?? error)
    }
  }

  #saw(directory: string, name: string | undefined): void {
    // What a directory says of itself bears its own name.
    if (name === undefined || name === basename(directory)) this.#changed(directory)
    else if (this.#list.get(directory)?.has(name)) this.#changed(join(directory, name))
  }

  /** It, and all below, may be others now. */
  #changed(place: string): void {
    for (const directory of atOrBelow(place, this.#ends.keys())) this.#end(directory)
    this.#onChange(atOrBelow(place, this.#paths))
  }

  #end(directory: string): void {
    this.#ends.get(directory)?.()
    this.#ends.delete(directory)
  }
}
