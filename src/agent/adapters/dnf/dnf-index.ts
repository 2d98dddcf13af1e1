import { AgentError } from '../../agent-error.ts'
import type { PackageArchive, PackageStep, PackageWish, ResolveOptions } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { packageName } from '../rpm/package-key.ts'
import { downloads, requireAll, stepsOf, storedArchives } from '../rpm/planned.ts'
import { changesRepositories, copyRepositories } from '../rpm/repository-copies.ts'
import type { RpmDatabase } from '../rpm/rpm-database.ts'
import type { PackageIndex } from '../rpm/rpm-front.ts'
import { complaintOf } from '../rpm/rpm-text.ts'
import type { Outcome, RunOptions } from '../run-program.ts'
import type { DnfProgram } from './dnf-program.ts'
import { type DnfWork, scriptOf, workOf } from './dnf-script.ts'
import { isUnknownPackage, missedRepositories, parseTransaction } from './transaction-table.ts'

export const REPOSITORIES = '/etc/yum.repos.d'
/** Milliseconds. */
const LONGEST_SOLUTION = 600_000
/** What the host has fetched by itself, without asking anybody. */
const KNOWN = ['--cacheonly']
/** The same where archives are downloaded. */
const AS_KNOWN = ['--setopt=*.metadata_expire=-1']

export interface DnfIndexOptions {
  readonly files: HostFiles
  readonly store: string
  readonly database: RpmDatabase
  readonly program: DnfProgram
  /** Of every call. */
  readonly settings: readonly string[]
  /** Where there is memory for what it reads. */
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<Outcome>
  readonly look: (program: string, args: readonly string[]) => Promise<Outcome>
}

/** What dnf knows of the repositories: by the host's own metadata, or by metadata in the store where that does not know enough. */
export class DnfIndex implements PackageIndex {
  readonly #options: DnfIndexOptions
  /** Of the last answer: what was asked, by what, and what comes of it. */
  #last: { readonly work: DnfWork; readonly lists: readonly string[]; readonly steps: readonly PackageStep[] } | undefined

  constructor(options: DnfIndexOptions) {
    this.#options = options
  }

  /** Of the wishes, all at once; see `PackageManager.resolve`. */
  async resolve(wishes: readonly PackageWish[], { upcoming, signal }: ResolveOptions): Promise<readonly PackageStep[]> {
    const isChanged = changesRepositories(upcoming, REPOSITORIES)
    const stored = await storedArchives(wishes, this.#options)
    const work = await workOf(wishes, { stored, database: this.#options.database })
    if (!isChanged || stored.size === wishes.length) {
      const steps = await this.#solve(wishes, { work, lists: KNOWN, signal }).catch(() => undefined)
      if (steps !== undefined) return steps
    }
    return this.#solve(wishes, { work, lists: await this.#writeRepositories(upcoming), signal })
  }

  /** @returns archives that were downloaded, this one among them; none when no repository has it */
  async download(archive: PackageArchive, options: RunOptions): Promise<readonly string[]> {
    const found = await this.#attempt(archive, options)
    if (typeof found !== 'string') return found
    if (this.#last?.lists === KNOWN) {
      // What the host knows is too old: repositories of distributions keep only the newest.
      this.#last = { ...this.#last, lists: await this.#writeRepositories(new Map()) }
      const again = await this.#attempt(archive, options)
      if (typeof again !== 'string') return again
    }
    throw new AgentError(`download package "${archive.name}" ${archive.version}: ${found}`, {
      kind: 'download',
      reason: 'RepositoryUnavailable',
    })
  }

  /** @returns what was downloaded, or what went wrong */
  async #attempt(archive: PackageArchive, options: RunOptions): Promise<readonly string[] | string> {
    const { files, program, store } = this.#options
    const directory = `${store}/partial`
    const arrived = await downloads(directory, files)
    const lists = this.#last?.lists === KNOWN ? AS_KNOWN : (this.#last?.lists ?? [])
    const settings = [...program.downloadTo(directory), '--setopt=gpgcheck=False', '--setopt=*.gpgcheck=False']
    const outcome = await this.#download([...lists, ...settings], archive, options)
    const text = program.textOf(outcome)
    const found = await arrived()
    return found.length > 0 || outcome.code === 0 || isUnknownPackage(text) ? found : complaintOf(text)
  }

  /** What comes together is downloaded together; what is installed is asked for as such. */
  async #download(settings: readonly string[], archive: PackageArchive, options: RunOptions): Promise<Outcome> {
    const { program, settings: always, run, database } = this.#options
    const last = this.#last
    if (last?.steps.some(({ name, to }) => name === archive.name && to === archive.version))
      return run(program.name, [...always, program.withoutHolds, ...settings, ...(await this.#downloadWords(last.work))], options)
    const what = `${packageName(archive.name)}-${archive.version}.${archive.architecture}`
    const words = [(await database.has(archive)) ? 'reinstall' : 'install', ...program.downloadOnly, what]
    return run(program.name, [...always, program.withAll, ...settings, ...words], options)
  }

  async #solve(wishes: readonly PackageWish[], { work, lists, signal }: Question): Promise<readonly PackageStep[]> {
    const { database, program, settings, run } = this.#options
    // The kernel that runs may go where an older one is to stay, and as long as that is there.
    const running = wishes.some(({ state }) => state === 'absent') ? [] : [program.withRunningKernel]
    const args = [...settings, program.withoutHolds, ...running, ...lists, '--assumeno', ...(await this.#words(work))]
    const outcome = await run(program.name, args, { signal, timeout: LONGEST_SOLUTION })
    const steps = await stepsOf(parseTransaction(outcome.stdout), database)
    const text = program.textOf(outcome)
    const output = { text, missed: missedRepositories(text), isUnknown: isUnknownPackage(text) }
    await requireAll(wishes, steps, { database, output })
    this.#last = { work, lists, steps }
    return steps
  }

  async #downloadWords(work: DnfWork): Promise<readonly string[]> {
    const [command = '', ...rest] = await this.#words(work)
    return [command, ...this.#options.program.downloadOnly, ...rest]
  }

  #words(work: DnfWork): Promise<readonly string[]> {
    return this.#options.program.words(work, (some) => scriptOf(some, this.#options))
  }

  /** The repositories as they will be, and as they are, in a place of their own; what the host has fetched is not fetched again. */
  async #writeRepositories(upcoming: ResolveOptions['upcoming']): Promise<readonly string[]> {
    const { files, program, store, look } = this.#options
    const at = `${store}/index`
    await files.removeTree(at)
    await files.writeAtomic(`${at}/cache/.keep`, new Uint8Array())
    await look('cp', ['--archive', '--reflink=auto', `${program.cache}/.`, `${at}/cache`])
    await copyRepositories(upcoming, { files, repositories: REPOSITORIES, into: `${at}/repositories` })
    const settings = ['skip_if_unavailable=True', 'metadata_expire=0']
    return [
      ...settings.map((setting) => `--setopt=*.${setting}`),
      `--setopt=reposdir=${`${at}/repositories`}`,
      `--setopt=cachedir=${`${at}/cache`}`,
    ]
  }
}

interface Question {
  readonly work: DnfWork
  /** Settings of the metadata. */
  readonly lists: readonly string[]
  readonly signal: AbortSignal | undefined
}
