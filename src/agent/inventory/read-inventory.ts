import type { HostInventory, InventoryKubelet } from '../../protocol/host-inventory.ts'
import { SECTION_FILES } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import { lenientDocument } from '../kubelet/kubelet-document.ts'
import { staticPodPath } from '../kubelet/kubelet-flags.ts'
import type { HostFiles } from '../ports.ts'
import { isRunning } from '../service-state.ts'
import { hideKernelSecrets } from './credentials.ts'
import { namesIn, readHostFiles } from './host-files.ts'
import { CERTIFICATE_DIRECTORIES, PACKAGES, REPOSITORY_DIRECTORIES, UNITS } from './interests.ts'
import type { InventoryOptions, InventoryPorts } from './inventory-ports.ts'
import { readKubelet } from './kubelet-inventory.ts'

/** What this host runs. Reads only; what cannot be read is left out. */
export async function readInventory(ports: InventoryPorts, options: InventoryOptions): Promise<HostInventory> {
  const { files, kernel } = ports
  const localTime = await files.readLink(SECTION_FILES.localTime).catch(() => undefined)
  const kubelet = await readKubelet(ports, options)
  const found = await readHostFiles(ports)
  const { packages, omitted: unread } = await readPackages(ports)
  return {
    kind: 'HostInventory',
    version: 1,
    node: options.node,
    arch: options.arch,
    kubelet,
    files: found.files,
    units: await unitsOf(ports),
    packages,
    repositories: await filesIn(files, REPOSITORY_DIRECTORIES),
    certificates: await filesIn(files, CERTIFICATE_DIRECTORIES),
    staticPods: await staticPodsOf(kubelet, files),
    kernelArguments: hideKernelSecrets(await kernel.commandLine().catch(() => '')),
    swaps: (await kernel.swaps().catch(() => [])).map(({ path }) => path),
    swapOff: await ports.isSwapOff().catch(() => false),
    ...(localTime === undefined ? {} : { localTime }),
    omitted: [...found.omitted, ...unread],
  } as HostInventory
}

async function unitsOf({ services }: InventoryPorts): Promise<HostInventory['units']> {
  const found: HostInventory['units'] = []
  for (const name of UNITS) {
    const state = await services.show(name).catch(() => undefined)
    if (state?.exists) found.push({ name, enabled: state.enabled, running: isRunning(state.active) })
  }
  return found
}

/** A host without a package manager has no packages; one whose manager does not answer has some that nobody sees. */
async function readPackages({ packages }: InventoryPorts): Promise<Pick<HostInventory, 'packages' | 'omitted'>> {
  try {
    return { packages: await packagesOf(packages), omitted: [] }
  } catch (error) {
    if (error instanceof AgentError && error.reason === 'NoPackageManager') return { packages: [], omitted: [] }
    return { packages: [], omitted: [{ path: 'packages', why: `they cannot be read: ${(error as Error).message}` }] }
  }
}

/** What came only because another package needs it comes with that one. */
async function packagesOf(packages: InventoryPorts['packages']): Promise<HostInventory['packages']> {
  const names = new Set([...PACKAGES, ...(await packages.held())])
  const found: HostInventory['packages'] = []
  for (const name of [...names].filter((each) => each !== 'kubelet').sort()) {
    const state = await packages.installed(name)
    if (state?.complete && (!state.automatic || state.held)) found.push({ name, version: state.version, held: state.held })
  }
  return found
}

/** In the directory that the configuration or a flag names; a file behind `--config-dir` may name another. */
async function staticPodsOf({ config, flags, command }: InventoryKubelet, files: HostFiles): Promise<string[]> {
  const args = [...flags.flatMap((source) => source.args), ...command]
  const directory = staticPodPath(lenientDocument(config && Buffer.from(config.text)), args)
  if (directory === undefined) return []
  return (await namesIn(files, directory)).filter((name) => !name.startsWith('.')).map((name) => `${directory}/${name}`)
}

async function filesIn(files: HostFiles, directories: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const directory of directories) found.push(...(await namesIn(files, directory)).map((name) => `${directory}/${name}`))
  return found.filter((path) => /\.(?:list|sources|repo|crt|pem)$/.test(path) && !path.includes('nodewave'))
}
