import { readFile, stat } from '../../../kube/file-calls.ts'
import { AgentError } from '../../agent-error.ts'
import type { HostFiles } from '../../ports.ts'
import { orMissing } from '../or-missing.ts'
import { excludesIn, isMatch, locksIn, withExclude, withoutExclude } from './excludes.ts'
import type { RpmPackage } from './rpm-database.ts'

const DNF_CONF = '/etc/dnf/dnf.conf'
const LOCKS = '/etc/dnf/plugins/versionlock.list'

/**
 * Which packages dnf leaves alone, by its configuration, or by the plugin versionlock. What a repository excludes may come from another one,
 * and is not held by that.
 */
export class PackageHolds {
  readonly #files: HostFiles
  readonly #place: (path: string) => string
  #known: { readonly stamp: string; readonly patterns: readonly string[] } | undefined

  constructor(files: HostFiles, place: (path: string) => string) {
    this.#files = files
    this.#place = place
  }

  async isHeld(found: Pick<RpmPackage, 'name' | 'version' | 'architecture'>): Promise<boolean> {
    return (await this.#patterns()).some((pattern) => isMatch(pattern, found))
  }

  /** @throws {AgentError} when somebody else holds what is to be held no longer. */
  async set(found: Pick<RpmPackage, 'name' | 'version' | 'architecture'>, held: boolean): Promise<void> {
    const text = await this.#text(DNF_CONF)
    const changed = held ? withExclude(text, found.name) : withoutExclude(text, found.name)
    if (changed !== text) await this.#files.writeAtomic(DNF_CONF, Buffer.from(changed))
    this.#known = undefined
    const pattern = (await this.#patterns()).find((each) => isMatch(each, found))
    if (held || pattern === undefined) return
    throw new AgentError(`release package "${found.name}": "${pattern}" holds it, in ${DNF_CONF} or ${LOCKS}`, {
      kind: 'validate',
      reason: 'PackageFailed',
    })
  }

  /** Of packages that are no longer there: what somebody installs later was not held. */
  async forget(names: readonly string[]): Promise<void> {
    const text = await this.#text(DNF_CONF)
    const changed = names.reduce(withoutExclude, text)
    if (changed !== text) await this.#files.writeAtomic(DNF_CONF, Buffer.from(changed))
  }

  async #patterns(): Promise<readonly string[]> {
    const stamp = await this.#stamp()
    if (this.#known?.stamp === stamp) return this.#known.patterns
    const patterns = [...excludesIn(await this.#text(DNF_CONF)), ...locksIn(await this.#text(LOCKS))]
    this.#known = { stamp, patterns }
    return patterns
  }

  async #stamp(): Promise<string> {
    const parts: string[] = []
    for (const path of [DNF_CONF, LOCKS]) {
      const found = await orMissing(stat(this.#place(path)))
      parts.push(found === undefined ? 'none' : `${found.ino} ${found.mtimeMs} ${found.size}`)
    }
    return parts.join()
  }

  async #text(path: string): Promise<string> {
    return (await orMissing(readFile(this.#place(path), 'utf8'))) ?? ''
  }
}
