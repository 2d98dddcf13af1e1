import * as z from 'zod/mini'
import type { HostFiles } from '../../ports.ts'

const item = z.object({
  name: z.string(),
  version: z.string(),
  archive: z.string(),
  /** Seconds. Who installs it later, has repaired it. */
  since: z.number(),
})
const version = z.object({ name: z.string(), version: z.string(), architecture: z.string() })
const unfinished = z.object({
  install: z.array(item),
  remove: z.array(z.string()),
  /** Of packages that stand beside other versions of themselves. */
  removeVersions: z._default(z.array(version), []),
})
export type UnfinishedItem = z.infer<typeof item>
/** What was begun, and has not been seen to end well. */
export type Unfinished = z.infer<typeof unfinished>
const NOTHING: Unfinished = { install: [], remove: [], removeVersions: [] }

/**
 * rpm enters a package into its database when all files of it are there: of one that was interrupted before, or whose script failed, nothing
 * is known afterwards. So what is begun is written down before.
 */
export class UnfinishedWork {
  readonly #files: HostFiles
  readonly #path: string

  constructor(files: HostFiles, path: string) {
    this.#files = files
    this.#path = path
  }

  async read(): Promise<Unfinished> {
    const bytes = await this.#files.read(this.#path)
    return bytes === undefined ? NOTHING : unfinished.parse(JSON.parse(Buffer.from(bytes).toString()))
  }

  /** In place of what is known of the same packages. */
  async begin(work: Unfinished): Promise<void> {
    await this.#write(merged(await this.read(), work, work))
  }

  /** @param left what of this work did not end well */
  async end(work: Unfinished, left: readonly UnfinishedItem[]): Promise<void> {
    await this.#write(merged(await this.read(), work, { ...NOTHING, install: [...left] }))
  }

  async #write(work: Unfinished): Promise<void> {
    if (isNothing(work)) return this.#files.remove(this.#path)
    await this.#files.writeAtomic(this.#path, Buffer.from(JSON.stringify(work)), { mode: 0o600 })
  }
}

/** Pure. */
export function isNothing({ install, remove, removeVersions }: Unfinished): boolean {
  return install.length + remove.length + removeVersions.length === 0
}

/** Pure: the second in place of what the first says of the packages of `work`. */
function merged(known: Unfinished, work: Unfinished, { install, remove, removeVersions }: Unfinished): Unfinished {
  const names = [...work.install.map(({ name }) => name), ...work.remove, ...work.removeVersions.map(({ name }) => name)]
  return {
    install: [...known.install.filter(({ name }) => !names.includes(name)), ...install],
    remove: [...known.remove.filter((name) => !names.includes(name)), ...remove],
    removeVersions: [...known.removeVersions.filter(({ name }) => !names.includes(name)), ...removeVersions],
  }
}
