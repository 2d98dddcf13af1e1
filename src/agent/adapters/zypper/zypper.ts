import { readFile } from '../../../kube/file-calls.ts'
import { PACKAGE_FORMATS, type PackageArchive } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { orMissing } from '../or-missing.ts'
import { nevra } from '../rpm/package-key.ts'
import type { RpmFront, RpmTools } from '../rpm/rpm-front.ts'
import { namesIn, withNames } from './auto-installed.ts'
import { ZypperCall } from './zypper-call.ts'
import { REPOSITORIES, ZypperIndex } from './zypper-index.ts'
import { ZypperLocks } from './zypper-locks.ts'
import { textOf } from './zypper-text.ts'

/** Of the host: below it, a directory for each repository. */
const OWN_CACHE = '/var/cache/zypp/packages'
const AUTO_INSTALLED = '/var/lib/zypp/AutoInstalled'

/** zypper and libzypp, of SUSE. */
export function zypperFront({ files, store, database, look, outside, place, settings }: RpmTools): RpmFront {
  const zypper = new ZypperCall({ files, store, settings })
  const reasons = async () => (await orMissing(readFile(place(AUTO_INSTALLED), 'utf8'))) ?? ''
  return {
    format: PACKAGE_FORMATS.zypper,
    repositories: REPOSITORIES,
    lock: { path: '/run/zypp.pid', names: /^(?:zypper|packagekit|y2|yast|ruby)/i },
    reasonFiles: [AUTO_INSTALLED],
    index: new ZypperIndex({ files, store, database, zypper, run: outside, look }),
    holds: new ZypperLocks(files, place),
    automatic: async () => namesIn(await reasons()),
    mark: async (how, names) => {
      const text = await reasons()
      const changed = withNames(text, names, how)
      if (changed !== text) await files.writeAtomic(AUTO_INSTALLED, Buffer.from(changed))
    },
    command: (work) => zypper.withoutRepositories(work),
    textOf,
    rebootNames: async () => [],
    cached: (archive) => cached(archive, files),
  }
}

async function cached(archive: PackageArchive, files: HostFiles): Promise<string | undefined> {
  const { architecture } = archive
  const file = `${nevra(archive)}.rpm`
  for (const directory of await files.list(OWN_CACHE))
    for (const path of [`${OWN_CACHE}/${directory}/${file}`, `${OWN_CACHE}/${directory}/${architecture}/${file}`])
      if ((await files.stat(path))?.type === 'file') return path
  return undefined
}
