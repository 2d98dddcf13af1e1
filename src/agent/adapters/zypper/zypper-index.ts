import { AgentError } from '../../agent-error.ts'
import type { PackageArchive, PackageStep, PackageWish, PackageWork, ResolveOptions } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { busy } from '../packages/until-free.ts'
import { packageName } from '../rpm/package-key.ts'
import { downloads, requireAll, stepsOf, storedArchives } from '../rpm/planned.ts'
import { changesRepositories, copyRepositories } from '../rpm/repository-copies.ts'
import type { RpmDatabase } from '../rpm/rpm-database.ts'
import type { PackageIndex } from '../rpm/rpm-front.ts'
import { complaintOf, isLocked } from '../rpm/rpm-text.ts'
import type { Outcome, RunOptions, runProgram } from '../run-program.ts'
import type { ZypperCall } from './zypper-call.ts'
import { downloadedFiles, isUnknownPackage, missedRepositories, parseSummary, textOf } from './zypper-text.ts'

export const REPOSITORIES = '/etc/zypp/repos.d'
const OWN_CACHE = '/var/cache/zypp'

/** Milliseconds. */
const LONGEST_SOLUTION = 600_000

export interface ZypperIndexOptions {
  readonly files: HostFiles
  readonly store: string
  readonly database: RpmDatabase
  readonly zypper: ZypperCall
  /** Where there is memory for what it reads. */
  readonly run: typeof runProgram
  readonly look: (program: string, args: readonly string[]) => Promise<Outcome>
}

/** What zypper knows of the repositories: copies of the host's files and metadata, which are fetched again where those do not know enough. */
export class ZypperIndex implements PackageIndex {
  readonly #options: ZypperIndexOptions
  #upcoming: ResolveOptions['upcoming'] = new Map()
  /** Repositories that did not answer; undefined: none was asked. */
  #missed: readonly string[] | undefined

  constructor(options: ZypperIndexOptions) {
    this.#options = options
  }

  /** Of the wishes, all at once; see `PackageManager.resolve`. */
  async resolve(wishes: readonly PackageWish[], { upcoming, signal }: ResolveOptions): Promise<readonly PackageStep[]> {
    this.#upcoming = upcoming
    await this.#copy()
    const stored = await storedArchives(wishes, this.#options)
    const work = await this.#workOf(wishes, stored)
    if (!changesRepositories(upcoming, REPOSITORIES) || stored.size === wishes.length) {
      const steps = await this.#solve(wishes, { work, signal }).catch(refuseBusy)
      if (steps !== undefined) return steps
    }
    await this.#refresh(signal)
    return this.#solve(wishes, { work, signal })
  }

  async download(archive: PackageArchive, options: RunOptions): Promise<readonly string[]> {
    if ((await this.#options.files.stat(this.#options.zypper.place.repositories)) === undefined) await this.#copy()
    const found = await this.#attempt(archive, options)
    if ((typeof found !== 'string' && found.length > 0) || this.#missed !== undefined) return this.#answered(archive, found)
    // What the host knows is too old: repositories of distributions keep only the newest.
    await this.#refresh(options.signal)
    return this.#answered(archive, await this.#attempt(archive, options))
  }

  #answered({ name, version }: PackageArchive, found: readonly string[] | string): readonly string[] {
    if (typeof found !== 'string' && (found.length > 0 || (this.#missed ?? []).length === 0)) return found
    const why = typeof found === 'string' ? found : `"${(this.#missed ?? []).join('", "')}" does not answer`
    const message = `download package "${name}" ${version}: ${why}`
    throw new AgentError(message, { kind: 'download', reason: 'RepositoryUnavailable' })
  }

  /** @returns what was downloaded, or what went wrong */
  async #attempt({ name, version, architecture }: PackageArchive, options: RunOptions): Promise<readonly string[] | string> {
    const { files, run, zypper } = this.#options
    await downloads(zypper.place.packages, files)
    const outcome = await run(...(await zypper.download(`${name}.${architecture}=${version}`)), options)
    const found = downloadedFiles(outcome.stdout)
    if (found.length > 0 || outcome.code === 0 || isUnknownPackage(outcome.stdout)) return found
    return complaintOf(textOf(outcome))
  }

  async #solve(wishes: readonly PackageWish[], { work, signal }: Question): Promise<readonly PackageStep[]> {
    const { database, run, zypper } = this.#options
    const outcome = await run(...(await zypper.solve(work)), { signal, timeout: LONGEST_SOLUTION })
    const text = textOf(outcome)
    if (isLocked(text)) throw busy((await database.holder()) ?? 'another process')
    const steps = await stepsOf(parseSummary(outcome.stdout), database)
    refuseBeside(steps)
    const output = { text, missed: this.#missed ?? [], isUnknown: isUnknownPackage(outcome.stdout) }
    await requireAll(wishes, steps, { database, output })
    return steps
  }

  async #refresh(signal: AbortSignal | undefined): Promise<void> {
    const { run, zypper } = this.#options
    const { stdout } = await run(...(await zypper.refresh()), { signal, timeout: LONGEST_SOLUTION })
    this.#missed = missedRepositories(stdout)
  }

  /** What the host has fetched is not fetched again. */
  async #copy(): Promise<void> {
    const { files, store, look, zypper } = this.#options
    const { repositories, cache } = zypper.place
    this.#missed = undefined
    await files.removeTree(`${store}/index`)
    await files.writeAtomic(`${cache}/.keep`, new Uint8Array())
    for (const part of ['raw', 'solv'])
      if ((await files.stat(`${OWN_CACHE}/${part}`)) !== undefined)
        await look('cp', ['--archive', '--reflink=auto', `${OWN_CACHE}/${part}`, `${cache}/`])
    await copyRepositories(this.#upcoming, { files, repositories: REPOSITORIES, into: repositories })
  }

  /** Without a version, zypper would upgrade what is installed. */
  async #workOf(wishes: readonly PackageWish[], stored: ReadonlyMap<string, string>): Promise<PackageWork> {
    const install: string[] = []
    for (const { name, version, state } of wishes) {
      if (state === 'absent') continue
      const wanted = version ?? (await this.#options.database.find(name))?.version
      install.push(stored.get(name) ?? (wanted === undefined ? name : `${name}=${wanted}`))
    }
    return { install, remove: wishes.filter(({ state }) => state === 'absent').map(({ name }) => name) }
  }
}

/** libzypp locks no package of one architecture alone, and its service purges kernels by rules of its own. */
function refuseBeside(steps: readonly PackageStep[]): void {
  const found = steps.find(({ name, leaving }) => leaving !== undefined || packageName(name) !== name)
  if (found === undefined) return
  const message = `change packages: "${found.name}" would be there beside other versions or architectures of itself`
  throw new AgentError(`${message}; with zypper such packages are not managed`, { kind: 'validate', reason: 'PackageConflict' })
}

interface Question {
  readonly work: PackageWork
  readonly signal: AbortSignal | undefined
}

/** Whatever else the host's own metadata cannot answer, newer metadata may. */
function refuseBusy(error: unknown): undefined {
  if (error instanceof AgentError && error.reason === 'PackageManagerBusy') throw error
  return undefined
}
