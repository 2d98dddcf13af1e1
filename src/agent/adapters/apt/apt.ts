import { AgentError } from '../../agent-error.ts'
import { archivePath, PACKAGE_FORMATS, type PackageArchive, type PackageManager } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { uneditedFiles } from '../packages/unedited-files.ts'
import { busy, untilFree } from '../packages/until-free.ts'
import type { Outcome, RunOptions, runProgram } from '../run-program.ts'
import { AptIndex } from './apt-index.ts'
import { DpkgDatabase } from './dpkg-database.ts'
import { repack } from './repack.ts'
import { complaintOf, lockHolderIn } from './simulation.ts'

const format = PACKAGE_FORMATS.apt
const OWN_ARCHIVES = '/var/cache/apt/archives'

/** Milliseconds. */
const MINUTE = 60_000
/** A change that is under way, or taken back, waits for the package manager of somebody else: it has nothing better to do. */
const LONGEST = { download: 30 * MINUTE, apply: 20 * MINUTE, repair: 10 * MINUTE, look: MINUTE, lock: 10 * MINUTE }

/** Nobody is there to answer a question, and nothing is restarted behind the agent's back. */
export const UNATTENDED = {
  DEBIAN_FRONTEND: 'noninteractive',
  DEBIAN_PRIORITY: 'critical',
  APT_LISTCHANGES_FRONTEND: 'none',
  NEEDRESTART_SUSPEND: '1',
  UCF_FORCE_CONFFOLD: '1',
} as const

/** Files that people edited stay as they are; a repository's own version is put beside them. */
const KEEP_CONFFILES = ['-o', 'Dpkg::Options::=--force-confold', '-o', 'Dpkg::Options::=--force-confdef']
const INSIST = ['--yes', '--no-install-recommends', '--allow-downgrades', '--allow-change-held-packages']

export interface AptOptions {
  readonly files: HostFiles
  readonly store: string
  /** For what changes nothing outside the store. */
  readonly run: typeof runProgram
  /** For what changes the host. */
  readonly runOutside: typeof runProgram
  /** Turns a path as the host sees it into one that can be read from here. */
  readonly place?: (path: string) => string
  /** Turns a path as the host sees it into one that the programs understand. */
  readonly named?: (path: string) => string
  /** Given to each call, besides the agent's own. */
  readonly settings?: { readonly apt: readonly string[]; readonly dpkg: readonly string[] }
}

