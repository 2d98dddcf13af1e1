import { existsSync, type Stats } from 'node:fs'
import { readFile, stat } from '../../../kube/file-calls.ts'
import { orMissing } from '../or-missing.ts'
import { lockHolders } from '../packages/locks.ts'
import type { PackagedFile } from '../packages/unedited-files.ts'
import type { Outcome, RunOptions } from '../run-program.ts'
import { packageKey } from './package-key.ts'

/** The second is where newer distributions keep it; the first then leads there. */
const DIRECTORIES = ['/var/lib/rpm', '/usr/lib/sysimage/rpm']
/** Of the formats sqlite, ndb and Berkeley DB. */
const DATABASES = ['rpmdb.sqlite', 'Packages.db', 'Packages']
const QUERY = '%{NAME}\\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\t%{ARCH}\\t%{INSTALLTIME}\\t%{SOURCERPM}\\n'
const OWNERS = 'version %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n'
const FILES = '[%{FILENAMES}\\t%{FILEDIGESTS}\\n]'
/** What is installed beside its own older versions says so by one of these, as dnf and zypper have it by default. */
const BESIDE_OTHERS = [
  'kernel',
  'installonlypkg(kernel)',
  'installonlypkg(kernel-module)',
  'installonlypkg(vm)',
  'multiversion(kernel)',
]

export interface RpmPackage {
  /** By which it is managed: see `packageKey`. */
  readonly name: string
  readonly version: string
  readonly architecture: string
  /** Seconds. */
  readonly installedAt: number
  /** The source package of which it was built. */
  readonly source: string
}

interface Known {
  readonly stamp: string
  readonly packages: readonly RpmPackage[]
  readonly automatic: ReadonlySet<string>
  /** Packages that stand beside other versions of themselves; undefined: not asked yet. */
  beside?: Promise<ReadonlySet<string>>
  /** Versions of packages that have files of the kernel that runs; undefined: not asked yet. */
  kernel?: Promise<readonly string[]>
}

/** What the program in front of rpm knows, and rpm does not. */
export interface DatabaseFront {
  /** Where the program writes its process id while it works, and names of processes that do. */
  readonly lock: { readonly path: string; readonly names: RegExp }
  /** Files that change whenever another package counts as one that came for others. */
  readonly reasonFiles: readonly string[]
  /** Names of packages that came because others need them. */
  automatic(): Promise<ReadonlySet<string>>
}

export interface RpmDatabaseOptions {
  readonly place: (path: string) => string
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<Outcome>
  /** Known when the first package is asked for. */
  readonly front: () => DatabaseFront
}

export function hasRpmDatabase(place: (path: string) => string): boolean {
  return DIRECTORIES.some((directory) => DATABASES.some((name) => existsSync(place(`${directory}/${name}`))))
}

/** rpm's database, in whatever format: rpm reads it, once for each change of it. */
export class RpmDatabase {
  readonly #options: RpmDatabaseOptions
  #known: Known | undefined

  constructor(options: RpmDatabaseOptions) {
    this.#options = options
  }

