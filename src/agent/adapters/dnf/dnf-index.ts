import { AgentError } from '../../agent-error.ts'
import {
  archiveStart,
  type PackageArchive,
  type PackageStep,
  type PackageWish,
  type ResolveOptions,
} from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import type { Outcome, RunOptions } from '../run-program.ts'
import { type DnfWork, scriptOf, workOf } from './dnf-script.ts'
import { REPOSITORIES } from './repositories.ts'
import type { RpmDatabase } from './rpm-database.ts'
import { complaintOf, isUnknownPackage, missedRepositories, type PlannedPackage, parseTransaction } from './transaction-table.ts'

/** Milliseconds. */
const LONGEST_SOLUTION = 600_000
/** A hold is judged by who asks. What a repository excludes stays out, but for what the host goes back to. */
const WITHOUT_HOLDS = '--disableexcludes=main'
const WITH_ALL = '--disableexcludes=all'
/** What the host has fetched by itself, without asking anybody. */
const KNOWN = ['--cacheonly']
/** The same where archives are downloaded. */
const AS_KNOWN = ['--setopt=*.metadata_expire=-1']

export interface DnfIndexOptions {
  readonly files: HostFiles
  readonly store: string
  readonly database: RpmDatabase
  /** Settings of every call. */
  readonly dnf: readonly string[]
  /** Where there is memory for what it reads. */
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<Outcome>
  readonly look: (program: string, args: readonly string[]) => Promise<Outcome>
}

/** What dnf knows of the repositories: by the host's own metadata, or by metadata in the store where that does not know enough. */
export class DnfIndex {
  readonly #options: DnfIndexOptions
  /** Of the last answer: what was asked, by what, and what comes of it. */
  #last: { readonly work: DnfWork; readonly lists: readonly string[]; readonly steps: readonly PackageStep[] } | undefined

  constructor(options: DnfIndexOptions) {
    this.#options = options
  }

  /** Of the wishes, all at once; see `PackageManager.resolve`. */
  async resolve(wishes: readonly PackageWish[], { upcoming, signal }: ResolveOptions): Promise<readonly PackageStep[]> {
    const isChanged = [...upcoming.keys()].some((path) => path.startsWith(`${REPOSITORIES}/`))
    const stored = await this.#stored(wishes)
    const work = workOf(wishes, stored)
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
    const { files, store } = this.#options
    const directory = `${store}/partial`
    await files.removeTree(directory)
    await files.writeAtomic(`${directory}/.keep`, new Uint8Array())
    const lists = this.#last?.lists === KNOWN ? AS_KNOWN : (this.#last?.lists ?? [])
    const settings = ['--downloadonly', `--downloaddir=${directory}`, '--setopt=gpgcheck=False', '--setopt=*.gpgcheck=False']
    const { code, stdout, stderr } = await this.#download([...lists, ...settings], archive, options)
    const found = (await files.list(directory)).filter((name) => name.endsWith('.rpm')).map((name) => `${directory}/${name}`)
    return found.length > 0 || code === 0 || isUnknownPackage(`${stderr}\n${stdout}`) ? found : complaintOf(stderr)
  }

