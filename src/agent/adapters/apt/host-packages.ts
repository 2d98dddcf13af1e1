import { join } from 'node:path'
import type { PackageManager } from '../../package-manager.ts'
import { statePaths } from '../../paths.ts'
import type { HostFiles } from '../../ports.ts'
import { runProgram } from '../run-program.ts'
import { aptPackages } from './apt.ts'
import { runOutside } from './run-outside.ts'

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
  if (root === '/') return aptPackages({ files, store, run: runProgram, runOutside: runOutside(runProgram) })
  const run: typeof runProgram = (program, args, options) => runProgram('chroot', [root, program, ...args], options)
  return aptPackages({ files, store, run, runOutside: run, place: (path) => join(root, path) })
}
