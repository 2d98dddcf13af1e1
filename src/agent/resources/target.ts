import type { NodeContent } from '../../protocol/digest.ts'
import { type HostDocument, parseHostDocument } from '../../protocol/host-document.ts'
import { AGENT_UNIT } from '../../protocol/names.ts'
import { AgentError, asAgentError } from '../agent-error.ts'
import { findLayout } from '../kubelet/find-layout.ts'
import type { HostTexts, KubeletTarget, Layout, LayoutInput } from '../kubelet/layout.ts'
import type { AgentOptions } from '../options.ts'
import { KUBEADM_FLAGS, KUBELET_UNIT, type StatePaths } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { Local, Managed } from '../state/local.ts'
import { documentResources, managedByDocument } from './host-resources.ts'
import { localResources } from './local-resources.ts'
import { type Resource, resource } from './resource.ts'
import { refuseUnsupported } from './supported-kinds.ts'
import { unit } from './unit.ts'

/** A configuration, understood: what it manages on this host, before anything of it is compared or done. */
export interface Blueprint {
  readonly content: NodeContent
  readonly document: HostDocument
  readonly managed: Managed
  readonly kubelet: { readonly layout: Layout; readonly input: LayoutInput } | undefined
}

/** The host as it should be. */
export interface Target {
  readonly resources: readonly Resource[]
  readonly managed: Managed
  /** Missing when nothing shows how the kubelet of this host is installed, and the configuration says nothing of it either. */
  readonly kubelet: KubeletTarget | undefined
  readonly version: string | undefined
  readonly trialSeconds: number | undefined
}

export interface BlueprintContext {
  readonly files: HostFiles
  readonly options: AgentOptions
  readonly paths: StatePaths
}

/** @throws {AgentError} when the content cannot be understood, or asks for what this agent does not do. */
export async function readBlueprint(content: NodeContent, context: BlueprintContext): Promise<Blueprint> {
  const document = readDocument(content.host)
  refuseUnsupported(document)
  const kubelet = await layOut(content, { document, context })
  const byDocument = managedByDocument(document)
  const managed = { files: [...(kubelet?.layout.managed(kubelet.input) ?? []), ...byDocument.files], units: byDocument.units }
  refuseClashes(managed, context.paths)
  refuseOwnUnit(document)
  return { content, document, managed, kubelet }
}

/** Git's over the machine's, and the machine's where Git says nothing. */
export async function buildTarget(
  blueprint: Blueprint,
  { local, files }: { readonly local: Local; readonly files: HostFiles },
): Promise<Target> {
  const { managed, document, content } = blueprint
  const kubelet = blueprint.kubelet && (await kubeletTarget(blueprint.kubelet, { local, files }))
  const resources = [
    ...(kubelet?.resources ?? []),
    ...(await documentResources(document, files)),
    ...(await localResources(local, { managed, host: files })),
    restartKubelet(managed),
  ]
  return { resources, managed, kubelet, version: content.version, trialSeconds: document.kubelet?.trialSeconds }
}

function readDocument(text: string | undefined): HostDocument {
  try {
    return text === undefined ? {} : parseHostDocument(text)
  } catch (error) {
    throw asAgentError(error, { kind: 'load', reason: 'MalformedHostDocument' })
  }
}

function concernsKubelet({ version, opts, flags, config }: NodeContent, document: HostDocument): boolean {
  return [version, opts, flags, config, document.kubelet].some((part) => part !== undefined)
}

async function layOut(
  content: NodeContent,
  { document, context }: { readonly document: HostDocument; readonly context: BlueprintContext },
): Promise<Blueprint['kubelet']> {
  const { files, options, paths } = context
  const install = document.kubelet ?? {}
  const choice = { named: install.layout, option: options.layout, environmentFile: options.environmentFile }
  const found = await findLayout(files, choice)
  if (found !== undefined)
    return { layout: found.layout, input: { content, install, arch: options.arch, staging: paths.staging, facts: found.facts } }
  if (!concernsKubelet(content, document)) return undefined
  throw new AgentError(
    `find out how the kubelet is installed: there is neither "${KUBEADM_FLAGS}" nor "${options.environmentFile}"; start the agent with --layout`,
    { kind: 'load', reason: 'UnknownLayout' },
  )
}

/** Two that write one file would undo each other for ever; and nobody but the agent writes what it remembers. */
function refuseClashes({ files }: Managed, paths: StatePaths): void {
  const claimed = new Set<string>()
  for (const { path } of files) {
    if (claimed.has(path))
      throw new AgentError(`manage "${path}": it is claimed twice`, { kind: 'load', reason: 'PathClaimedTwice' })
    if (path === paths.directory || path.startsWith(`${paths.directory}/`))
      throw new AgentError(`manage "${path}": it belongs to the agent`, { kind: 'validate', reason: 'PathNotAllowed' })
    claimed.add(path)
  }
}

function refuseOwnUnit({ units = [] }: HostDocument): void {
  if (!units.some(({ name }) => name === AGENT_UNIT)) return
  throw new AgentError(
    `manage "${AGENT_UNIT}": an agent cannot restart itself; write its drop-ins as files, they count when it is started next`,
    { kind: 'validate', reason: 'UnitNotAllowed' },
  )
}

async function kubeletTarget(
  { layout, input }: NonNullable<Blueprint['kubelet']>,
  { local, files }: { readonly local: Local; readonly files: HostFiles },
): Promise<KubeletTarget> {
  const texts: { [side in keyof HostTexts]: Map<string, Uint8Array> } = { local: new Map(), current: new Map() }
  for (const path of layout.reads(input)) {
    const current = (await files.stat(path))?.type === 'file' ? await files.read(path) : undefined
    const known = local.files.find((file) => file.path === path)
    const before = known === undefined ? current : known.saved && (await files.read(known.saved.at))
    if (current) texts.current.set(path, current)
    if (before) texts.local.set(path, before)
  }
  return layout.target(input, texts)
}

function restartKubelet({ files }: Managed): Resource {
  const restartOn = files.filter(({ restarts }) => restarts.includes(KUBELET_UNIT)).map(({ path }) => path)
  return resource(unit, { name: KUBELET_UNIT }, { subject: KUBELET_UNIT, restartOn })
}
