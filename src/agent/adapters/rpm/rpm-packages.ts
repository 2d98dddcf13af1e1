import { release } from 'node:os'
import { dirname } from 'node:path'
import { archivePath, type PackageManager, type ResolveOptions } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { uneditedFiles } from '../packages/unedited-files.ts'
import type { Outcome, RunOptions, runProgram } from '../run-program.ts'
import { nevra } from './package-key.ts'
import { filesIn, identify, unpack } from './rpm-archive.ts'
import { RpmDatabase } from './rpm-database.ts'
import type { RpmFront, RpmTools } from './rpm-front.ts'
import { RpmTransaction } from './rpm-transaction.ts'
import { requireSigned } from './signatures.ts'

/** Milliseconds. */
const LONGEST = { download: 1_800_000, look: 300_000 }

/** What it prints is read. */
const ENGLISH = { LC_ALL: 'C.UTF-8' }

export interface RpmOptions {
  readonly files: HostFiles
  readonly store: string
  /** For what changes nothing outside the store. */
  readonly run: typeof runProgram
  /** For what changes the host. */
  readonly runOutside: typeof runProgram
  /** Turns a path as the host sees it into one that can be read from here. */
  readonly place?: (path: string) => string
  /** Given to each call of the front, besides the agent's own. */
  readonly settings?: readonly string[]
}

/** rpm with a program in front of it, which solves, downloads and installs; rpm says what is there, and finishes what was interrupted. */
export function rpmPackages(makeFront: (tools: RpmTools) => RpmFront, options: RpmOptions): PackageManager {
  const { files, store, run, runOutside, place = (path) => path, settings = [] } = options
  const look = (program: string, args: readonly string[], more: RunOptions = {}): Promise<Outcome> =>
    run(program, args, { timeout: LONGEST.look, ...more })
  // Metadata of a distribution takes more memory than the agent's unit may have.
  const outside: typeof runProgram = (program, args, more) => runOutside(program, args, { ...more, env: ENGLISH })
  const database = new RpmDatabase({ place, run: look, front: () => front })
  const front = makeFront({ files, store, database, look, outside, place, settings })
  const { format, holds, index } = front
  const record = `${dirname(store)}/rpm-unfinished.json`
  const transaction = new RpmTransaction({ files, database, front, look, runOutside: outside, record })
  const change = transaction.change.bind(transaction)
  let upcoming: ResolveOptions['upcoming'] = new Map()

  /** Of what stands beside others: those, and which is of the kernel that runs. */
  const besides = async (name: string) => {
    if (!(await database.isBeside(name))) return {}
    const versions = (await database.versions(name)).map(({ version }) => version)
    const ofKernel = await database.versionsOfKernel(release())
    return { others: versions.slice(0, -1), running: versions.find((version) => ofKernel.includes(version)) }
  }

  return {
    format,
    store,

    installed: async (name) => {
      const found = await database.find(name)
      if (found === undefined) return undefined
      const { version, architecture, automatic } = found
      const complete = !(await transaction.open()).some((item) => item.name === name)
      return { version, architecture, held: await holds.isHeld(found), complete, automatic, ...(await besides(name)) }
    },

    awaitingReboot: async (startedAt) => database.installedAfter(startedAt / 1000, await front.rebootNames()),
    isInterrupted: async () => (await transaction.open()).length > 0,
    holder: () => database.holder(),

    resolve: (wishes, more) => {
      upcoming = more.upcoming
      return index.resolve(wishes, more)
    },

    fetch: async (archive, signal) => {
      const path = archivePath({ store, format }, archive)
      if ((await files.stat(path)) !== undefined) return path
      const own = await front.cached(archive)
      const found = own === undefined ? await index.download(archive, { signal, timeout: LONGEST.download }) : [own]
      await requireSigned(found, upcoming, {
        files,
        directory: `${store}/keyring`,
        repositories: front.repositories,
        run: look,
      })
      // Copied, and not moved: what is there under its name is whole, also after a power failure.
      for (const { path: at, ...rest } of await identify(found, look))
        await files.install(at, archivePath({ store, format }, rest), { mode: 0o600 })
      return (await files.stat(path)) && path
    },

    held: async () => {
      const names: string[] = []
      for (const found of await database.managed()) if (await holds.isHeld(found)) names.push(found.name)
      return names
    },
    unedited: async (paths) => uneditedFiles(paths, { files, packaged: await database.filesAt(paths) }),
    files: async (name) => {
      const found = await database.versions(name)
      return (await look('rpm', ['-ql', '--', ...found.map(nevra)])).stdout.split('\n').filter((line) => line.startsWith('/'))
    },
    contents: (archive) => filesIn(archive, look),
    unpack: (archive, directory) => unpack(archive, { directory, files, run: look }),

    apply: async (work) => {
      await transaction.apply(work)
      await holds.forget(work.remove)
      // What is named is nobody's dependency any more.
      const names = (await identify(work.install, look)).map(({ name }) => name)
      const automatic: string[] = []
      for (const name of names) if ((await database.find(name))?.automatic) automatic.push(name)
      if (automatic.length > 0) await front.mark('named', automatic, change)
      database.forget()
    },
    repair: () => transaction.repair(),

    hold: async (name, held) => {
      const found = await database.find(name)
      if (found !== undefined) await holds.set(found, held)
    },

    markAutomatic: async (names) => {
      if (names.length === 0) return
      await front.mark('automatic', names, change)
      database.forget()
    },
  }
}
