import { AgentError } from '../../agent/agent-error.ts'
import {
  archivePath,
  type InstalledPackage,
  PACKAGE_FORMATS,
  type PackageArchive,
  type PackageFormat,
  type PackageManager,
  type PackageStep,
  type PackageWish,
  type PackageWork,
} from '../../agent/package-manager.ts'
import { statePaths } from '../../agent/paths.ts'
import type { Clock } from '../../agent/ports.ts'
import { byText } from '../../protocol/by-text.ts'
import type { MemoryFiles } from './memory-files.ts'
import { keyOf, type Offer, type PackageDefinition, solve } from './package-solver.ts'

const OF_RPM = {
  url: /^baseurl=(\S+)$/m,
  architecture: 'x86_64',
  leftover: 'rpmnew',
  forgetsHolds: false,
  packsAgain: false,
  keepsConfiguration: false,
  triesAgain: false,
  knowsEveryFile: true,
} as const

/** What differs between them as far as it is simulated. */
const MANNERS = {
  apt: {
    database: '/var/lib/dpkg/status',
    sources: '/etc/apt/sources.list.d',
    /** Of either format. */
    url: /^(?:URIs: |deb (?:\[[^\]]*\] )?)(\S+)/m,
    architecture: 'amd64',
    leftover: 'dpkg-dist',
    /** A version forgets the hold of the one before. */
    forgetsHolds: true,
    /** Without the versions of distributions that keep only the newest. */
    packsAgain: true,
    /** Configuration stays, edited or not. */
    keepsConfiguration: true,
    /** What failed before is tried again with everything else. */
    triesAgain: true,
    /** Of which files it can say whether they are as they came; else of configuration files. */
    knowsEveryFile: false,
  },
  dnf: {
    database: '/var/lib/rpm/rpmdb.sqlite',
    sources: '/etc/yum.repos.d',
    ...OF_RPM,
  },
  zypper: {
    database: '/var/lib/rpm/rpmdb.sqlite',
    sources: '/etc/zypp/repos.d',
    ...OF_RPM,
  },
} as const

interface Entry extends InstalledPackage {
  readonly definition: PackageDefinition
  /** Later ones have a higher number. */
  readonly order: number
}
/** By `keyOf`. */
type Database = Readonly<Record<string, Entry>>

/** Milliseconds that apt waits for the lock. */
const LONGEST_WAIT = 600_000

export interface SimulatedPackagesOptions {
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>
  readonly isOffline: () => boolean
  /** Default: apt. */
  readonly manager?: PackageFormat['manager'] | undefined
}

/** What goes wrong with the package manager at the moment. */
export interface PackageFaults {
  /** Of somebody else who has the lock. */
  lock: string | undefined
  /** The machine stops when packages are unpacked, and not configured yet. */
  interrupted: boolean
}

/**
 * A package manager that behaves as apt and dpkg do, or as dnf or zypper with rpm: dependencies, holds, configuration files that people edited,
 * interruptions. Its database and its archives are files of the host, so that they share the fate of its disk.
 */
export class SimulatedPackages implements PackageManager {
  readonly store = statePaths().packages
  readonly format: PackageFormat
  readonly faults: PackageFaults = { lock: undefined, interrupted: false }
  /** Packages by the URL of their repository; a URL that is missing does not answer. */
  readonly offers = new Map<string, readonly PackageDefinition[]>()
  readonly #files: MemoryFiles
  /** Of the last question. */
  #upcoming: ReadonlyMap<string, Uint8Array | undefined> = new Map()
  readonly #options: SimulatedPackagesOptions
  readonly #manners: (typeof MANNERS)[PackageFormat['manager']]

  constructor(files: MemoryFiles, options: SimulatedPackagesOptions) {
    this.#files = files
    this.#options = options
    const { manager = 'apt' } = options
    this.format = PACKAGE_FORMATS[manager]
    this.#manners = MANNERS[manager]
    this.#write({})
  }

  async installed(name: string): Promise<InstalledPackage | undefined> {
    const versions = this.#versions(name)
    const entry = versions.at(-1)
    if (entry === undefined) return undefined
    const { definition, order: _, ...found } = entry
    if (!definition.installOnly) return found
    const others = versions.slice(0, -1).map(({ version }) => version)
    return { ...found, others, running: versions.find(({ version }) => version === this.runningKernel)?.version }
  }

  /** The version of the kernel that runs. */
  runningKernel: string | undefined

  /** For who sets the stage. */
  countingAfterReboot: readonly string[] = []

  async awaitingReboot(): Promise<readonly string[]> {
    return this.countingAfterReboot
  }