/** apt and dpkg. What is installed is read from dpkg's database, once for each change of it. */
export function aptPackages(options: AptOptions): PackageManager {
  const {
    files,
    store,
    run,
    runOutside,
    place = (path) => path,
    named = (path) => path,
    settings = { apt: [], dpkg: [] },
  } = options
  const database = new DpkgDatabase(place)
  const apt = ['-o', 'APT::Sandbox::User=root', '-o', 'Dpkg::Use-Pty=0', ...settings.apt]
  const index = new AptIndex({ files, store, apt, run: (args, more) => look('env', args, more), named })

  async function look(program: string, args: readonly string[], more: RunOptions = {}): Promise<Outcome> {
    return run(program, args, { timeout: LONGEST.look, ...more, env: UNATTENDED })
  }

  async function change(program: string, args: readonly string[]): Promise<void> {
    await untilFree(database, LONGEST.lock)
    const { code, stdout, stderr, timedOut } = await runOutside(program, args, { timeout: LONGEST.apply, env: UNATTENDED })
    if (code === 0) return
    const output = `${stderr}\n${stdout}`
    const holder = lockHolderIn(output)
    if (holder !== undefined) throw busy(holder)
    const why = timedOut ? `it took longer than ${LONGEST.apply / MINUTE} minutes` : complaintOf(output)
    throw new AgentError(`${program}: ${why}`, { kind: 'validate', reason: 'PackageFailed' })
  }

  async function brought(name: string): Promise<readonly string[]> {
    const architecture = (await database.find(name))?.architecture
    for (const list of [`${name}:${architecture}`, name]) {
      const bytes = await files.read(`/var/lib/dpkg/info/${list}.list`)
      if (bytes !== undefined)
        return Buffer.from(bytes)
          .toString()
          .split('\n')
          .filter((path) => path !== '')
    }
    return []
  }

  /** What is installed can be had even where nobody has its archive any more. */
  async function obtain(archive: PackageArchive, signal: AbortSignal | undefined): Promise<string | undefined> {
    const cached = archivePath({ store: OWN_ARCHIVES, format }, archive)
    if (await files.stat(cached)) return cached
    const installed = await database.find(archive.name)
    const isInstalled = installed?.version === archive.version && installed.complete
    try {
      const found = await index.download(archive, { signal, timeout: LONGEST.download })
      if (found !== undefined || !isInstalled) return found
    } catch (error) {
      if (!isInstalled) throw error
    }
    return repack(archive, { files, store, run: (args, more) => look('env', args, more), named, brought })
  }

  return {
    format,
    store,
    installed: (name) => database.find(name),
    awaitingReboot: async () => [],
    isInterrupted: () => database.isInterrupted(),
    holder: () => database.holder(),
    resolve: (wishes, options) => index.resolve(wishes, options),

    fetch: async (archive, signal) => {
      const path = archivePath({ store, format }, archive)
      if ((await files.stat(path)) !== undefined) return path
      const found = await obtain(archive, signal)
      // Copied, and not moved: what is there under its name is whole, also after a power failure.
      if (found !== undefined) await files.install(found, path, { mode: 0o600 })
      return found && path
    },

    held: () => database.held(),
    unedited: async (paths) => uneditedFiles(paths, { files, packaged: await database.configurationFiles() }),
    files: brought,

    contents: async (archive) => {
      const { code, stdout, stderr } = await look('dpkg-deb', ['--contents', named(archive)])
      if (code !== 0) throw new Error(`dpkg-deb --contents "${archive}": ${complaintOf(stderr)}`)
      return stdout.split('\n').flatMap((line) => /^-.* \.(\/.*)$/.exec(line)?.[1] ?? [])
    },

    unpack: async (archive, directory) => {
      // dpkg-deb makes no parents.
      await files.writeAtomic(`${directory}/.unpacked`, new Uint8Array())
      const { code, stderr } = await look('dpkg-deb', ['--extract', named(archive), named(directory)])
      if (code !== 0) throw new Error(`dpkg-deb --extract "${archive}": ${complaintOf(stderr)}`)
    },

    apply: async ({ install, remove }) => {
      const nothing = await index.empty()
      const lock = ['-o', 'DPkg::Lock::Timeout=30']
      // What dpkg was killed in has its former version, and none of its files for certain: apt would find nothing to do.
      const insist = [...INSIST, '--reinstall']
      const what = [...install.map(named), ...remove.map((name) => `${name}-`)]
      await change('apt-get', [...apt, ...nothing, ...lock, ...KEEP_CONFFILES, ...insist, 'install', ...what])
    },

    repair: async () => {
      const args = ['--force-confold', '--force-confdef', ...settings.dpkg, '--configure', '--pending']
      // A script that fails for good is no reason to leave everything else as it is: what counts is what the database says then.
      await untilFree(database, LONGEST.lock)
      await runOutside('dpkg', args, { timeout: LONGEST.repair, env: UNATTENDED })
    },

    // What is installed is all that they look at: the sources of the host may contradict each other in the middle of a change.
    hold: async (name, held) => change('apt-mark', [...apt, ...(await index.empty()), held ? 'hold' : 'unhold', '--', name]),
    markAutomatic: async (names) => {
      if (names.length > 0) await change('apt-mark', [...apt, ...(await index.empty()), 'auto', '--', ...names])
    },
  }
}
