import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path/posix'
import type { FileStat, HostFiles, WatchDirectory, WriteOptions } from '../../agent/ports.ts'
import { byText } from '../../protocol/by-text.ts'

interface Entry extends Required<WriteOptions> {
  readonly bytes: Uint8Array
}

interface Watch {
  readonly directory: string
  readonly onEvent: (name: string) => void
}

/** A host's file system in memory: regular files and the directories that they made, which stay when they go. */
export class MemoryFiles implements HostFiles {
  readonly #entries = new Map<string, Entry>()
  readonly #directories = new Map<string, Required<WriteOptions>>()
  readonly #links = new Map<string, string>()
  readonly #watches = new Set<Watch>()

  async read(path: string): Promise<Uint8Array | undefined> {
    return this.#entries.get(path)?.bytes
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const entry = this.#entries.get(path)
    if (entry) return { type: 'file', size: entry.bytes.length, mode: entry.mode, uid: entry.uid, gid: entry.gid }
    const target = this.#links.get(path)
    if (target !== undefined) return { type: 'symlink', size: target.length, mode: 0o777, uid: 0, gid: 0 }
    const directory = this.#directories.get(path)
    return directory && { type: 'directory', size: 0, ...directory }
  }

  async sha256(path: string): Promise<string | undefined> {
    const entry = this.#entries.get(path)
    return entry && createHash('sha256').update(entry.bytes).digest('hex')
  }

  async list(path: string): Promise<string[]> {
    const names = this.#below(path).map((found) => found.slice(path.length + 1).split('/')[0] ?? '')
    return [...new Set(names)].sort()
  }

  async writeAtomic(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
    this.put(path, bytes, options)
  }

  async install(from: string, to: string, options: WriteOptions = {}): Promise<void> {
    const source = this.#entries.get(from)
    if (source === undefined)
      throw Object.assign(new Error(`ENOENT: no such file or directory, copyfile '${from}'`), { code: 'ENOENT' })
    this.put(to, source.bytes, options)
  }

  async keep(from: string, to: string): Promise<void> {
    const { mode, uid, gid } = this.#entries.get(from) ?? {}
    await this.install(from, to, {
      ...(mode !== undefined && { mode }),
      ...(uid !== undefined && { uid }),
      ...(gid !== undefined && { gid }),
    })
  }

  async restore(from: string, to: string, options: Required<WriteOptions>): Promise<void> {
    await this.install(from, to, options)
  }

  async create(path: string, bytes: Uint8Array): Promise<boolean> {
    if (this.#entries.has(path)) return false
    this.put(path, bytes, { mode: 0o600 })
    return true
  }

  async append(path: string, line: string): Promise<void> {
    this.appendText(path, `${line}\n`)
  }

  async remove(path: string): Promise<void> {
    if (this.#directories.has(path)) throw new Error(`EISDIR: illegal operation on a directory, unlink '${path}'`)
    const wasThere = this.#entries.delete(path) || this.#links.delete(path)
    if (wasThere) this.#tell(path)
  }

  async removeTree(path: string): Promise<void> {
    for (const found of [path, ...this.#below(path)])
      for (const names of [this.#entries, this.#links, this.#directories]) if (names.delete(found)) this.#tell(found)
  }

  async removeEmpty(directory: string): Promise<void> {
    if ((await this.list(directory)).length === 0 && this.#directories.delete(directory)) this.#tell(directory)
  }

  async makeDirectory(path: string, options: WriteOptions = {}): Promise<void> {
    if (this.#entries.has(path) || this.#links.has(path)) throw new Error(`EEXIST: file already exists, mkdir '${path}'`)
    this.#makeParents(path)
    this.#directories.set(path, { ...(this.#directories.get(path) ?? NEW_DIRECTORY), ...options })
    this.#tell(path)
  }

  async readLink(path: string): Promise<string | undefined> {
    return this.#links.get(path)
  }

  async link(path: string, target: string): Promise<void> {
    if (this.#directories.has(path)) throw new Error(`EISDIR: illegal operation on a directory, rename '${path}'`)
    this.#makeParents(path)
    this.#entries.delete(path)
    this.#links.set(path, target)
    this.#tell(path)
  }

  readonly watchDirectory: WatchDirectory = async (directory, onEvent) => {
    if (directory !== '/' && !this.#directories.has(directory))
      throw Object.assign(new Error(`ENOENT: no such file or directory, stat '${directory}'`), { code: 'ENOENT' })
    const watch = { directory, onEvent }
    this.#watches.add(watch)
    return () => void this.#watches.delete(watch)
  }

  /** As `writeAtomic`, at once: for who sets the stage. */
  put(path: string, content: Uint8Array | string, options: WriteOptions = {}): void {
    const before = this.#entries.get(path) ?? { mode: 0o644, uid: 0, gid: 0 }
    const { mode = before.mode, uid = before.uid, gid = before.gid } = options
    this.#makeParents(path)
    this.#links.delete(path)
    this.#entries.set(path, { bytes: Buffer.from(content), mode, uid, gid })
    this.#tell(path)
  }

  /** Bytes without an end of line: what a torn write leaves. */
  appendText(path: string, text: string): void {
    const before = this.#entries.get(path)
    this.put(path, Buffer.concat([before?.bytes ?? Buffer.alloc(0), Buffer.from(text)]), before ? {} : { mode: 0o600 })
  }

  /** @returns undefined when there is no such file. */
  text(path: string): string | undefined {
    const bytes = this.#entries.get(path)?.bytes
    return bytes && Buffer.from(bytes).toString()
  }

  /** Every directory, sorted, for the same. */
  directories(): string[] {
    return [...this.#directories.keys()].sort()
  }

  /** Every file with its permissions, and every link, for comparing whole hosts. */
  snapshot(): Record<string, string> {
    const files = [...this.#entries].map(([path, { bytes, mode, uid, gid }]): [string, string] => [
      path,
      `${mode.toString(8)} ${uid}:${gid} ${Buffer.from(bytes).toString()}`,
    ])
    const links = [...this.#links].map(([path, target]): [string, string] => [path, `-> ${target}`])
    return Object.fromEntries([...files, ...links].sort(byText(([key]) => key)))
  }

  #makeParents(path: string): void {
    for (let parent = dirname(path); parent !== '/'; parent = dirname(parent))
      if (!this.#directories.has(parent)) {
        this.#directories.set(parent, NEW_DIRECTORY)
        this.#tell(parent)
      }
  }

  /** A directory that goes takes its watches with it. */
  #tell(path: string): void {
    for (const watch of [...this.#watches]) {
      const isGone = watch.directory === path && !this.#directories.has(path)
      if (isGone) this.#watches.delete(watch)
      if (isGone || watch.directory === dirname(path)) watch.onEvent(basename(path))
    }
  }

  #below(path: string): string[] {
    const all = [this.#entries, this.#links, this.#directories].flatMap((names) => [...names.keys()])
    return all.filter((found) => found.startsWith(`${path}/`))
  }
}

const NEW_DIRECTORY: Required<WriteOptions> = { mode: 0o755, uid: 0, gid: 0 }
