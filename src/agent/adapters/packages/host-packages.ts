import { existsSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PackageManager } from '../../package-manager.ts'
import { statePaths } from '../../paths.ts'
import type { HostFiles } from '../../ports.ts'
import { aptPackages } from '../apt/apt.ts'
import { dnf5Front, dnfFront } from '../dnf/dnf.ts'
import { hasRpmDatabase } from '../rpm/rpm-database.ts'
import { type RpmOptions, rpmPackages } from '../rpm/rpm-packages.ts'
import { SYSTEMD } from '../run-as-service.ts'
import { runProgram } from '../run-program.ts'
import { zypperFront } from '../zypper/zypper.ts'
import { endedInTime, runOutside } from './run-outside.ts'

const ADAPTERS = {
  apt: aptPackages,
  dnf: (options: RpmOptions) => rpmPackages(dnfFront, options),
  dnf5: (options: RpmOptions) => rpmPackages(dnf5Front, options),
  zypper: (options: RpmOptions) => rpmPackages(zypperFront, options),
} as const

/** The package manager of this machine; of a tree below a root, that tree's own, which runs in it. */
export function hostPackages({
  root,
  files,
  stateDirectory,
  hasSystemd = existsSync(SYSTEMD),
}: {
  readonly root: string
  readonly files: HostFiles
  readonly stateDirectory: string | undefined
  readonly hasSystemd?: boolean
}): PackageManager {
  const { packages: store } = statePaths(stateDirectory)
  const place = (path: string): string => join(root, path)
  const make = ADAPTERS[programOf(place)]
  // Without systemd there are no units.
  const outside = hasSystemd ? runOutside(runProgram) : runProgram
  if (root === '/') return make({ files, store, run: runProgram, runOutside: endedInTime(outside) })
  const run: typeof runProgram = (program, args, options) => runProgram('chroot', [root, program, ...args], options)
  return make({ files, store, run, runOutside: run, place })
}

/**
 * Whose database the programs of the host stand in. Many hosts have the programs of others: on Debian dpkg knows itself, and elsewhere it does
 * not; on SUSE libzypp knows by a link which distribution it manages. Without any database, apt says so.
 */
export function programOf(place: (path: string) => string): keyof typeof ADAPTERS {
  const has = (path: string): boolean => existsSync(place(path))
  if (has('/var/lib/dpkg/info/dpkg.list') || !hasRpmDatabase(place)) return 'apt'
  const dnf = dnfOf(place)
  if (has('/usr/bin/zypper') && (dnf === undefined || has('/etc/products.d/baseproduct'))) return 'zypper'
  return dnf ?? 'apt'
}

/** Where both are, the one that people call as `dnf`: each remembers by itself why a package is there. */
function dnfOf(place: (path: string) => string): 'dnf' | 'dnf5' | undefined {
  const [has4, has5] = ['/usr/bin/dnf-3', '/usr/bin/dnf5'].map((path) => existsSync(place(path)))
  if (has4 && has5) return linkOf(place('/usr/bin/dnf')) === 'dnf5' ? 'dnf5' : 'dnf'
  return has4 ? 'dnf' : has5 ? 'dnf5' : undefined
}

function linkOf(path: string): string | undefined {
  try {
    return basename(readlinkSync(path))
  } catch {
    return undefined
  }
}
