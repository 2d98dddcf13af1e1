import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageFormat, PackageManager } from '../../package-manager.ts'
import { statePaths } from '../../paths.ts'
import type { HostFiles } from '../../ports.ts'
import { aptPackages } from '../apt/apt.ts'
import { dnfPackages } from '../dnf/dnf.ts'
import { hasRpmDatabase } from '../dnf/rpm-database.ts'
import { runProgram } from '../run-program.ts'
import { runOutside } from './run-outside.ts'

const ADAPTERS = { apt: aptPackages, dnf: dnfPackages } as const

/** The package manager of this machine; of a tree below a root, that tree's own, which runs in it. */
export function hostPackages({
  root,
  files,
  stateDirectory,
}: {
  readonly root: string
  readonly files: HostFiles
  readonly stateDirectory: string | undefined
}): PackageManager {
  const { packages: store } = statePaths(stateDirectory)
  const place = (path: string): string => join(root, path)
  const make = ADAPTERS[managerOf(place)]
  if (root === '/') return make({ files, store, run: runProgram, runOutside: runOutside(runProgram) })
  const run: typeof runProgram = (program, args, options) => runProgram('chroot', [root, program, ...args], options)
  return make({ files, store, run, runOutside: run, place })
}

/**
 * Whose database the programs of the host stand in. Many hosts have the programs of both: on Debian dpkg knows itself, and elsewhere it does
 * not. Without either database, apt says so.
 */
export function managerOf(place: (path: string) => string): PackageFormat['manager'] {
  if (existsSync(place('/var/lib/dpkg/info/dpkg.list'))) return 'apt'
  return hasRpmDatabase(place) && existsSync(place('/usr/bin/dnf-3')) ? 'dnf' : 'apt'
}
