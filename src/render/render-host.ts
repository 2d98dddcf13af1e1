import { byText } from '../protocol/by-text.ts'
import type { DriftRules } from '../protocol/drift-policy.ts'
import type { HostDocument, HostFile } from '../protocol/host-document.ts'
import { moduleName } from '../protocol/kernel-sections.ts'
import type { NodeSettings } from '../protocol/node-settings.ts'
import { own } from '../protocol/own.ts'
import type { HostStaticPod } from '../protocol/static-pods.ts'
import { sysctlPath } from '../protocol/sysctl-name.ts'
import { sysctlWords } from '../protocol/sysctl-rules.ts'
import type { HostCertificate } from '../protocol/system-sections.ts'
import { filledText } from '../repo/clusters/fill-variables.ts'
import type { FleetModel } from '../repo/model.ts'
import type { HostFileSpec, HostProfileSpec } from '../repo/schema/host-profile.ts'
import type { StaticPodSpec } from '../repo/schema/static-pods.ts'
import type { CertificateSpec } from '../repo/schema/system-settings.ts'
import { readStaticPod } from '../repo/static-pod-manifest.ts'
import { type Layer, type LayerSubject, named } from './layers.ts'
import { renderEdits } from './render-edits.ts'
import { kubeletInstall, profileRepositories, releaseRepositories } from './render-install.ts'

type PackageSpec = NonNullable<HostProfileSpec['packages']>[number]
type UnitSpec = NonNullable<HostProfileSpec['units']>[number]

/** The files of the pool's HostProfiles in their order, then those of overrides. */
export function fileLayers(model: FleetModel, { pool, overrides }: LayerSubject): Layer<HostFileSpec>[] {
  const docs = [...named(model.hostProfiles, pool.spec.hostProfiles), ...overrides]
  return docs.flatMap((doc) => (doc.spec.files ?? []).map((value, index) => ({ doc, path: ['files', index], value })))
}

export function unitLayers(model: FleetModel, { pool }: LayerSubject): Layer<UnitSpec>[] {
  return named(model.hostProfiles, pool.spec.hostProfiles).flatMap((doc) =>
    (doc.spec.units ?? []).map((value, index) => ({ doc, path: ['units', index], value })),
  )
}

export function packageLayers(model: FleetModel, { pool }: LayerSubject): Layer<PackageSpec>[] {
  return named(model.hostProfiles, pool.spec.hostProfiles).flatMap((doc) =>
    (doc.spec.packages ?? []).map((value, index) => ({ doc, path: ['packages', index], value })),
  )
}

export function sysctlLayers(
  model: FleetModel,
  { pool, overrides }: LayerSubject,
): Layer<{ readonly name: string; readonly value: string }>[] {
  return [...named(model.hostProfiles, pool.spec.hostProfiles), ...overrides].flatMap((doc) =>
    Object.entries(doc.spec.sysctls ?? {}).map(([name, value]) => ({
      doc,
      path: ['sysctls', name],
      value: { name, value: sysctlWords(String(value)) },
    })),
  )
}

/** How the kubelet is installed and everything around it; the same for all nodes of the subject. */
export function renderHostDocument(model: FleetModel, subject: LayerSubject): HostDocument {
  const profiles = named(model.hostProfiles, subject.pool.spec.hostProfiles).map((doc) => doc.spec)
  const files = new Map(fileLayers(model, subject).map(({ value }) => [value.path, hostFile(model, value)]))
  const units = new Map(unitLayers(model, subject).map(({ value }) => [value.name, value]))
  return {
    kubelet: kubeletInstall(model, subject),
    ...filled('files', [...files.values()]),
    ...filled(
      'edits',
      renderEdits([...collect(profiles, 'edits'), ...subject.overrides.flatMap(({ spec }) => spec.edits ?? [])]),
    ),
    ...filled('directories', collect(profiles, 'directories')),
    ...filled('links', collect(profiles, 'links')),
    ...filled('archives', collect(profiles, 'archives')),
    ...nodeObject(subject),
    ...filled('groups', collect(profiles, 'groups')),
    ...filled('users', collect(profiles, 'users')),
    ...filled('units', [...units.values()]),
    ...filled('repositories', [...releaseRepositories(model, subject), ...profileRepositories(model, profiles)]),
    ...filled('packages', collect(profiles, 'packages')),
    ...driftOf(model, subject),
    ...steps(profiles),
    ...filled('rebootOn', [...new Set(collect(profiles, 'rebootOn'))].sort()),
    ...filled('kernelModules', [...new Set(collect(profiles, 'kernelModules').map(moduleName))].sort()),
    ...filled('kernelArguments', [...new Set(collect(profiles, 'kernelArguments'))]),
    ...sysctls(model, subject),
    ...(profiles.some((profile) => profile.swap === 'off') ? { swap: 'off' } : {}),
    ...filled(
      'certificates',
      collect(profiles, 'certificates').map((spec) => certificate(model, spec)),
    ),
    ...filled(
      'staticPods',
      collect(profiles, 'staticPods').map((spec) => staticPod(model, spec)),
    ),
    ...(profiles.some((profile) => profile.time) ? { time: Object.assign({}, ...profiles.map((profile) => profile.time)) } : {}),
  }
}