  /** The version that was installed last, where there are several. */
  async find(name: string): Promise<(RpmPackage & { readonly automatic: boolean }) | undefined> {
    const found = (await this.versions(name)).at(-1)
    return found && { ...found, automatic: (await this.#read()).automatic.has(name) }
  }

  /** In the order in which they were installed. */
  async versions(name: string): Promise<readonly RpmPackage[]> {
    const { packages } = await this.#read()
    // rpm lists what came later later: that counts within one second.
    return packages.filter((each) => each.name === name).toSorted((a, b) => a.installedAt - b.installedAt)
  }

  async has({ name, version }: Pick<RpmPackage, 'name' | 'version'>): Promise<boolean> {
    return (await this.versions(name)).some((each) => each.version === version)
  }

  /** Whether its versions stand beside each other, as those of kernels. */
  async isBeside(name: string): Promise<boolean> {
    const known = await this.#read()
    known.beside ??= this.#besideOthers()
    return (await known.beside).has(name)
  }

  /** What was built of the same source in the same version, and stands beside other versions of itself: the parts of a kernel. */
  async partsOf({ version, source }: RpmPackage): Promise<readonly RpmPackage[]> {
    const parts: RpmPackage[] = []
    for (const each of (await this.#read()).packages)
      if (each.version === version && each.source === source && (await this.isBeside(each.name))) parts.push(each)
    return parts
  }

  /** Of these packages, those of which some version was installed after an instant, in seconds. */
  async installedAfter(instant: number, names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return []
    const { packages } = await this.#read()
    const found = packages.filter(({ name, installedAt }) => installedAt > instant && names.includes(name))
    return [...new Set(found.map(({ name }) => name))].sort()
  }

  /** Of each package that can be managed the version that was installed last: not of one that an interruption left in two. */
  async managed(): Promise<readonly RpmPackage[]> {
    const names = new Set((await this.#read()).packages.map(({ name }) => name))
    const found: RpmPackage[] = []
    for (const name of names) {
      const versions = await this.versions(name)
      if (versions.length === 1 || (await this.isBeside(name))) found.push(...versions.slice(-1))
    }
    return found
  }

  /** Of packages that have files of the kernel. */
  async versionsOfKernel(release: string): Promise<readonly string[]> {
    const known = await this.#read()
    known.kernel ??= this.#versionsAt(kernelFiles(release))
    return known.kernel
  }

  /** As packages brought them; a path that no package has is not among them. */
  async filesAt(paths: readonly string[]): Promise<readonly PackagedFile[]> {
    if (paths.length === 0) return []
    const { stdout } = await this.#options.run('rpm', ['-qf', '--queryformat', FILES, '--', ...paths])
    return parseFiles(stdout).filter(({ path }) => paths.includes(path))
  }

  /** What is remembered of packages that came for others changes without the database. */
  forget(): void {
    this.#known = undefined
  }

  async holder(): Promise<string | undefined> {
    const inodes: number[] = []
    for (const directory of DIRECTORIES) inodes.push((await this.#stat(`${directory}/.rpm.lock`))?.ino ?? -1)
    const [locked] = lockHolders(await readFile('/proc/locks', 'utf8').catch(() => ''), inodes)
    if (locked !== undefined) return `${(await nameOf(locked)) ?? 'a process'} (pid ${locked})`
    const { path, names } = this.#options.front().lock
    const written = Number((await orMissing(readFile(this.#options.place(path), 'utf8'))) ?? 0)
    const name = written > 0 ? await nameOf(written) : undefined
    // Else it is of one that died, and the number another's by now.
    return name !== undefined && names.test(name) ? `${name} (pid ${written})` : undefined
  }

  async #read(): Promise<Known> {
    const stamp = await this.#stamp()
    if (this.#known?.stamp === stamp) return this.#known
    const packages = parsePackages(await this.#ask('rpm', ['-qa', '--queryformat', QUERY]))
    const automatic = await this.#options.front().automatic()
    this.#known = { stamp, packages, automatic }
    return this.#known
  }

  /** It fails where one of them is provided by nothing. */
  async #besideOthers(): Promise<ReadonlySet<string>> {
    const question = ['-q', '--whatprovides', '--queryformat', '%{NAME}\\t%{ARCH}\\n', ...BESIDE_OTHERS]
    const { stdout } = await this.#options.run('rpm', question)
    const rows = stdout.split('\n').map((line) => line.split('\t'))
    return new Set(rows.flatMap(([name = '', architecture]) => (architecture ? [packageKey({ name, architecture })] : [])))
  }

  /** Versions of the packages that have these paths. */
  async #versionsAt(paths: readonly string[]): Promise<readonly string[]> {
    const { stdout } = await this.#options.run('rpm', ['-qf', '--queryformat', OWNERS, '--', ...paths])
    return stdout.split('\n').flatMap((line) => /^version (\S+)$/.exec(line)?.[1] ?? [])
  }

  async #ask(program: string, args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#options.run(program, args)
    if (code !== 0) throw new Error(`read the package database: ${program}: ${stderr.trim().slice(-300)}`)
    return stdout
  }

  /** Reading changes none of it. */
  async #stamp(): Promise<string> {
    const parts: string[] = []
    for (const directory of DIRECTORIES)
      for (const name of [...DATABASES, 'rpmdb.sqlite-wal']) parts.push(stampOf(await this.#stat(`${directory}/${name}`)))
    for (const path of this.#options.front().reasonFiles) parts.push(stampOf(await this.#stat(path)))
    return parts.join()
  }

  #stat(path: string) {
    return orMissing(stat(this.#options.place(path)))
  }
}

async function nameOf(pid: number): Promise<string | undefined> {
  return readFile(`/proc/${pid}/comm`, 'utf8').then(
    (name) => name.trim(),
    () => undefined,
  )
}

/** Pure: distributions differ in which of them a package has. */
function kernelFiles(release: string): readonly string[] {
  const modules = ['/lib/modules', '/usr/lib/modules'].map((directory) => `${directory}/${release}`)
  return [`/boot/vmlinuz-${release}`, ...modules, ...modules.map((directory) => `${directory}/vmlinuz`)]
}

/** Pure. */
function parsePackages(output: string): RpmPackage[] {
  return output.split('\n').flatMap((line): RpmPackage[] => {
    const [name = '', version = '', architecture = '', installedAt, source = ''] = line.split('\t')
    if (version === '') return []
    return [{ name: packageKey({ name, architecture }), version, architecture, installedAt: Number(installedAt), source }]
  })
}

/** Pure. */
function parseFiles(output: string): PackagedFile[] {
  return output.split('\n').map((line) => {
    const [path = '', digest = ''] = line.split('\t')
    return { path, digest }
  })
}

/** Pure. */
function stampOf(found: Stats | undefined): string {
  return found === undefined ? 'none' : `${found.ino} ${found.mtimeMs} ${found.size}`
}
