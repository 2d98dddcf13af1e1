/** What the package database says of a package that is on the host. */
export interface InstalledPackage {
  readonly version: string
  readonly architecture: string
  /** The manager leaves its version alone, unless somebody insists. */
  readonly held: boolean
  /** Unpacked and configured. False: the manager was interrupted, or a script of the package failed. */
  readonly complete: boolean
  /** It came because another package needs it. */
  readonly automatic: boolean
  /** Of one that stands beside other versions of itself, as kernels do with rpm: the others, in the order in which they came. */
  readonly others?: readonly string[]
  /** Of these versions, the one whose kernel runs. */
  readonly running?: string | undefined
}

export interface PackageWish {
  readonly name: string
  /** Missing: any version, the newest one if there is none yet. */
  readonly version?: string | undefined
  readonly state: 'present' | 'absent'
}

/** One package that a change installs, removes, or gives another version. */
export interface PackageStep {
  readonly name: string
  readonly architecture: string
  /** Missing: it is not installed. */
  readonly from?: string | undefined
  /** Missing: it is removed. */
  readonly to?: string | undefined
  /** Only of one that stands beside other versions of itself: the versions that go. None: `to` comes, and nothing goes for it. */
  readonly leaving?: readonly string[] | undefined
}

export interface PackageArchive {
  readonly name: string
  readonly version: string
  readonly architecture: string
}

export interface PackageWork {
  /** Paths of archives. */
  readonly install: readonly string[]
  /** Names. */
  readonly remove: readonly string[]
  /** Versions to remove of packages that stand beside other versions of themselves; those stay. */
  readonly removeVersions?: readonly PackageArchive[] | undefined
}

/** What a package manager makes of packages. */
export interface PackageFormat {
  readonly manager: 'apt' | 'dnf' | 'zypper'
  /** What the names of its archives end with: programs tell an archive by it from the name of a package. */
  readonly suffix: '.deb' | '.rpm'
  /** The database is of these programs. */
  readonly programs: string
  /** Added to the name of a configuration file that somebody edited, for the version that was not used. */
  readonly leftovers: readonly string[]
  /** What to do about an installed version that cannot be had again. */
  readonly bringBack: string
  /** What to do about a package that is neither there nor gone. */
  readonly finish: string
}

export const PACKAGE_FORMATS: Readonly<Record<PackageFormat['manager'], PackageFormat>> = {
  apt: {
    manager: 'apt',
    suffix: '.deb',
    programs: 'apt and dpkg',
    leftovers: ['dpkg-dist', 'dpkg-new', 'dpkg-old'],
    bringBack: 'run apt-get install --reinstall, or put its archive into /var/cache/apt/archives',
    finish: 'dpkg --configure --pending, then apt-get --fix-broken install',
  },
  dnf: {
    manager: 'dnf',
    suffix: '.rpm',
    programs: 'dnf and rpm',
    leftovers: ['rpmnew', 'rpmsave', 'rpmorig'],
    bringBack: 'put its archive into a directory /var/cache/dnf/*/packages, with dnf 5 /var/cache/libdnf5/*/packages',
    finish: 'dnf check, then dnf reinstall what it names',
  },
  zypper: {
    manager: 'zypper',
    suffix: '.rpm',
    programs: 'zypper and rpm',
    leftovers: ['rpmnew', 'rpmsave', 'rpmorig'],
    bringBack: 'put its archive into a directory /var/cache/zypp/packages/*',
    finish: 'zypper verify, then zypper install --force what it names',
  },
}

/** The package manager of the host, with dependencies solved by itself. What is done never needs a network: archives are fetched before. */
export interface PackageManager {
  readonly format: PackageFormat
  /** Directory on the host for archives and indexes; not there at first. */
  readonly store: string
  /** From the package database: no process is started. @throws {AgentError} NoPackageManager */
  installed(name: string): Promise<InstalledPackage | undefined>
  /** Whether the manager was interrupted, and has to be repaired before it does anything else. */
  isInterrupted(): Promise<boolean>
  /**
   * Packages that came after the machine has started, and count only after its next start. A manager that says so by a file in /run is not asked.
   * @param startedAt milliseconds
   */
  awaitingReboot(startedAt: number): Promise<readonly string[]>
  /** Who holds the lock of the database, such as `apt-get (pid 4711)`; undefined: nobody. */
  holder(): Promise<string | undefined>
  /**
   * What it takes to fulfil all wishes at once. Metadata is fetched into the store when the host's own does not know the answer.
   * @throws {AgentError} PackageNotFound, PackageConflict; RepositoryUnavailable when the answer may be there later
   */
  resolve(wishes: readonly PackageWish[], options: ResolveOptions): Promise<readonly PackageStep[]>
  /** Brings an archive into the store, verified by the repository's signature. @returns its path; undefined when nobody has it */
  fetch(archive: PackageArchive, signal?: AbortSignal): Promise<string | undefined>
  /** Names of installed packages that are held, but for those of which two versions are left though only one can be. */
  held(): Promise<readonly string[]>
  /** Of these files, those that a package brought and nobody edited. dpkg says it only of configuration files. */
  unedited(paths: readonly string[]): Promise<readonly string[]>
  /** Paths of the files that the installed version of a package has brought. */
  files(name: string): Promise<readonly string[]>
  /** Paths of the files in an archive. */
  contents(archive: string): Promise<readonly string[]>
  /** Unpacks an archive into a directory; nothing of it is run. */
  unpack(archive: string, directory: string): Promise<void>
  /**
   * Does exactly this, and nothing else. As all that changes packages, it waits some minutes for who else has the lock.
   * @throws {AgentError} PackageFailed, PackageManagerBusy
   */
  apply(work: PackageWork): Promise<void>
  /** Finishes what an interruption left, as far as that can be. */
  repair(): Promise<void>
  hold(name: string, held: boolean): Promise<void>
  markAutomatic(names: readonly string[]): Promise<void>
}

export interface ResolveOptions {
  /** Files of the repositories as they will be, where they change together with the packages; undefined: such a file goes. */
  readonly upcoming: ReadonlyMap<string, Uint8Array | undefined>
  readonly signal?: AbortSignal
}

/** Where an archive is in the store. */
export function archivePath({ store, format }: Pick<PackageManager, 'store' | 'format'>, archive: PackageArchive): string {
  return `${store}/${archiveStart(archive)}${archive.architecture}${format.suffix}`
}

/** What its name begins with. A colon, as in epochs, is written as apt does. */
export function archiveStart({ name, version }: Pick<PackageArchive, 'name' | 'version'>): string {
  return `${name}_${version.replaceAll(':', '%3a')}_`
}
