import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyToHost } from '../agent/adapters/copy-folder.ts'
import { HostTree } from '../agent/adapters/host-tree.ts'
import { nodeFiles } from '../agent/adapters/node-files.ts'
import { procProcesses } from '../agent/adapters/proc-processes.ts'
import { createRealPorts } from '../agent/adapters/real-host.ts'
import { realInstallHost } from '../agent/adapters/real-install-host.ts'
import { unreachableNodeApi } from '../agent/adapters/unreachable-node-api.ts'
import { type InstallResult, install } from '../agent/install/install.ts'
import type { InstallHost } from '../agent/install/install-host.ts'
import { INSTALL_DIRECTORY, versionFolder } from '../agent/install/paths.ts'
import { place } from '../agent/install/place.ts'
import { uninstall } from '../agent/install/uninstall.ts'
import type { ServiceManagerName } from '../agent/service-managers.ts'
import { takeInstallLock } from '../agent/state/lock.ts'
import { VERSION } from '../protocol/version.ts'
import type { AgentArguments } from './agent-arguments.ts'

const NO_API = unreachableNodeApi(new Error('reach the API server: installing is done without it'))

/** @returns the exit code: 0 when the agent of this folder runs and reports, 1 when it does not */
export async function runInstall(settings: AgentArguments, manager: ServiceManagerName): Promise<number> {
  if (settings.offline) return placeOn(settings.host ?? '/', settings)
  if (settings.host !== undefined) return installOn(settings.host, settings)
  requireOwnFolder()
  const host = installHost(manager)
  await takeInstallLock('install', { files: nodeFiles(), processes: procProcesses })
  const result = await install(
    {
      version: VERSION,
      proof: settings.proof,
      stateDirectory: settings.options.stateDirectory,
      retry: settings.retry,
      nodeName: settings.nodeName,
    },
    host,
  )
  process.stdout.write(`${MESSAGES[result]}\n`)
  return result === 'installed' ? 0 : 1
}

export async function runUninstall(settings: AgentArguments, manager: ServiceManagerName): Promise<void> {
  const { offline, options } = settings
  const tree = new HostTree(offline ? settings.host : '/')
  const host = offline ? realInstallHost(tree, { say }) : installHost(manager)
  await takeBothLocks(tree)
  await uninstall(options.stateDirectory, host)
  process.stdout.write('the agent is removed\n')
}

const MESSAGES: Readonly<Record<InstallResult, string>> = {
  installed: `agent ${VERSION} is installed, and reports`,
  unproved: `agent ${VERSION} is installed and runs, but has not reached its Node yet; see journalctl -u nodewave-agent`,
  'went back': `agent ${VERSION} did not report; the one before runs again`,
  refused: `agent ${VERSION} did not report when it was tried last, and is not tried again; correct the cause, and add --retry`,
}

function installHost(manager: ServiceManagerName): InstallHost {
  if (manager !== 'systemd')
    throw new Error(
      `install the agent: this host is run by ${manager}, and install supports systemd only; see docs/service-managers.md`,
    )
  const { services } = createRealPorts({ node: NO_API, manager })
  return realInstallHost(new HostTree(), { say, services })
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function takeBothLocks(tree: HostTree): Promise<void> {
  const context = { files: nodeFiles(tree), processes: procProcesses }
  await takeInstallLock('copy', context)
  await takeInstallLock('install', context)
}

/** A host that does not run: what it starts is proved when it boots. */
async function placeOn(host: string, { nodeName }: AgentArguments): Promise<number> {
  const tree = new HostTree(host)
  await takeBothLocks(tree)
  copyToHost(ownFolder(), { host, folder: versionFolder(VERSION) })
  await place({ version: VERSION, nodeName }, realInstallHost(tree, { say }))
  say(`agent ${VERSION} is in place, and starts when this host boots`)
  return 0
}

/** What is installed is what runs now. */
function requireOwnFolder(): void {
  const folder = versionFolder(VERSION)
  const own = ownFolder()
  if (own === folder) return
  throw new Error(
    `install the agent: this one is in "${own}", and not in "${folder}"; unpack the tarball nodewave-agent-VERSION-linux-ARCH.tar.gz in ${INSTALL_DIRECTORY}, and run nodewave-agent of that folder`,
  )
}

/** Of the file that Node was started with. */
function ownFolder(): string {
  return dirname(realpathSync(process.argv[1] ?? ''))
}

/** From a container that sees the host's file system: its folder is copied, and the copy goes on in that file system. */
async function installOn(host: string, { nodeName, proof, retry }: AgentArguments): Promise<number> {
  const folder = versionFolder(VERSION)
  await takeInstallLock('copy', { files: nodeFiles(new HostTree(host)), processes: procProcesses })
  copyToHost(ownFolder(), { host, folder })
  const args = [
    'install',
    `--proof=${proof / 1000}`,
    ...(retry ? ['--retry'] : []),
    ...(nodeName ? [`--node-name=${nodeName}`] : []),
  ]
  const { status, error } = spawnSync('/usr/sbin/chroot', [host, join(folder, 'nodewave-agent'), ...args], { stdio: 'inherit' })
  if (error) throw error
  return status ?? 1
}
