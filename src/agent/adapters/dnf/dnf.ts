import { readFile } from '../../../kube/file-calls.ts'
import { AgentError } from '../../agent-error.ts'
import { PACKAGE_FORMATS, type PackageArchive } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { orMissing } from '../or-missing.ts'
import { nevra } from '../rpm/package-key.ts'
import type { RpmFront, RpmTools } from '../rpm/rpm-front.ts'
import { complaintOf } from '../rpm/rpm-text.ts'
import { DnfIndex, REPOSITORIES } from './dnf-index.ts'
import { DNF_4, DNF_5, type DnfProgram } from './dnf-program.ts'
import { scriptOf, soleName } from './dnf-script.ts'
import { locksIn, tomlLocksIn } from './excludes.ts'
import { PackageHolds } from './package-holds.ts'
import { reasonsOfQuery, reasonsOfState } from './reasons.ts'
import { rebootNames } from './reboot-names.ts'

const QUERY = ['--quiet', '--cacheonly', '--disablerepo=*', 'repoquery', '--installed', '--qf', '%{name} %{arch} %{reason}\n']
/** Of dnf 5: why packages are installed. */
const STATE = '/usr/lib/sysimage/libdnf5/packages.toml'

interface Own extends Pick<RpmFront, 'reasonFiles' | 'automatic'> {
  /** Of the command `mark`: a package that somebody named, and one that came for others. Nothing is removed by either. */
  readonly marks: { readonly named: string; readonly automatic: string }
}

export function dnfFront(tools: RpmTools): RpmFront {
  const locks = { path: '/etc/dnf/plugins/versionlock.list', read: locksIn }
  const automatic = async () => {
    const { code, stdout, stderr } = await tools.look('dnf-3', [...DNF_4.settings, ...tools.settings, ...QUERY])
    if (code !== 0) throw new Error(`ask dnf why packages are installed: ${stderr.trim().slice(-300)}`)
    return reasonsOfQuery(stdout)
  }
  const own = { marks: { named: 'install', automatic: 'remove' }, reasonFiles: [], automatic }
  return frontOf(tools, { program: DNF_4, holds: new PackageHolds({ ...tools, locks }), own })
}

export function dnf5Front(tools: RpmTools): RpmFront {
  const locks = { path: '/etc/dnf/versionlock.toml', read: tomlLocksIn }
  const automatic = async () => reasonsOfState((await orMissing(readFile(tools.place(STATE), 'utf8'))) ?? '')
  const own = { marks: { named: 'user', automatic: 'dependency' }, reasonFiles: [STATE], automatic }
  return frontOf(tools, { program: DNF_5, holds: new PackageHolds({ ...tools, locks }), own })
}

interface Parts {
  readonly program: DnfProgram
  readonly holds: PackageHolds
  readonly own: Own
}

function frontOf({ files, store, database, look, outside, settings }: RpmTools, { program, holds, own }: Parts): RpmFront {
  const { marks, ...reasons } = own
  const call = [...program.settings, ...settings]
  return {
    ...reasons,
    format: PACKAGE_FORMATS.dnf,
    repositories: REPOSITORIES,
    lock: { path: '/var/lib/dnf/rpmdb_lock.pid', names: /^(?:dnf|yum|python|packagekit)/i },
    index: new DnfIndex({ files, store, database, program, settings: call, run: outside, look }),
    holds,

    mark: async (how, keys, change) => {
      const names: string[] = []
      for (const key of keys) names.push(await soleName(key, database))
      const args = [...call, '--cacheonly', program.withoutRepositories, 'mark', marks[how], ...names]
      const output = await change(program.name, args)
      if (!/^Error: /m.test(output)) return
      throw new AgentError(`dnf mark: ${complaintOf(output)}`, { kind: 'validate', reason: 'PackageFailed' })
    },

    command: async (work) => {
      const names: string[] = []
      for (const name of work.remove) names.push(await soleName(name, database))
      const remove = [...names, ...(work.removeVersions ?? []).map(nevra)]
      const words = await program.words({ install: work.install, remove }, (some) => scriptOf(some, { files, store }))
      const settings = [program.withAll, program.withoutRepositories, program.withRunningKernel]
      return [program.name, [...call, ...settings, ...words]]
    },
    textOf: program.textOf,
    rebootNames: () => rebootNames(files),
    cached: (archive) => cachedBelow(program.cache, archive, files),
  }
}

/** Below it, there is a directory for each repository. */
async function cachedBelow(cache: string, archive: PackageArchive, files: HostFiles): Promise<string | undefined> {
  for (const directory of await files.list(cache)) {
    const path = `${cache}/${directory}/packages/${nevra(archive)}.rpm`
    if ((await files.stat(path))?.type === 'file') return path
  }
  return undefined
}