  async isInterrupted(): Promise<boolean> {
    return Object.values(this.#read()).some(({ complete }) => !complete)
  }

  async holder(): Promise<string | undefined> {
    return this.faults.lock
  }

  async resolve(
    wishes: readonly PackageWish[],
    { upcoming }: { readonly upcoming: ReadonlyMap<string, Uint8Array | undefined> },
  ): Promise<readonly PackageStep[]> {
    this.#upcoming = upcoming
    const isKnown = (offers: readonly Offer[]) => wishes.every((wish) => this.#knows(wish, offers))
    const [offered, missed] = this.#offered(upcoming)
    const offers = [...offered, ...this.#stored(wishes)]
    const failed = (message: string, kind: 'download' | 'validate', reason: string) => new AgentError(message, { kind, reason })
    if (!isKnown(offers) && missed.length > 0)
      throw failed(`refresh the package index: "${missed[0]}" does not answer`, 'download', 'RepositoryUnavailable')
    if (!isKnown(offers)) throw failed('solve the dependencies of packages: was not found', 'validate', 'PackageNotFound')
    const steps = solve(wishes, { installed: this.#definitions(), offers })
    if (steps === undefined) throw failed('solve the dependencies of packages: unmet dependencies', 'validate', 'PackageConflict')
    return steps.map((step) => ({ ...step, architecture: step.to === undefined ? '' : this.#manners.architecture }))
  }

  async fetch(archive: PackageArchive): Promise<string | undefined> {
    const path = archivePath(this, archive)
    if (this.#files.text(path) !== undefined) return path
    const [offers] = this.#offered(this.#upcoming)
    const found = offers.find(({ name, version }) => name === archive.name && version === archive.version)
    const packed = found ?? this.#repacked(archive)
    if (packed === undefined) return undefined
    this.#files.put(path, JSON.stringify(packed), { mode: 0o600 })
    return path
  }

  async held(): Promise<readonly string[]> {
    return [...new Set(Object.values(this.#read()).flatMap(({ held, definition }) => (held ? [definition.name] : [])))]
  }

  async unedited(paths: readonly string[]): Promise<readonly string[]> {
    const brought = Object.values(this.#read()).flatMap(({ definition: { files = {}, conffiles = [] } }) =>
      Object.entries(files).filter(([path]) => this.#manners.knowsEveryFile || conffiles.includes(path)),
    )
    return brought.flatMap(([path, text]) => (paths.includes(path) && this.#files.text(path) === text ? [path] : []))
  }

  async files(name: string): Promise<readonly string[]> {
    return this.#versions(name).flatMap(({ definition: { files = {} } }) => Object.keys(files))
  }

  async contents(archive: string): Promise<readonly string[]> {
    return Object.keys(this.#open(archive).files ?? {})
  }

  async unpack(archive: string, directory: string): Promise<void> {
    for (const [path, text] of Object.entries(this.#open(archive).files ?? {}))
      this.#files.put(`${directory}${path}`, text, { mode: 0o755 })
  }

  async apply({ install, remove, removeVersions = [] }: PackageWork): Promise<void> {
    await this.#untilFree()
    for (const name of remove) this.#remove(...this.#versions(name))
    for (const gone of removeVersions)
      this.#remove(...this.#versions(gone.name).filter(({ version }) => version === gone.version))
    const brought = install.map((archive) => this.#open(archive))
    for (const definition of brought) this.#install(definition)
    if (this.faults.interrupted) throw new Error('the package manager was killed')
    this.#configure(this.#manners.triesAgain ? undefined : brought.map(keyOf))
  }

  async repair(): Promise<void> {
    await this.#untilFree()
    if (this.faults.interrupted) throw new Error('the package manager was killed')
    try {
      this.#configure()
    } catch {
      // What a script refuses for good shows in the database.
    }
  }

  async hold(name: string, held: boolean): Promise<void> {
    this.#change(name, { held })
  }

  async markAutomatic(names: readonly string[]): Promise<void> {
    for (const name of names) this.#change(name, { automatic: true })
  }

  /** As it was before anybody managed it: for who sets the stage. */
  put(definition: PackageDefinition, more: Partial<InstalledPackage> = {}): void {
    this.#install(definition)
    this.#changeEntry(keyOf(definition), { complete: true, ...more })
  }

  #install(definition: PackageDefinition): void {
    const { version, files = {}, conffiles = [] } = definition
    const key = keyOf(definition)
    const before = this.#read()[key]
    for (const [path, text] of Object.entries(files)) {
      const now = this.#files.text(path)
      const isEdited = conffiles.includes(path) && now !== undefined && now !== before?.definition.files?.[path]
      if (isEdited && now !== text) this.#files.put(`${path}.${this.#manners.leftover}`, text)
      else if (!isEdited) this.#files.put(path, text, { mode: conffiles.includes(path) ? 0o644 : 0o755 })
    }
    const gone = Object.keys(before?.definition.files ?? {}).filter((path) => !(path in files))
    for (const path of gone) if (!before?.definition.conffiles?.includes(path)) void this.#files.remove(path)
    const entry = {
      version,
      architecture: this.#manners.architecture,
      held: !this.#manners.forgetsHolds && this.#versions(definition.name).at(-1)?.held === true,
      complete: false,
      // What is named is nobody's dependency any more.
      automatic: false,
      definition,
      order: before?.order ?? Object.values(this.#read()).reduce((last, { order }) => Math.max(last, order), 0) + 1,
    }
    this.#write({ ...this.#read(), [key]: entry })
  }

  #remove(...entries: readonly Entry[]): void {
    for (const { definition } of entries) this.#removeOne(definition)
  }

  #removeOne(definition: PackageDefinition): void {
    const { [keyOf(definition)]: _, ...others } = this.#read()
    const { files = {}, conffiles = [] } = definition
    for (const [path, text] of Object.entries(files)) {
      if (conffiles.includes(path) && this.#manners.keepsConfiguration) continue
      const now = this.#files.text(path)
      if (conffiles.includes(path) && now !== undefined && now !== text) this.#files.put(`${path}.rpmsave`, now)
      void this.#files.remove(path)
    }
    this.#write(others)
  }

  /** One that fails keeps no other from being configured. */
  #configure(only?: readonly string[]): void {
    const due = Object.entries(this.#read()).filter(([name, { complete }]) => !complete && only?.includes(name) !== false)
    const broken = due.filter(([, { definition }]) => definition.script === 'fails').map(([name]) => name)
    for (const [key] of due) if (!broken.includes(key)) this.#changeEntry(key, { complete: true })
    if (broken.length > 0)
      throw new AgentError(
        `apt-get: installed ${broken[0]} package post-installation script subprocess returned error exit status 1`,
        {
          kind: 'validate',
          reason: 'PackageFailed',
        },
      )
  }

  #change(name: string, change: Partial<InstalledPackage>): void {
    for (const { definition } of this.#versions(name)) this.#changeEntry(keyOf(definition), change)
  }

  #changeEntry(key: string, change: Partial<InstalledPackage>): void {
    const database = this.#read()
    const entry = database[key]
    if (entry !== undefined) this.#write({ ...database, [key]: { ...entry, ...change } })
  }

  /** In the order in which they were installed. */
  #versions(name: string): Entry[] {
    const all = Object.values(this.#read()).filter(({ definition }) => definition.name === name)
    return all.toSorted((a, b) => a.order - b.order)
  }

  async #untilFree(): Promise<void> {
    const { clock } = this.#options
    const until = clock.elapsed() + LONGEST_WAIT
    while (this.faults.lock !== undefined) {
      if (clock.elapsed() >= until)
        throw new AgentError(`lock the package database: ${this.faults.lock} has it`, {
          kind: 'sync',
          reason: 'PackageManagerBusy',
        })
      await clock.sleep(1000)
    }
  }

  #knows({ name, version, state }: PackageWish, offers: readonly Offer[]): boolean {
    const versions = [
      ...this.#versions(name).map((each) => each.version),
      ...offers.filter((offer) => offer.name === name).map((offer) => offer.version),
    ]
    return state === 'absent' || (version === undefined ? versions.length > 0 : versions.includes(version))
  }

  /** What is installed is packed again from its files; not one that is damaged. */
  #repacked({ name, version }: PackageArchive): PackageDefinition | undefined {
    const { definition, complete } = this.#versions(name).at(-1) ?? {}
    if (!this.#manners.packsAgain || definition?.version !== version || !complete) return undefined
    const texts = Object.keys(definition.files ?? {}).map((path) => [path, this.#files.text(path)] as const)
    if (texts.some(([, found]) => found === undefined)) return undefined
    return { ...definition, files: Object.fromEntries(texts.map(([path, found = '']) => [path, found])) }
  }

  /** Archives of the versions that are wished for by name. */
  #stored(wishes: readonly PackageWish[]): Offer[] {
    return wishes.flatMap(({ name, version }) => {
      const path = version && archivePath(this, { name, version, architecture: this.#manners.architecture })
      return path && this.#files.text(path) !== undefined ? [this.#open(path)] : []
    })
  }

  #offered(upcoming: ReadonlyMap<string, Uint8Array | undefined>): [Offer[], string[]] {
    const there = Object.keys(this.#files.snapshot()).filter((path) => path.startsWith(`${this.#manners.sources}/`))
    const texts = [
      ...there.map((path) => this.#files.text(path) ?? ''),
      ...[...upcoming.values()].map((bytes) => Buffer.from(bytes ?? []).toString()),
    ]
    const urls = texts.flatMap((text) => this.#manners.url.exec(text)?.[1] ?? [])
    const missed = urls.filter((url) => this.#options.isOffline() || !this.offers.has(url))
    const offers = urls.filter((url) => !missed.includes(url)).flatMap((url) => this.offers.get(url) ?? [])
    return [offers, missed]
  }

  #definitions(): ReadonlyMap<string, PackageDefinition> {
    const entries = Object.entries(this.#read()).toSorted(([, a], [, b]) => a.order - b.order)
    return new Map(entries.map(([key, { definition }]) => [key, definition]))
  }

  #open(archive: string): PackageDefinition {
    const text = this.#files.text(archive)
    if (text === undefined) throw new Error(`open "${archive}": No such file or directory`)
    return JSON.parse(text) as PackageDefinition
  }

  #read(): Database {
    return JSON.parse(this.#files.text(this.#manners.database) ?? '{}') as Database
  }

  #write(database: Database): void {
    const sorted = Object.entries(database).sort(byText(([key]) => key))
    this.#files.put(this.#manners.database, JSON.stringify(Object.fromEntries(sorted)))
  }
}
