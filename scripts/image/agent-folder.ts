/** The agent as a host gets it: one folder with Node, the libraries that Node needs, the agent's program, and the services that start it. */
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { agentProgram, unitFlags } from '../agent-program.ts'
import { agentPackages } from '../bundle-agent.ts'
import type { Architecture } from './debian-packages.ts'
import { LIBRARY_PACKAGES, libraryEntries } from './glibc.ts'
import { glibcWanted, isNewer } from './glibc-version.ts'
import { nodePackage, ownArchitecture, selfContainedNode } from './node-binary.ts'
import { readLock } from './production-packages.ts'
import { debianComponent, nodeComponent, npmComponent, sbomOf } from './sbom.ts'
import type { TarEntry, TarFile } from './tar.ts'
import { trackedEntries } from './tracked-entries.ts'

export interface AgentFolderOptions {
  readonly root: string
  readonly architecture: Architecture
  readonly version: string
  /** Path of the bundled agent. */
  readonly bundle: string
}

/** Paths are relative to the folder, whatever it is called. */
export async function agentFolder({ root, architecture, version, bundle }: AgentFolderOptions): Promise<TarEntry[]> {
  const node = nodePackage(root, architecture)
  // The two programs differ in where they look for libraries only.
  const runnable = architecture === ownArchitecture ? node.binary : undefined
  const read = (path: string): Buffer => readFileSync(join(root, path))
  const binary = readFileSync(await selfContainedNode(root, architecture))
  const libraries = (await libraryEntries(architecture)).map((entry) => besideNode(entry as TarFile))
  requireOld(libraries, binary)
  return [
    file('node', binary, 0o755),
    ...(await agentProgram({ root, bundle, node: runnable })).map(({ name, content }) => file(name, content)),
    file('nodewave-agent', Buffer.from(launcher(unitFlags(root))), 0o755),
    file('nodewave-agent.service', read('deploy/nodewave-agent.service')),
    ...['openrc', 'runit', 'sysvinit'].flatMap((name) => trackedEntries(root, `deploy/${name}`, name)),
    ...libraries,
    file('LICENSE', read('LICENSE')),
    file('licenses/node', readFileSync(node.license)),
    file('sbom.cdx.json', Buffer.from(await agentSbom(root, { version, architecture, nodeVersion: node.version }))),
  ]
}

/** The command of people, and of the package scripts. The unit starts Node itself: that has to be one process. */
const launcher = (flags: readonly string[]): string => `#!/bin/sh
folder=$(dirname "$(readlink -f "$0")")
exec "$folder/node" ${flags.join(' ')} "$folder/nodewave-agent.mjs" "$@"
`

function file(path: string, content: Buffer, mode = 0o644): TarFile {
  return { path, mode, content }
}

/** Libraries that want a newer C library than Node does would keep the agent from hosts that Node runs on. */
function requireOld(libraries: readonly TarFile[], node: Buffer): void {
  const wanted = glibcWanted(node)
  for (const { path, content } of libraries) {
    const version = glibcWanted(Buffer.from(content))
    if (isNewer(version, wanted))
      throw new Error(`put "${path}" into the agent's folder: it wants glibc ${version.join('.')}, Node ${wanted.join('.')}`)
  }
}

function besideNode({ path, content }: TarFile): TarFile {
  const isLicence = path.endsWith('/copyright')
  return file(isLicence ? `licenses/${basename(dirname(path))}` : `lib/${basename(path)}`, Buffer.from(content))
}

async function agentSbom(
  root: string,
  { version, architecture, nodeVersion }: { version: string; architecture: Architecture; nodeVersion: string },
): Promise<string> {
  const { packages } = readLock(root)
  const bundled = (await agentPackages()).map((name) => npmComponent(name, packages[`node_modules/${name}`]?.version ?? ''))
  const debian = LIBRARY_PACKAGES.map((name) => debianComponent(name, architecture))
  return sbomOf({ name: 'nodewave-agent', version }, [...bundled, nodeComponent(nodeVersion), ...debian])
}
