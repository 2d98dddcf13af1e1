import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
  statfsSync,
} from 'node:fs'
import { nameInError, withReason } from './name-in-error.ts'
import { isOwnerTrusted, isSharedDirectory, refuseDirectory, refuseEntry, refuseKernelLink } from './trusted-directory.ts'

/** Fails for a link, also for one to a directory. */
export const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** As many as the kernel follows. */
const MAX_LINKS = 40
const PRIVATE = 0o700
const PROCFS = 0x9fa0

/**
 * The host's directories below `root`, entered one by one and held open: what a user renames or links meanwhile leads nowhere else. Links of
 * root are followed, as `/lib` on many distributions; a directory that others than root may write is refused.
 */
export class HostTree {
  readonly #root: string
  readonly #own: readonly string[] | undefined
  /** The agent's own directory, as it was when all directories above it were entered last. */
  #known: Stats | undefined

  /** @param options.own the agent's state directory: nobody else may enter it, nor what is made below */
  constructor(root = '/', { own }: { readonly own?: string } = {}) {
    this.#root = root
    this.#own = own === undefined ? undefined : partsOf(own)
  }

  /** Whether a path is in the agent's own directory, and not that directory itself. */
  isOwn(path: string): boolean {
    const parts = partsOf(path)
    return this.#own !== undefined && parts.length > this.#own.length && this.#own.every((part, index) => part === parts[index])
  }

  /**
   * @param options.follow whether a link of root's in the last place is followed as well
   * @returns undefined when a directory above is missing
   * @throws {AgentError} UnsafePath
   */
  find(path: string, { follow = false } = {}): Place | undefined {
    return this.#at(path, { follow, make: false })
  }

  /** Makes the directories above that are missing. @throws {AgentError} UnsafePath */
  make(path: string): Place {
    const place = this.#at(path, { follow: false, make: true })
    if (place === undefined) throw new Error(`make the directories of "${path}": not made`)
    return place
  }

  #at(path: string, how: How): Place | undefined {
    return this.#walk(path, { ...how, own: this.isOwn(path) ? this.#openOwn() : undefined })
  }

  #walk(path: string, { follow, make, own }: How & { readonly own?: OpenDirectory | undefined }): Place | undefined {
    const parts = partsOf(path)
    const isOwn = this.isOwn(path)
    const walk = new Walk(path, own ?? this.#root)
    try {
      const name = parts.pop() ?? '.'
      const outer = isOwn ? parts.splice(0, this.#own?.length) : parts.splice(0)
      if (own === undefined && !walk.down(outer, make ? 0o755 : undefined)) return undefined
      if (isOwn && own === undefined) this.#known = walk.close()
      if (!walk.down(parts, make ? PRIVATE : undefined)) return undefined
      return walk.end(name, follow)
    } catch (error) {
      if (error instanceof LedElsewhere) return this.#walk(path, { follow, make })
      throw walk.explain(error)
    } finally {
      walk[Symbol.dispose]()
    }
  }

  /**
   * The same directory as before, still closed to others, whatever happened above it: then the way there need not be gone step by step, which
   * is half of the calls of a look at the agent's memory.
   */
  #openOwn(): OpenDirectory | undefined {
    const known = this.#known
    this.#known = undefined
    if (known === undefined) return undefined
    const path = `/${this.#own?.join('/') ?? ''}`
    const fd = openOrMissing(`${this.#root}${path}`)
    if (fd === undefined) return undefined
    const { dev, ino, uid, mode } = fstatSync(fd)
    if (dev === known.dev && ino === known.ino && uid === known.uid && (mode & 0o077) === 0) {
      this.#known = known
      return { fd, path, isShared: false }
    }
    closeSync(fd)
    return undefined
  }
}

/** The long way says what is wrong. */
function openOrMissing(directory: string): number | undefined {
  try {
    return openSync(directory, DIRECTORY)
  } catch {
    return undefined
  }
}

interface How {
  readonly follow: boolean
  readonly make: boolean
}

/** A way that did not begin at the root met a link. */
class LedElsewhere extends Error {}

/** A name in a directory that is held open until this is disposed of. */
export class Place implements Disposable {
  /** Of the directory. */
  readonly fd: number
  readonly name: string
  readonly #directory: string

  /** @param directory as the host names it */
  constructor({ fd, path }: { readonly fd: number; readonly path: string }, name: string) {
    this.fd = fd
    this.name = name
    this.#directory = path
  }

  /** For calls that take a path. Only calls without following links leave a link in the last part alone. */
  get path(): string {
    return this.beside(this.name)
  }

  beside(name: string): string {
    return pathIn(this.fd, name)
  }

