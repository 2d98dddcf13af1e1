import type { NodeContent } from '../../protocol/digest.ts'
import { readByService, readerOf } from '../../protocol/file-readers.ts'
import { AGENT_UNIT } from '../../protocol/names.ts'
import { AgentError } from '../agent-error.ts'
import { findLayout } from '../kubelet/find-layout.ts'
import { joinFlags } from '../kubelet/kubelet-flags.ts'
import { isReadBy, kubeletReads } from '../kubelet/kubelet-reads.ts'
import type { HostTexts, KubeletTarget, Layout, LayoutInput } from '../kubelet/layout.ts'
import { refuseUnwritable } from '../kubelet/script-flags.ts'
import type { AgentOptions } from '../options.ts'
import { KUBEADM_FLAGS, KUBELET_UNIT, type StatePaths } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { ServiceManagerName } from '../service-managers.ts'
import { type Baselines, isSame } from '../state/baselines.ts'
import { joinManaged, type Managed, type Trigger } from '../state/managed.ts'
import { baselineContent } from './file-baseline.ts'
import type { Resource, SectionPlace } from './kind.ts'
import type { Kinds } from './kinds.ts'
import { documentResources, managedByDocument, type ReadableDocument, readDocument } from './read-document.ts'
import { refuseUnsupportedUnits } from './service-limits.ts'
import { unit } from './unit.ts'

/** A configuration, understood: what it manages on this host, before anything of it is compared or done. */
export interface Blueprint {
  readonly content: NodeContent
  readonly document: ReadableDocument
  readonly managed: Managed
  readonly kubelet: { readonly layout: Layout; readonly input: LayoutInput } | undefined
  readonly place: SectionPlace
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
  readonly manager: ServiceManagerName
  readonly files: HostFiles
  readonly options: AgentOptions
  readonly paths: StatePaths
  readonly kinds: Kinds
}

/** @throws {AgentError} when the content cannot be understood, or asks for what this agent does not do. */
export async function readBlueprint(content: NodeContent, context: BlueprintContext): Promise<Blueprint> {
  const { kinds, paths, files, options, manager } = context
  const place = { files, paths, arch: options.arch, manager }
  const document = readDocument(content, kinds)
  const kubelet = await layOut(content, { document, context })
  const claims = kubelet?.layout.managed(kubelet.input) ?? []
  const subjects = claims.filter(({ kind }) => kind !== 'unit').map(({ key }) => key)
  const triggers = [{ unit: KUBELET_UNIT, subjects }]
  const managed = joinManaged([{ claims, triggers }, await managedByDocument(document, { kinds, place })])
  refuseClashes(managed, { paths, kinds })
  refuseUnsupportedUnits(document, { manager, managed })
  refuseOwnUnit(document)
  refuseLostKubelet(document)
  await refuseReadFiles(document, { kinds, place })
  return { content, document, managed, kubelet, place }
}

/** Git's over the machine's, and the machine's where Git says nothing. */
export async function buildTarget(
  blueprint: Blueprint,
  { baselines, files, kinds }: { readonly baselines: Baselines; readonly files: HostFiles; readonly kinds: Kinds },
): Promise<Target> {
  const { managed, document, content, place } = blueprint
  const kubelet = blueprint.kubelet && (await kubeletTarget(blueprint.kubelet, { baselines, files }))
  const named = [...(kubelet?.resources ?? []), ...(await documentResources(document, { kinds, place }))]
  const own = await Promise.all(named.map((resource) => takenOver(resource, { baselines, files, kinds })))
  const changing = [...own, ...(await givenBack(baselines, { managed, files, kinds }))]
  const triggers = [...managed.triggers, ...(await namedByKubelet(changing, { kubelet, files }))]
  const resources = [...changing, ...restartedUnits(triggers, own)]
  return { resources, managed, kubelet, version: content.version, trialSeconds: document.kubelet?.trialSeconds }
}

/** As it is written over what another kind of ours wrote there. */
function takenOver(
  resource: Resource,
  { baselines, files, kinds }: { readonly baselines: Baselines; readonly files: HostFiles; readonly kinds: Kinds },
): Resource | Promise<Resource> {
  const { kind, subject } = resource
  const other = baselines.list.find((known) => known.kind !== kind && isSame({ kind, key: subject }, known, kinds))
  return other === undefined ? resource : resource.over(other.base, files)
}

/** Everything that was managed and is not named any more goes back to what it was; units that read it are restarted. */
async function givenBack(
  { list }: Baselines,
  { managed, files, kinds }: { readonly managed: Managed; readonly files: HostFiles; readonly kinds: Kinds },
): Promise<Resource[]> {
  const left = list.filter((baseline) => !managed.claims.some((claim) => isSame(claim, baseline, kinds)))
  const resources: Resource[] = []
  for (const { base } of left) resources.push(await base.giveBack(files, managed))
  for (const name of new Set(left.flatMap(({ restarts }) => restarts))) {
    const restartTriggers = left.filter(({ restarts }) => restarts.includes(name)).map(({ key }) => key)
    resources.push(unit.of({ name, restartTriggers }))
  }
  return resources
}

function concernsKubelet({ version, opts, flags, config }: NodeContent, document: ReadableDocument): boolean {
  return [version, opts, flags, config, document.kubelet].some((part) => part !== undefined)
}

