import { basename } from 'node:path/posix'
import {
  EXTRA_ARGS_FILES,
  isUnitPath,
  KUBEADM_FLAGS,
  KUBELET_BINARY,
  KUBELET_CONFIG,
  KUBELET_UNIT,
  MANAGED_FLAGS,
  MANAGED_KUBECONFIG,
  unitFile,
} from '../../agent/paths.ts'
import { compareTexts } from '../../protocol/by-text.ts'
import { readEnvironmentFile } from '../../protocol/environment-file.ts'
import { splitFlagString } from '../../protocol/flag-string.ts'
import type { KubeletLaunch } from './kubelet-verdict.ts'
import type { MemoryFiles } from './memory-files.ts'

const MAGIC = 'simulated kubelet '

/** What stands for a kubelet's binary: it knows its version, and nothing else. */
export function kubeletBinary(version: string): Uint8Array {
  return Buffer.from(`${MAGIC}v${version.replace(/^v/, '')}\n`)
}

/** @throws when it is no kubelet, as the kernel would say it. */
export function versionOfBinary(text: string | undefined): string {
  if (text?.startsWith(MAGIC)) return text.slice(MAGIC.length).trim()
  throw new Error(text === undefined ? 'no such file or directory' : 'exec format error')
}

/** How the service starts its kubelet: from the files that systemd would read at this moment. */
export type ReadLaunch = (files: MemoryFiles) => KubeletLaunch

/** As the drop-in of kubeadm's package has it: the variables in their order, the last wins. */
export const launchByKubeadm: ReadLaunch = (files) => {
  requireCommand(files)
  const variables = [KUBEADM_FLAGS, EXTRA_ARGS_FILES.rpm, EXTRA_ARGS_FILES.deb].flatMap((path) => [...environment(files, path)])
  const value = (name: string): string => new Map(variables).get(name) ?? ''
  const args = ['KUBELET_KUBEADM_ARGS', 'KUBELET_EXTRA_ARGS'].flatMap((name) => splitFlagString(value(name)))
  return {
    version: versionOfBinary(files.text(KUBELET_BINARY)),
    args,
    config: files.text(KUBELET_CONFIG),
    dropIns: dropInsOf(args, files),
  }
}

function dropInsOf(args: readonly string[], files: MemoryFiles): string[] {
  const directory = args.findLast((arg) => arg.startsWith('--config-dir='))?.slice('--config-dir='.length)
  const paths = Object.keys(files.snapshot()).filter((path) => path.startsWith(`${directory}/`) && path.endsWith('.conf'))
  return paths.toSorted().flatMap((path) => files.text(path) ?? [])
}

/** As the unit of the managed layout has it, which has to be there with the credential that it names. */
export const launchByOwnUnit: ReadLaunch = (files) => {
  const command = files.text(unitFile(KUBELET_UNIT))?.match(/^ExecStart=(.*)$/m)?.[1] ?? ''
  const own = splitFlagString(command.replace(/\$KUBELET_FLAGS$/, '')).slice(1)
  const args = [...own, ...splitFlagString(environment(files, MANAGED_FLAGS).get('KUBELET_FLAGS') ?? '')]
  const config = files.text(args.findLast((arg) => arg.startsWith('--config='))?.slice('--config='.length) ?? '')
  if (config === undefined) throw new Error('failed to load kubelet config file: no such file or directory')
  if (files.text(MANAGED_KUBECONFIG) === undefined) throw new Error(`stat ${MANAGED_KUBECONFIG}: no such file or directory`)
  return {
    version: versionOfBinary(files.text(KUBELET_BINARY)),
    args: args.filter((arg) => !arg.startsWith('--config=')),
    config,
  }
}

/** systemd refuses a service whose drop-ins take its command away and give it none. */
function requireCommand(files: MemoryFiles): void {
  const dropIns = Object.entries(files.snapshot())
    .filter(([path]) => isUnitPath(path) && path.includes(`/${KUBELET_UNIT}.d/`))
    .toSorted(([a], [b]) => compareTexts(basename(a), basename(b)))
  const commands = dropIns.flatMap(([, text]) => text.split('\n').filter((line) => line.startsWith('ExecStart=')))
  if (commands.at(-1) === 'ExecStart=') throw new Error('Service has no ExecStart=, ExecStop=, or SuccessAction=. Refusing.')
}

/** As the CoreOS wrapper does it: the version named in the environment file is fetched and run. */
export function launchByWrapper(environmentFile: string): ReadLaunch {
  return (files) => {
    const variables = environment(files, environmentFile)
    const args = splitFlagString(variables.get('KUBELET_OPTS') ?? '')
    const config = args.findLast((arg) => arg.startsWith('--config='))?.slice('--config='.length)
    const version = variables.get('KUBELET_VERSION')?.replaceAll('_', '+') ?? ''
    if (!/^v?\d+\.\d+\.\d+/.test(version)) throw new Error(`fetch kubelet "${version}": no such release`)
    return {
      version: `v${version.replace(/^v/, '')}`,
      args,
      // Before 1.8 the flag named the directory of static pods.
      config: config === undefined || files.text(config) === undefined ? null : files.text(config),
    }
  }
}

function environment(files: MemoryFiles, path: string): Map<string, string> {
  const text = files.text(path)
  return text === undefined ? new Map() : readEnvironmentFile(Buffer.from(text))
}
