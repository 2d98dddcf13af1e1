import { dirname } from 'node:path'
import { AgentError } from '../../agent-error.ts'
import {
  archivePath,
  PACKAGE_FORMATS,
  type PackageArchive,
  type PackageManager,
  type ResolveOptions,
} from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import type { Outcome, RunOptions, runProgram } from '../run-program.ts'
import { DnfIndex } from './dnf-index.ts'
import { PackageHolds } from './package-holds.ts'
import { filesIn, identify, unpack } from './rpm-archive.ts'
import { RpmDatabase } from './rpm-database.ts'
import { RpmTransaction } from './rpm-transaction.ts'
import { requireSigned } from './signatures.ts'
import { complaintOf } from './transaction-table.ts'

const format = PACKAGE_FORMATS.dnf
/** Of the host: below it, a directory for each repository. */
const OWN_CACHE = '/var/cache/dnf'

/** Milliseconds. */
const LONGEST = { download: 1_800_000, look: 300_000 }

/** Nobody is there to answer a question. What the agent insists on, or brings, it has judged before. */
const SETTINGS = [
  '--assumeyes',
  '--color=never',
  '--disableplugin=local,versionlock',
  '--setopt=install_weak_deps=False',
  '--setopt=clean_requirements_on_remove=False',
  '--setopt=localpkg_gpgcheck=False',
]

/** What it prints is read. */
const ENGLISH = { LC_ALL: 'C.UTF-8' }

export interface DnfOptions {
  readonly files: HostFiles
  readonly store: string
  /** For what changes nothing outside the store. */
  readonly run: typeof runProgram
  /** For what changes the host. */
  readonly runOutside: typeof runProgram
  /** Turns a path as the host sees it into one that can be read from here. */
  readonly place?: (path: string) => string
  /** Given to each call of dnf, besides the agent's own. */
  readonly settings?: readonly string[]
}

/** dnf 4 and rpm. dnf solves, downloads and installs; rpm says what is there, and finishes what was interrupted. */
export function dnfPackages(options: DnfOptions): PackageManager {
  const { files, store, run, runOutside, place = (path) => path, settings = [] } = options
  const dnf = [...SETTINGS, ...settings]
  const look = (program: string, args: readonly string[], more: RunOptions = {}): Promise<Outcome> =>
    run(program, args, { timeout: LONGEST.look, ...more })
  const database = new RpmDatabase({ place, run: look, dnf })
  const holds = new PackageHolds(files, place)
  // Metadata of a distribution takes more memory than the agent's unit may have.
  const outside: typeof runProgram = (program, args, more) => runOutside(program, args, { ...more, env: ENGLISH })
  const index = new DnfIndex({ files, store, database, dnf, run: outside, look })
  const record = `${dirname(store)}/rpm-unfinished.json`
  const transaction = new RpmTransaction({ files, store, database, dnf, look, runOutside: outside, record })
  let upcoming: ResolveOptions['upcoming'] = new Map()

  /** Of what the host has downloaded itself, or somebody put there. */
  async function cached(archive: PackageArchive): Promise<string | undefined> {
    const name = `${archive.name}-${archive.version.replace(/^\d+:/, '')}.${archive.architecture}.rpm`
    for (const directory of await files.list(OWN_CACHE)) {
      const path = `${OWN_CACHE}/${directory}/packages/${name}`
      if ((await files.stat(path))?.type === 'file') return path
    }
    return undefined
  }

  async function mark(how: 'install' | 'remove', names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const output = await transaction.change('dnf-3', [...dnf, '--cacheonly', '--disablerepo=*', 'mark', how, ...names])
    if (!/^Error: /m.test(output)) return
    throw new AgentError(`dnf mark: ${complaintOf(output)}`, { kind: 'validate', reason: 'PackageFailed' })
  }

  return {
    format,
    store,

    installed: async (name) => {
      const found = await database.find(name)
      if (found === undefined) return undefined
      const { version, architecture, automatic } = found
      const complete = !(await transaction.open()).some((item) => item.name === name)
      return { version, architecture, held: await holds.isHeld(found), complete, automatic }
    },

    isInterrupted: async () => (await transaction.open()).length > 0,
    holder: () => database.holder(),

    resolve: (wishes, more) => {
      upcoming = more.upcoming
      return index.resolve(wishes, more)
    },

    fetch: async (archive, signal) => {
      const path = archivePath({ store, format }, archive)
      if ((await files.stat(path)) !== undefined) return path
      const own = await cached(archive)
      const found = own === undefined ? await index.download(archive, { signal, timeout: LONGEST.download }) : [own]
      await requireSigned(found, upcoming, { files, directory: `${store}/keyring`, run: look })
      // Copied, and not moved: what is there under its name is whole, also after a power failure.
      for (const { path: at, ...rest } of await identify(found, look))
        await files.install(at, archivePath({ store, format }, rest), { mode: 0o600 })
      return (await files.stat(path)) && path
    },

    files: async (name) => (await look('rpm', ['-ql', '--', name])).stdout.split('\n').filter((line) => line.startsWith('/')),
    contents: (archive) => filesIn(archive, look),
    unpack: (archive, directory) => unpack(archive, { directory, files, run: look }),

    apply: async (work) => {
      await transaction.apply(work)
      await holds.forget(work.remove)
      // What is named is nobody's dependency any more.
      const names = (await identify(work.install, look)).map(({ name }) => name)
      const automatic: string[] = []
      for (const name of names) if ((await database.find(name))?.automatic) automatic.push(name)
      await mark('install', automatic)
    },
    repair: () => transaction.repair(),

    hold: async (name, held) => {
      const found = await database.find(name)
      if (found !== undefined) await holds.set(found, held)
    },

    // As dnf 4 calls it; nothing is removed.
    markAutomatic: (names) => mark('remove', names),
  }
}
