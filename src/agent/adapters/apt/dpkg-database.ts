import { readdir, readFile, stat } from '../../../kube/file-calls.ts'
import { AgentError } from '../../agent-error.ts'
import type { InstalledPackage } from '../../package-manager.ts'
import { orMissing } from '../or-missing.ts'
import { lockHolders } from '../packages/locks.ts'
import type { PackagedFile } from '../packages/unedited-files.ts'
import { type DpkgStatus, parseAutomatic, parseConfigurationFiles, parseDpkgStatus } from './dpkg-status.ts'

const STATUS = '/var/lib/dpkg/status'
const UPDATES = '/var/lib/dpkg/updates'
const EXTENDED = '/var/lib/apt/extended_states'
const LOCKS = ['/var/lib/dpkg/lock-frontend', '/var/lib/dpkg/lock']

const WITHOUT_MANAGER =
  'yum 3 is not supported: take packages, repositories and a kubelet from a package out of the pool of this host, ' +
  'and use archives, files and a kubelet by URL'

interface Known {
  readonly stamp: string
  readonly status: DpkgStatus
  readonly automatic: ReadonlySet<string>
}

/** dpkg's database, read again only when it was replaced. */
export class DpkgDatabase {
  readonly #place: (path: string) => string
  #known: Known | undefined

  constructor(place: (path: string) => string) {
    this.#place = place
  }

  async find(name: string): Promise<InstalledPackage | undefined> {
    const { status, automatic } = await this.#read()
    const found = status.packages.get(name)
    return found && { ...found, automatic: automatic.has(name) }
  }

  async held(): Promise<string[]> {
    const { packages } = (await this.#read()).status
    return [...packages].flatMap(([name, { held }]) => (held ? [name] : []))
  }

  /** As packages brought them. Not remembered: an agent that runs has no need of them. */
  async configurationFiles(): Promise<readonly PackagedFile[]> {
    return parseConfigurationFiles((await orMissing(readFile(this.#place(STATUS), 'utf8'))) ?? '')
  }

  async isInterrupted(): Promise<boolean> {
    const names = (await orMissing(readdir(this.#place(UPDATES)))) ?? []
    return names.some((name) => /^\d+$/.test(name)) || (await this.#read()).status.isIncomplete
  }

  async holder(): Promise<string | undefined> {
    const inodes: number[] = []
    for (const path of LOCKS) inodes.push((await orMissing(stat(this.#place(path))))?.ino ?? -1)
    const [pid] = lockHolders(await readFile('/proc/locks', 'utf8').catch(() => ''), inodes)
    if (pid === undefined) return undefined
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'a process')
    return `${name.trim()} (pid ${pid})`
  }

  async #read(): Promise<Known> {
    const stamp = `${await this.#stampOf(STATUS)} ${await this.#stampOf(EXTENDED)}`
    if (this.#known?.stamp === stamp) return this.#known
    const text = await orMissing(readFile(this.#place(STATUS), 'utf8'))
    if (text === undefined)
      throw new AgentError(
        `manage packages: there is no "${STATUS}", and no rpm database with dnf or zypper; ${WITHOUT_MANAGER}`,
        {
          kind: 'validate',
          reason: 'NoPackageManager',
        },
      )
    const extended = (await orMissing(readFile(this.#place(EXTENDED), 'utf8'))) ?? ''
    this.#known = { stamp, status: parseDpkgStatus(text), automatic: parseAutomatic(extended) }
    return this.#known
  }

  async #stampOf(path: string): Promise<string> {
    const found = await orMissing(stat(this.#place(path)))
    return found === undefined ? 'none' : `${found.ino} ${found.mtimeMs} ${found.size}`
  }
}
