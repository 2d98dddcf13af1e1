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
import { complaintOf, isUnknownPackage, parseSimulation } from './simulation.ts'

const SOURCES = '/etc/apt/sources.list'
const SOURCE_PARTS = '/etc/apt/sources.list.d'
/** Milliseconds. */
const LONGEST_UPDATE = 300_000

export interface AptIndexOptions {
  readonly files: HostFiles
  readonly store: string
  /** Settings of every call. */
  readonly apt: readonly string[]
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Outcome>
  readonly named: (path: string) => string
}

/** What apt knows of the repositories: the host's own lists, or lists of the store where those do not know enough. The host's are never changed. */
export class AptIndex {
  readonly #options: AptIndexOptions
  /** Settings of the lists that the last answer came from. */
  #fresh: readonly string[] | undefined

  constructor(options: AptIndexOptions) {
    this.#options = options
  }

  /** Of the wishes, all at once; see `PackageManager.resolve`. */
  async resolve(wishes: readonly PackageWish[], { upcoming, signal }: ResolveOptions): Promise<PackageStep[]> {
    this.#fresh = undefined
    const isChanged = [...upcoming.keys()].some((path) => path === SOURCES || path.startsWith(`${SOURCE_PARTS}/`))
    const stored = await this.#stored(wishes)
    const args = wishes.map((wish) => stored.get(wish.name) ?? toArgument(wish))
    if (!isChanged || stored.size === wishes.length) {
      const known = await this.#simulate(args, [], signal)
      if (known.code === 0) return parseSimulation(known.stdout)
    }
    const missed = await this.#refresh(upcoming, signal)
    const { code, stdout, stderr } = await this.#simulate(args, this.#fresh ?? [], signal)
    if (code === 0) return parseSimulation(stdout)
    const complaint = complaintOf(`${stderr}\n${stdout}`)
    if (missed !== undefined)
      throw new AgentError(`refresh the package index: ${missed}; without it: ${complaint}`, {
        kind: 'download',
        reason: 'RepositoryUnavailable',
      })
    const reason = isUnknownPackage(stderr) ? 'PackageNotFound' : 'PackageConflict'
    throw new AgentError(`solve the dependencies of packages: ${complaint}`, { kind: 'validate', reason })
  }

  /** @returns where it was downloaded to; undefined when no repository has it */
  async download(
    archive: PackageArchive,
    { signal, timeout }: { readonly signal?: AbortSignal | undefined; readonly timeout: number },
  ): Promise<string | undefined> {
    const { files, store, apt, run, named } = this.#options
    const directory = `${store}/partial`
    await files.removeTree(directory)
    await files.writeAtomic(`${directory}/.keep`, new Uint8Array())
    const complaints: string[] = []
    for (const lists of this.#fresh === undefined ? [[]] : [this.#fresh, []]) {
      const wanted = `${archive.name}=${archive.version}`
      const cd = ['-C', named(directory), 'apt-get']
      const { code, stderr } = await run([...cd, ...apt, ...lists, '--quiet', 'download', wanted], { signal, timeout })
      const [name] = (await files.list(directory)).filter((found) => found.endsWith('.deb'))
      if (code === 0 && name !== undefined) return `${directory}/${name}`
      if (!isUnknownPackage(stderr)) complaints.push(complaintOf(stderr))
    }
    if (complaints.length === 0) return undefined
    throw new AgentError(`download package "${archive.name}" ${archive.version}: ${complaints.join('; ')}`, {
      kind: 'download',
      reason: 'RepositoryUnavailable',
    })
  }

  /** Settings with which apt knows of no repository: only what is installed, and what it is given. */
  async empty(): Promise<readonly string[]> {
    const { files, store, named } = this.#options
    await files.writeAtomic(`${store}/none/.keep`, new Uint8Array())
    const nothing = ['-o', 'Dir::Etc::sourcelist=/dev/null', '-o', 'Dir::Etc::sourceparts=/dev/null']
    return [...nothing, '-o', `Dir::State::lists=${named(`${store}/none`)}`, ...NO_CACHES]
  }