/** In the order of the profiles; each once. */
function steps(profiles: readonly HostProfileSpec[]): Pick<HostDocument, 'steps'> {
  const named = (when: 'before' | 'after') => [...new Set(profiles.flatMap((profile) => profile.steps?.[when] ?? []))]
  const [before, after] = [named('before'), named('after')]
  if (before.length === 0 && after.length === 0) return {}
  return { steps: { ...(before.length > 0 && { before }), ...(after.length > 0 && { after }) } }
}

function nodeObject({ pool: { spec } }: LayerSubject): Pick<HostDocument, 'node'> {
  return spec.node === undefined || Object.keys(spec.node).length === 0 ? {} : { node: spec.node }
}

/** What the controller keeps on the Node objects of a pool, and what it does about changes of others. The same for all its nodes. */
export function nodeObjectOf(model: FleetModel, pool: LayerSubject['pool']): { settings: NodeSettings; drift: DriftRules } {
  const subject = { pool, overrides: [] }
  return { settings: nodeObject(subject).node ?? {}, drift: driftOf(model, subject).drift ?? {} }
}

/** The pool's word wins over the Fleet's, kind by kind. */
function driftOf({ fleet }: FleetModel, { pool }: LayerSubject): Pick<HostDocument, 'drift'> {
  const kinds = { ...fleet.spec.drift?.kinds, ...pool.spec.drift?.kinds }
  const stated = { ...fleet.spec.drift, ...pool.spec.drift, ...(Object.keys(kinds).length > 0 && { kinds }) }
  return Object.keys(stated).length === 0 ? {} : { drift: stated }
}

function certificate(model: FleetModel, { name, content, from = '' }: CertificateSpec): HostCertificate {
  return { name, content: content ?? Buffer.from(model.attachments.get(from) ?? []).toString() }
}

function staticPod(model: FleetModel, { path, content, from = '', readyTimeout = READY_TIMEOUT }: StaticPodSpec): HostStaticPod {
  const { text, ...pod } = readStaticPod(content ?? Buffer.from(model.attachments.get(from) ?? []).toString(), path)
  return { path, ...pod, content: text, readySeconds: Math.ceil(readyTimeout / 1000) }
}

/** Milliseconds: an image may have to be pulled. */
const READY_TIMEOUT = 120_000

/** The file with its content in it, but for a secret; templates of nodes are not filled in. */
export function hostFile(model: FleetModel, { from, contentFrom, template, ...file }: HostFileSpec): HostFile {
  if (contentFrom) return { mode: SECRET_MODE, ...file, secret: true }
  if (from === undefined) return file
  const { content, ...bytes } = contentOf(model.attachments.get(from) ?? new Uint8Array())
  if (content === undefined) return { ...file, ...bytes }
  return { ...file, content: template ? withVariables(model, content) : content }
}

/** Documents have the values already. */
function withVariables({ cluster }: FleetModel, text: string): string {
  if (cluster === undefined) return text
  const { name, spec } = cluster
  return filledText(text, (variable) => (variable === 'name' ? name : own(spec.variables ?? {}, variable)))
}

/** Nobody else on the host is to read it, unless the profile says so. */
const SECRET_MODE = '0600'

export function contentOf(bytes: Uint8Array): Pick<HostFile, 'content' | 'contentBase64'> {
  try {
    return { content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { contentBase64: Buffer.from(bytes).toString('base64') }
  }
}

/** By name: their order in the repository makes no other content. */
function sysctls(model: FleetModel, subject: LayerSubject): Pick<HostDocument, 'sysctls'> {
  // One setting has two spellings.
  const last = new Map(sysctlLayers(model, subject).map(({ value }) => [sysctlPath(value.name), value]))
  const all = [...last.values()].map(({ name, value }): [string, string] => [name, value])
  return all.length === 0 ? {} : { sysctls: Object.fromEntries(all.sort(byText(([key]) => key))) }
}

type ListKey =
  | 'kernelArguments'
  | 'certificates'
  | 'staticPods'
  | 'repositories'
  | 'packages'
  | 'edits'
  | 'directories'
  | 'links'
  | 'archives'
  | 'groups'
  | 'users'
  | 'kernelModules'
  | 'rebootOn'

function collect<Key extends ListKey>(
  profiles: readonly HostProfileSpec[],
  key: Key,
): NonNullable<HostProfileSpec[Key]>[number][] {
  return profiles.flatMap((profile) => (profile[key] ?? []) as NonNullable<HostProfileSpec[Key]>[number][])
}

function filled<Key extends keyof HostDocument, Item>(key: Key, items: Item[]): { [K in Key]?: Item[] } {
  return (items.length === 0 ? {} : { [key]: items }) as { [K in Key]?: Item[] }
}
