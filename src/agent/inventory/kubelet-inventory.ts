import { stringify } from 'yaml'
import { readEnvironmentFile } from '../../protocol/environment-file.ts'
import { splitFlagString } from '../../protocol/flag-string.ts'
import { HIDDEN_VALUE, type InventoryKubelet } from '../../protocol/host-inventory.ts'
import { KubeletDropIns } from '../kubelet/config-drop-ins.ts'
import { findLayout } from '../kubelet/find-layout.ts'
import { lenientDocument } from '../kubelet/kubelet-document.ts'
import { flagValue } from '../kubelet/kubelet-flags.ts'
import { bareVersion } from '../kubelet/versions.ts'
import { KUBEADM_FLAGS, KUBELET_BINARY, KUBELET_CONFIG, KUBELET_UNIT, MANAGED_FLAGS, unitFile } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import { isCredential } from './credentials.ts'
import { namesIn } from './host-files.ts'
import type { InventoryOptions, InventoryPorts } from './inventory-ports.ts'

/** Flags and fields whose values are credentials. */
const SECRET_FLAG = /^--(?:manifest[-_]url[-_]header|bootstrap[-_]token)(?==|$)/
const SECRET_FIELD = 'staticPodURLHeader'

interface FlagPlaces {
  readonly layout: InventoryKubelet['layout']
  readonly extraArgsFile: string
  readonly environmentFile: string
}

export async function readKubelet(ports: InventoryPorts, options: InventoryOptions): Promise<InventoryKubelet> {
  const { files, services } = ports
  const { layout: option } = options
  const choice = { named: undefined, option, environmentFile: options.environmentFile, manager: services.name }
  const found = await findLayout(files, choice)
  const layout = found?.layout.name ?? ((await isManaged(files)) ? 'managed' : undefined)
  const { environmentFile } = options
  const flags = await flagSources(files, { layout, extraArgsFile: found?.facts.extraArgsFile ?? '', environmentFile })
  const command = hideSecrets(await runningCommand(ports))
  const args = [...flags.flatMap((source) => source.args), ...command]
  const path = flagValue(args, 'config') ?? KUBELET_CONFIG
  const bytes = path.startsWith('/') ? await files.read(path).catch(() => undefined) : undefined
  const binary = await binaryOf(files)
  return {
    ...(layout && { layout }),
    ...(await versionOf(ports, binary?.path ?? command[0])),
    ...(binary && { binary }),
    ...(await packageOf(ports)),
    flags,
    command,
    ...(bytes && { config: { path, text: withoutSecrets(Buffer.from(bytes).toString()) } }),
    dropIns: await dropInsOf(files, args),
  }
}

/** The unit of the managed layout is nodewave's own. */
async function isManaged(files: HostFiles): Promise<boolean> {
  const text = Buffer.from((await files.read(unitFile(KUBELET_UNIT)).catch(() => undefined)) ?? []).toString()
  return text.startsWith('# Written by nodewave.')
}

async function flagSources(
  files: HostFiles,
  { layout, extraArgsFile, environmentFile }: FlagPlaces,
): Promise<InventoryKubelet['flags']> {
  const places: Readonly<Record<string, readonly (readonly [path: string, variable: string])[]>> = {
    kubeadm: [
      [KUBEADM_FLAGS, 'KUBELET_KUBEADM_ARGS'],
      [extraArgsFile, 'KUBELET_EXTRA_ARGS'],
    ],
    env: [[environmentFile, 'KUBELET_OPTS']],
    managed: [[MANAGED_FLAGS, 'KUBELET_FLAGS']],
  }
  const found: InventoryKubelet['flags'] = []
  for (const [path, variable] of places[layout ?? ''] ?? []) {
    const bytes = await files.read(path).catch(() => undefined)
    const args = splitFlagString((bytes && readEnvironmentFile(bytes).get(variable)) ?? '')
    found.push({ variable, path, args: hideSecrets(args) })
  }
  return found
}

async function runningCommand({ services, commandOf }: InventoryPorts): Promise<string[]> {
  const { mainPid } = await services.show(KUBELET_UNIT).catch(() => ({ mainPid: 0 }))
  return mainPid === 0 ? [] : commandOf(mainPid)
}

async function binaryOf(files: HostFiles): Promise<InventoryKubelet['binary']> {
  const sha256 = await files.sha256(KUBELET_BINARY).catch(() => undefined)
  return sha256 === undefined ? undefined : { path: KUBELET_BINARY, sha256 }
}

async function versionOf({ kubelet }: InventoryPorts, path: string | undefined): Promise<{ version?: string }> {
  if (path === undefined) return {}
  const version = await kubelet.version(path).catch(() => undefined)
  return version === undefined ? {} : { version: bareVersion(version) }
}

async function packageOf({ packages }: InventoryPorts): Promise<Pick<InventoryKubelet, 'package'>> {
  const name = 'kubelet'
  const found = await packages.installed(name).catch(() => undefined)
  return found === undefined
    ? {}
    : { package: { name, version: found.version, held: found.held, manager: packages.format.manager } }
}

async function dropInsOf(files: HostFiles, args: readonly string[]): Promise<string[]> {
  const directory = await new KubeletDropIns(files).directory(args).catch(() => undefined)
  if (directory === undefined) return []
  return (await namesIn(files, directory)).filter((name) => name.endsWith('.conf')).map((name) => `${directory}/${name}`)
}

function hideSecrets(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const [name] = SECRET_FLAG.exec(arg) ?? []
    if (name !== undefined && arg.includes('=')) return `${name}=${HIDDEN_VALUE}`
    const previous = args[at - 1] ?? ''
    if (SECRET_FLAG.test(previous) && !previous.includes('=')) return HIDDEN_VALUE
    return isCredential(arg) ? `${/^--[^=]+=/.exec(arg)?.[0] ?? ''}${HIDDEN_VALUE}` : arg
  })
}

function withoutSecrets(text: string): string {
  const document = lenientDocument(Buffer.from(text))
  const kept = Object.entries(document).filter(([key, value]) => key !== SECRET_FIELD && !isCredential(JSON.stringify(value)))
  return kept.length === Object.keys(document).length ? text : stringify(Object.fromEntries(kept))
}