  /** Archives of the store, by name: what was installed before needs no repository that knows of it. */
  async #stored(wishes: readonly PackageWish[]): Promise<ReadonlyMap<string, string>> {
    const { files, store, named } = this.#options
    const names = await files.list(store)
    const found = new Map<string, string>()
    for (const { name, version } of wishes) {
      const start = version && archiveStart({ name, version })
      const archive = start && names.find((each) => each.startsWith(start) && each.endsWith('.deb'))
      if (archive) found.set(name, named(`${store}/${archive}`))
    }
    return found
  }

  async #simulate(what: readonly string[], lists: readonly string[], signal: AbortSignal | undefined): Promise<Outcome> {
    const { apt, run } = this.#options
    const insist = ['--yes', '--no-install-recommends', '--allow-downgrades', '--allow-change-held-packages']
    return run(['apt-get', ...apt, ...lists, ...NO_CACHES, '--simulate', ...insist, 'install', ...what], {
      signal,
    })
  }

  /** @returns what could not be fetched; undefined when everything was */
  async #refresh(upcoming: ResolveOptions['upcoming'], signal: AbortSignal | undefined): Promise<string | undefined> {
    const { apt, run } = this.#options
    this.#fresh = await this.#writeSources(upcoming)
    const strict = ['-o', 'APT::Update::Error-Mode=any', '--quiet', 'update']
    const { code, stderr } = await run(['apt-get', ...apt, ...this.#fresh, ...strict], { signal, timeout: LONGEST_UPDATE })
    return code === 0 ? undefined : complaintOf(stderr)
  }

  /** The repositories as they will be, and as they are, in a place of their own. */
  async #writeSources(upcoming: ResolveOptions['upcoming']): Promise<readonly string[]> {
    const { files, store, named, run } = this.#options
    const at = `${store}/index`
    await files.removeTree(at)
    await files.writeAtomic(`${at}/sources.list.d/.keep`, new Uint8Array())
    await files.writeAtomic(`${at}/lists/partial/.keep`, new Uint8Array())
    // What the host has of a repository that has not changed since is not fetched again.
    await run(['cp', '--archive', '--reflink=auto', named('/var/lib/apt/lists/.'), named(`${at}/lists`)])
    await files.writeAtomic(`${at}/sources.list`, upcoming.get(SOURCES) ?? (await files.read(SOURCES)) ?? new Uint8Array())
    const coming = new Set([...upcoming].flatMap(([path, bytes]) => (path.startsWith(SOURCES) ? urlsIn(bytes) : [])))
    for (const path of await this.#parts(upcoming)) {
      const now = await files.read(path)
      const next = upcoming.has(path) ? upcoming.get(path) : now
      const name = path.slice(SOURCE_PARTS.length + 1)
      if (next !== undefined) await files.writeAtomic(`${at}/sources.list.d/${name}`, next, { mode: 0o600 })
      // What is installed came from where the host looks now: what it goes back to is fetched from there. One source has one key.
      if (now !== undefined && next !== now && !urlsIn(now).some((url) => coming.has(url)))
        await files.writeAtomic(`${at}/sources.list.d/before-${name}`, now, { mode: 0o600 })
    }
    const settings = { sourcelist: 'sources.list', sourceparts: 'sources.list.d' }
    return [
      ...Object.entries(settings).flatMap(([name, path]) => ['-o', `Dir::Etc::${name}=${named(`${at}/${path}`)}`]),
      ...['-o', `Dir::State::lists=${named(`${at}/lists`)}`],
    ]
  }

  async #parts(upcoming: ResolveOptions['upcoming']): Promise<string[]> {
    const there = (await this.#options.files.list(SOURCE_PARTS)).map((name) => `${SOURCE_PARTS}/${name}`)
    const coming = [...upcoming.keys()].filter((path) => path.startsWith(`${SOURCE_PARTS}/`))
    return [...new Set([...there, ...coming])].filter((path) => /\.(?:list|sources)$/.test(path))
  }
}

/** No cache of the index: it would be of other lists than the host's. */
const NO_CACHES = ['-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache=']

function toArgument({ name, version, state }: PackageWish): string {
  if (state === 'absent') return `${name}-`
  return version === undefined ? name : `${name}=${version}`
}

/** Of a file of either format. */
function urlsIn(source: Uint8Array | undefined): string[] {
  const text = Buffer.from(source ?? []).toString()
  return [...text.matchAll(/\b(?:https?|file|copy):\/*[^\s]+/g)].map(([url]) => url.replace(/\/+$/, ''))
}
