import { readFile, stat } from '../../../kube/file-calls.ts'
import { AgentError } from '../../agent-error.ts'
import type { HostFiles } from '../../ports.ts'
import { orMissing } from '../or-missing.ts'
import type { HeldPackage, Holds } from '../rpm/rpm-front.ts'
import { excludesIn, isMatch, withExclude, withoutExclude } from './excludes.ts'

const DNF_CONF = '/etc/dnf/dnf.conf'

export interface HoldOptions {
  readonly files: HostFiles
  readonly place: (path: string) => string
  /** Of versionlock: where its list is, and how patterns are read out of it. */
  readonly locks: { readonly path: string; readonly read: (text: string) => readonly string[] }
}

/**
 * Which packages dnf leaves alone, by its configuration, or by versionlock. What a repository excludes may come from another one,
 * and is not held by that.
 */
export class PackageHolds implements Holds {
  readonly #options: HoldOptions
  #known: { readonly stamp: string; readonly patterns: readonly string[] } | undefined

  constructor(options: HoldOptions) {
    this.#options = options
  }

  async isHeld(found: HeldPackage): Promise<boolean> {
    return (await this.#patterns()).some((pattern) => isMatch(pattern, found))
  }

  async set(found: HeldPackage, held: boolean): Promise<void> {
    const text = await this.#text(DNF_CONF)
    const changed = held ? withExclude(text, found.name) : withoutExclude(text, found.name)
    if (changed !== text) await this.#options.files.writeAtomic(DNF_CONF, Buffer.from(changed))
    this.#known = undefined
    const pattern = (await this.#patterns()).find((each) => isMatch(each, found))
    if (held || pattern === undefined) return
    throw new AgentError(
      `release package "${found.name}": "${pattern}" holds it, in ${DNF_CONF} or ${this.#options.locks.path}`,
      {
        kind: 'validate',
        reason: 'PackageFailed',
      },
    )
  }

  async forget(names: readonly string[]): Promise<void> {
    const text = await this.#text(DNF_CONF)
    const changed = names.reduce(withoutExclude, text)
    if (changed !== text) await this.#options.files.writeAtomic(DNF_CONF, Buffer.from(changed))
  }

  async #patterns(): Promise<readonly string[]> {
    const stamp = await this.#stamp()
    if (this.#known?.stamp === stamp) return this.#known.patterns
    const { path, read } = this.#options.locks
    const patterns = [...excludesIn(await this.#text(DNF_CONF)), ...read(await this.#text(path))]
    this.#known = { stamp, patterns }
    return patterns
  }

  async #stamp(): Promise<string> {
    const parts: string[] = []
    for (const path of [DNF_CONF, this.#options.locks.path]) {
      const found = await orMissing(stat(this.#options.place(path)))
      parts.push(found === undefined ? 'none' : `${found.ino} ${found.mtimeMs} ${found.size}`)
    }
    return parts.join()
  }

  async #text(path: string): Promise<string> {
    return (await orMissing(readFile(this.#options.place(path), 'utf8'))) ?? ''
  }
}