  /** Has an error name the path as the host does. */
  explain(error: unknown): unknown {
    return withReason(explained(error, { fd: this.fd, path: this.#directory }))
  }

  [Symbol.dispose](): void {
    closeSync(this.fd)
  }
}

interface OpenDirectory {
  readonly fd: number
  readonly path: string
  readonly isShared: boolean
}

/** One way down from the root. */
class Walk implements Disposable {
  readonly #path: string
  readonly #open: OpenDirectory[] = []
  readonly #begins: 'at the root' | 'below'
  #links = 0

  constructor(path: string, from: string | OpenDirectory) {
    if (!path.startsWith('/') || path.split('/').includes('..') || path.includes('\0'))
      throw new Error(`refuse the path "${path}": not absolute, or not normal`)
    this.#path = path
    this.#begins = typeof from === 'string' ? 'at the root' : 'below'
    if (typeof from === 'string') this.#enter(openSync(from, constants.O_RDONLY | constants.O_DIRECTORY), '')
    else this.#open.push(from)
  }

  get #here(): OpenDirectory {
    const here = this.#open.at(-1)
    if (here === undefined) throw new Error(`enter "${this.#path}": no directory is open`)
    return here
  }

  /** @param make mode of directories that are missing and are made; undefined: none is made. @returns whether all of it is there */
  down(parts: readonly string[], make?: number): boolean {
    const left = [...parts]
    // What a link leads to has to be there: it may be a disk that is not mounted yet.
    let ofLink = 0
    for (let part = left.shift(); part !== undefined; part = left.shift(), ofLink--) {
      if (part === '..') this.#up()
      else if (this.#step(part)) continue
      else {
        const target = this.#linkAt(part)
        if (target !== undefined) {
          left.unshift(...this.#follow(target))
          ofLink = Math.max(ofLink, 1) + partsOf(target).length
        } else if (make === undefined) return false
        else if (ofLink > 0)
          throw new Error(`make "${this.#path}": a symbolic link leads to "${this.#below(part)}", which is not there`)
        else this.#makeDirectory(part, make)
      }
    }
    return true
  }

  /** Nobody but root may enter where the way has come to. @returns what that is */
  close(): Stats {
    const { fd } = this.#here
    const stats = fstatSync(fd)
    if ((stats.mode & 0o077) !== 0) fchmodSync(fd, PRIVATE)
    return stats
  }

  /** @returns undefined when `follow` leads to a directory that is missing */
  end(name: string, follow: boolean): Place | undefined {
    const target = follow || this.#here.isShared ? this.#linkAt(name) : undefined
    if (target !== undefined && follow) {
      const parts = this.#follow(target)
      const last = parts.at(-1) === '..' ? '.' : (parts.pop() ?? '.')
      return this.down(parts) ? this.end(last, follow) : undefined
    }
    const here = this.#open.pop()
    return here && new Place(here, name)
  }

  /** Has an error name the path as the host does. */
  explain(error: unknown): unknown {
    return this.#open.reduceRight(explained, error)
  }

  [Symbol.dispose](): void {
    for (const { fd } of this.#open.splice(0)) closeSync(fd)
  }

  /** @returns false when there is no directory of this name */
  #step(name: string): boolean {
    try {
      this.#enter(openSync(pathIn(this.#here.fd, name), DIRECTORY), this.#below(name))
      return true
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      return false
    }
  }

  #enter(fd: number, path: string): void {
    const stats = fstatSync(fd)
    this.#open.push({ fd, path, isShared: isSharedDirectory(stats) })
    refuseDirectory(stats, { directory: path || '/', path: this.#path })
  }

  #up(): void {
    if (this.#open.length > 1) closeSync(this.#open.pop()?.fd ?? -1)
  }

  /** @returns where the link leads; undefined when there is none. @throws {AgentError} for one that a user may have made */
  #linkAt(name: string): string | undefined {
    const { fd, isShared } = this.#here
    const at = pathIn(fd, name)
    const stats = lstatSync(at, { throwIfNoEntry: false })
    const isLink = stats?.isSymbolicLink() === true
    if (stats !== undefined && (isLink || isShared) && !(isOwnerTrusted(stats) && !(isLink && isShared)))
      refuseEntry(stats, { entry: this.#below(name), path: this.#path })
    // `/proc/self/root` would be a second spelling of every path, and get around whatever paths are forbidden.
    if (isLink && statfsSync(pathIn(fd, '.')).type === PROCFS) refuseKernelLink(this.#below(name), this.#path)
    return isLink ? readlinkSync(at) : undefined
  }

  #follow(target: string): string[] {
    if (this.#begins === 'below') throw new LedElsewhere()
    this.#links++
    if (this.#links > MAX_LINKS)
      throw Object.assign(new Error(`enter "${this.#path}": more than ${MAX_LINKS} symbolic links`), { code: 'ELOOP' })
    if (target.startsWith('/')) for (const { fd } of this.#open.splice(1)) closeSync(fd)
    return partsOf(target)
  }

  /** On disk before anything is put into it; its mode is with the first thing in it. Whoever is faster with the same has made it as well. */
  #makeDirectory(name: string, mode: number): void {
    const { fd } = this.#here
    try {
      mkdirSync(pathIn(fd, name), mode)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (!this.#step(name)) throw new Error(`ENOTDIR: not a directory, make "${this.#below(name)}"`)
    fchmodSync(this.#here.fd, mode)
    fsyncSync(fd)
  }

  #below(name: string): string {
    return `${this.#here.path}/${name}`
  }
}

function explained(error: unknown, { fd, path }: { readonly fd: number; readonly path: string }): unknown {
  return nameInError(error, pathIn(fd, ''), `${path}/`)
}

/** Node has no openat(2); what the kernel shows of an open directory is the same. */
export function pathIn(fd: number, name: string): string {
  return `/proc/self/fd/${fd}/${name}`
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}