async function layOut(
  content: NodeContent,
  { document, context }: { readonly document: ReadableDocument; readonly context: BlueprintContext },
): Promise<Blueprint['kubelet']> {
  const { files, options, paths, manager } = context
  const install = document.kubelet ?? {}
  refuseUnwritable(joinFlags(content.flags, content.opts))
  const choice = { named: install.layout, option: options.layout, environmentFile: options.environmentFile, manager }
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
function refuseClashes({ claims }: Managed, { paths, kinds }: { readonly paths: StatePaths; readonly kinds: Kinds }): void {
  for (const [index, claim] of claims.entries()) {
    if (claims.slice(0, index).some((other) => isSame(other, claim, kinds)))
      throw new AgentError(`manage "${claim.key}": it is claimed twice`, { kind: 'load', reason: 'PathClaimedTwice' })
    if (claim.key === paths.directory || claim.key.startsWith(`${paths.directory}/`))
      throw new AgentError(`manage "${claim.key}": it belongs to the agent`, { kind: 'validate', reason: 'PathNotAllowed' })
  }
  refuseBehindLinks(claims)
}

/** It would be a second spelling of a path, and get around what paths are compared for. */
function refuseBehindLinks(claims: Managed['claims']): void {
  const links = claims.filter(({ kind }) => kind === 'link').map(({ key }) => `${key}/`)
  const behind = claims.find(({ key }) => links.some((link) => key.startsWith(link)))
  if (behind === undefined) return
  throw new AgentError(
    `manage "${behind.key}": it is behind a link that is managed, too; name the place that the link leads to`,
    {
      kind: 'load',
      reason: 'PathNotAllowed',
    },
  )
}

/** What the kubelet reads when it is started next would count unproved, at the next reboot. */
async function refuseReadFiles(
  { files, edits, links, archives, units = [] }: ReadableDocument,
  about: { readonly kinds: Kinds; readonly place: SectionPlace },
): Promise<void> {
  const restartOn = units.flatMap((spec) => spec.restartOn ?? [])
  const plain = await managedByDocument({ files, edits, links, archives }, about)
  for (const { key: path } of plain.claims) {
    const reader = readerOf(path) ?? readByService(path, restartOn)
    if (reader?.kind !== 'refused') continue
    throw new AgentError(`manage "${path}" as a plain file: ${reader.because}; ${reader.remedy}`, {
      kind: 'validate',
      reason: 'PathNotAllowed',
    })
  }
}

function refuseOwnUnit({ units = [] }: ReadableDocument): void {
  if (!units.some(({ name }) => name === AGENT_UNIT)) return
  throw new AgentError(
    `manage "${AGENT_UNIT}": an agent cannot restart itself; write its drop-ins as files, they count when it is started next`,
    { kind: 'validate', reason: 'UnitNotAllowed' },
  )
}

/** It would run until the next reboot, long after its trial, and no node would come back from that. */
function refuseLostKubelet({ units = [] }: ReadableDocument): void {
  if (!units.some((spec) => spec.name === KUBELET_UNIT && (spec.enabled === false || spec.state === 'stopped' || spec.masked)))
    return
  throw new AgentError(`disable, mask or stop "${KUBELET_UNIT}": the node would be lost; take it out of the cluster instead`, {
    kind: 'validate',
    reason: 'UnitNotAllowed',
  })
}

async function kubeletTarget(
  { layout, input }: NonNullable<Blueprint['kubelet']>,
  { baselines, files }: { readonly baselines: Baselines; readonly files: HostFiles },
): Promise<KubeletTarget> {
  const texts: { [side in keyof HostTexts]: Map<string, Uint8Array> } = { local: new Map(), current: new Map() }
  const read = new Set<string>()
  for (let path = unread(); path !== undefined; path = unread()) {
    read.add(path)
    const current = (await files.stat(path))?.type === 'file' ? await files.read(path) : undefined
    const known = baselines.list.find(({ key }) => key === path)
    const before = known === undefined ? current : await baselineContent(known.base, files)
    if (current) texts.current.set(path, current)
    if (before) texts.local.set(path, before)
  }
  return layout.target(input, texts)

  /** What was read last may have named another file. */
  function unread(): string | undefined {
    return layout.reads(input, texts).find((path) => !read.has(path))
  }
}

/** What is restarted for what it reads, though the document names it not, or not for that. */
function restartedUnits(triggers: readonly Trigger[], resources: readonly Resource[]): Resource[] {
  return [...new Set(triggers.map(({ unit: name }) => name))].flatMap((name) => {
    const known = resources.filter(({ subject }) => subject === name).flatMap(({ restartTriggers }) => restartTriggers)
    const read = triggers.filter((trigger) => trigger.unit === name).flatMap(({ subjects }) => subjects)
    const left = read.filter((subject) => !known.includes(subject))
    return left.length === 0 ? [] : [unit.of({ name, restartTriggers: left })]
  })
}

/** Files that the kubelet reads when it starts, since its flags, its configuration or its unit name them: certificates, drop-ins. */
async function namedByKubelet(
  resources: readonly Resource[],
  { kubelet, files }: { readonly kubelet: KubeletTarget | undefined; readonly files: HostFiles },
): Promise<Trigger[]> {
  const others = resources.map(({ subject }) => subject).filter((path) => path.startsWith('/') && readerOf(path) === undefined)
  // Most configurations change nothing else: then the unit of the kubelet need not be looked for.
  const reads = others.length === 0 ? [] : await kubeletReads(kubelet, files)
  const subjects = others.filter((path) => isReadBy(reads, path))
  return subjects.length === 0 ? [] : [{ unit: KUBELET_UNIT, subjects }]
}