  /** What comes together is downloaded together; what is installed is asked for as such. */
  async #download(settings: readonly string[], archive: PackageArchive, options: RunOptions): Promise<Outcome> {
    const { dnf, run, database } = this.#options
    const last = this.#last
    if (last?.steps.some(({ name, to }) => name === archive.name && to === archive.version))
      return run('dnf-3', [...dnf, WITHOUT_HOLDS, ...settings, 'shell', await scriptOf(last.work, this.#options)], options)
    const isInstalled = (await database.find(archive.name))?.version === archive.version
    const what = `${archive.name}-${archive.version}.${archive.architecture}`
    return run('dnf-3', [...dnf, WITH_ALL, ...settings, isInstalled ? 'reinstall' : 'install', what], options)
  }

  async #solve(wishes: readonly PackageWish[], { work, lists, signal }: Question): Promise<readonly PackageStep[]> {
    const { dnf, run } = this.#options
    const args = [...dnf, WITHOUT_HOLDS, ...lists, '--assumeno', 'shell', await scriptOf(work, this.#options)]
    const { stdout, stderr } = await run('dnf-3', args, { signal, timeout: LONGEST_SOLUTION })
    const planned = parseTransaction(stdout)
    await this.#refuseMany(planned)
    const steps: PackageStep[] = []
    for (const { name, architecture, version, to } of planned) {
      const from = (await this.#options.database.find(name))?.version
      if (to === 'removed') steps.push({ name, architecture, from: version })
      else if (from !== version) steps.push({ name, architecture, ...(from === undefined ? {} : { from }), to: version })
    }
    await this.#requireAll(wishes, steps, `${stderr}\n${stdout}`)
    this.#last = { work, lists, steps }
    return steps
  }

  /** dnf does what it can, and leaves out the rest. */
  async #requireAll(wishes: readonly PackageWish[], steps: readonly PackageStep[], output: string): Promise<void> {
    for (const { name, version, state } of wishes) {
      const step = steps.find((each) => each.name === name)
      const after = step === undefined ? (await this.#options.database.find(name))?.version : step.to
      if (state === 'absent' ? after === undefined : after !== undefined && (version === undefined || version === after)) continue
      const missed = missedRepositories(output)
      if (missed.length > 0)
        throw new AgentError(
          `refresh the package index: "${missed.join('", "')}" does not answer; without it: ${complaintOf(output)}`,
          {
            kind: 'download',
            reason: 'RepositoryUnavailable',
          },
        )
      const isPart = step?.to !== undefined && version !== undefined
      const why = isPart ? `"${version}" is no whole version of "${name}": a repository has "${step.to}"` : complaintOf(output)
      const reason = isPart || isUnknownPackage(output) ? 'PackageNotFound' : 'PackageConflict'
      throw new AgentError(`solve the dependencies of packages: ${why}`, { kind: 'validate', reason })
    }
  }

  /** Versions beside each other, such as kernels, and a package of two architectures: an undo by name would take both. */
  async #refuseMany(planned: readonly PlannedPackage[]): Promise<void> {
    for (const [index, { name, to }] of planned.entries()) {
      const isTwice = planned.findIndex((each) => each.name === name) < index
      const isBeside = to === 'installed' && (await this.#options.database.find(name)) !== undefined
      if (!isTwice && !isBeside) continue
      const message = `change packages: "${name}" would be there more than once, in versions or architectures beside each other`
      throw new AgentError(`${message}; such packages are not managed`, { kind: 'validate', reason: 'PackageConflict' })
    }
  }

  /** Archives of the store, by name: what was installed before needs no repository that knows of it. */
  async #stored(wishes: readonly PackageWish[]): Promise<ReadonlyMap<string, string>> {
    const { files, store } = this.#options
    const names = await files.list(store)
    const found = new Map<string, string>()
    for (const { name, version } of wishes) {
      const start = version && archiveStart({ name, version })
      const archive = start && names.find((each) => each.startsWith(start) && each.endsWith('.rpm'))
      if (archive) found.set(name, `${store}/${archive}`)
    }
    return found
  }

  /** The repositories as they will be, and as they are, in a place of their own; what the host has fetched is not fetched again. */
  async #writeRepositories(upcoming: ResolveOptions['upcoming']): Promise<readonly string[]> {
    const { files, store, look } = this.#options
    const at = `${store}/index`
    await files.removeTree(at)
    await files.writeAtomic(`${at}/repositories/.keep`, new Uint8Array())
    await files.writeAtomic(`${at}/cache/.keep`, new Uint8Array())
    await look('cp', ['--archive', '--reflink=auto', '/var/cache/dnf/.', `${at}/cache`])
    for (const path of await this.#repositoryFiles(upcoming)) {
      const now = await files.read(path)
      const next = upcoming.has(path) ? upcoming.get(path) : now
      const name = path.slice(REPOSITORIES.length + 1)
      if (next !== undefined) await files.writeAtomic(`${at}/repositories/${name}`, next, { mode: 0o600 })
      // What is installed came from where the host looks now: what it goes back to is fetched from there.
      if (now !== undefined && next !== now)
        await files.writeAtomic(`${at}/repositories/before-${name}`, renamed(now), { mode: 0o600 })
    }
    const settings = ['skip_if_unavailable=True', 'metadata_expire=0']
    return [
      ...settings.map((setting) => `--setopt=*.${setting}`),
      `--setopt=reposdir=${`${at}/repositories`}`,
      `--setopt=cachedir=${`${at}/cache`}`,
    ]
  }

  async #repositoryFiles(upcoming: ResolveOptions['upcoming']): Promise<string[]> {
    const there = (await this.#options.files.list(REPOSITORIES)).map((name) => `${REPOSITORIES}/${name}`)
    const coming = [...upcoming.keys()].filter((path) => path.startsWith(`${REPOSITORIES}/`))
    return [...new Set([...there, ...coming])].filter((path) => path.endsWith('.repo'))
  }
}

interface Question {
  readonly work: DnfWork
  /** Settings of the metadata. */
  readonly lists: readonly string[]
  readonly signal: AbortSignal | undefined
}

/** No two repositories have one name. */
function renamed(repository: Uint8Array): Uint8Array {
  return Buffer.from(
    Buffer.from(repository)
      .toString()
      .replace(/^\[(.+)\]/gm, '[before-$1]'),
  )
}
