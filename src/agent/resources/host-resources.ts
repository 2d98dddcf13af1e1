import type { HostDocument, HostFile, HostUnit } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import { dropInFile, unitFile } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { Managed, ManagedFile } from '../state/local.ts'
import { resolveOwner } from './accounts.ts'
import { file } from './file.ts'
import { type Resource, resource } from './resource.ts'
import { unit } from './unit.ts'

/** What the files and units of a host document manage. */
export function managedByDocument({ files = [], units = [] }: HostDocument): Managed {
  const paths = [...files.map(({ path }) => path), ...units.flatMap((spec) => unitTexts(spec).map(([path]) => path))]
  return { files: paths.map((path) => managedFile(path, units)), units: units.filter(setsState).map(({ name }) => name) }
}

function managedFile(path: string, units: readonly HostUnit[]): ManagedFile {
  return { path, restarts: units.filter((spec) => restartPaths(spec).includes(path)).map(({ name }) => name) }
}

export async function documentResources({ files = [], units = [] }: HostDocument, host: HostFiles): Promise<Resource[]> {
  const resources: Resource[] = []
  for (const spec of files) resources.push(await fileResource(spec, host))
  for (const spec of units) resources.push(...unitResources(spec))
  return resources
}

async function fileResource(spec: HostFile, host: HostFiles): Promise<Resource> {
  const { path, mode, state = 'present' } = spec
  if (state === 'absent') return resource(file, { path }, { subject: path })
  const owner = await resolveOwner(host, spec)
  const permissions = mode === undefined ? {} : { mode: Number.parseInt(mode, 8) }
  return resource(file, { path, bytes: bytesOf(spec), ...permissions, ...owner }, { subject: path })
}

function bytesOf({ path, content, contentBase64 }: HostFile): Uint8Array {
  if (content !== undefined) return Buffer.from(content)
  if (contentBase64 !== undefined) return Buffer.from(contentBase64, 'base64')
  throw new AgentError(`write "${path}": the host document gives it no content; add it, or state: absent`, {
    kind: 'load',
    reason: 'MalformedHostDocument',
  })
}

function unitResources(spec: HostUnit): Resource[] {
  const files = unitTexts(spec).map(([path, text]) => resource(file, { path, bytes: Buffer.from(text) }, { subject: path }))
  const running = spec.state === undefined ? undefined : spec.state === 'running'
  const state = resource(
    unit,
    { name: spec.name, enabled: spec.enabled, running },
    { subject: spec.name, restartOn: restartPaths(spec) },
  )
  return [...files, state]
}

function unitTexts({ name, content, dropIns = {} }: HostUnit): [path: string, text: string][] {
  const own: [string, string][] = content === undefined ? [] : [[unitFile(name), content]]
  return [...own, ...Object.entries(dropIns).map(([dropIn, text]): [string, string] => [dropInFile(name, dropIn), text])]
}

function restartPaths(spec: HostUnit): string[] {
  return spec.state === 'stopped' ? [] : [...unitTexts(spec).map(([path]) => path), ...(spec.restartOn ?? [])]
}

function setsState({ enabled, state }: HostUnit): boolean {
  return enabled !== undefined || state !== undefined
}
