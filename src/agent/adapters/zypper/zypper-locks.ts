import { readFile, stat } from '../../../kube/file-calls.ts'
import { AgentError } from '../../agent-error.ts'
import type { HostFiles } from '../../ports.ts'
import { orMissing } from '../or-missing.ts'
import type { HeldPackage, Holds } from '../rpm/rpm-front.ts'
import { lockOf, withLock, withoutLock } from './locks.ts'

const LOCKS = '/etc/zypp/locks'

/** Which packages zypper leaves alone. */
export class ZypperLocks implements Holds {
  readonly #files: HostFiles
  readonly #place: (path: string) => string
  #known: { readonly stamp: string; readonly text: string } | undefined

  constructor(files: HostFiles, place: (path: string) => string) {
    this.#files = files
    this.#place = place
  }

  async isHeld(found: HeldPackage): Promise<boolean> {
    return lockOf(await this.#text(), found) !== undefined
  }

  async set(found: HeldPackage, held: boolean): Promise<void> {
    const text = await this.#text()
    await this.#write(text, held ? withLock(text, found.name) : withoutLock(text, found.name))
    const pattern = lockOf(await this.#text(), found)
    if (held || pattern === undefined) return
    throw new AgentError(`release package "${found.name}": the lock "${pattern}" in ${LOCKS} holds it`, {
      kind: 'validate',
      reason: 'PackageFailed',
    })
  }

  async forget(names: readonly string[]): Promise<void> {
    const text = await this.#text()
    await this.#write(text, names.reduce(withoutLock, text))
  }

  async #write(before: string, after: string): Promise<void> {
    if (after === before) return
    await this.#files.writeAtomic(LOCKS, Buffer.from(after))
    this.#known = undefined
  }

  async #text(): Promise<string> {
    const found = await orMissing(stat(this.#place(LOCKS)))
    const stamp = found === undefined ? 'none' : `${found.ino} ${found.mtimeMs} ${found.size}`
    if (this.#known?.stamp === stamp) return this.#known.text
    const text = (await orMissing(readFile(this.#place(LOCKS), 'utf8'))) ?? ''
    this.#known = { stamp, text }
    return text
  }
}
