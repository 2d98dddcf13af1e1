import { readEnvironmentFile } from '../../protocol/environment-file.ts'
import type { HostFiles } from '../ports.ts'
import type { Local, LocalFile, Managed } from '../state/local.ts'
import { kubeletEnvironment } from './kubelet-environment.ts'
import { original } from './original.ts'
import { type Resource, resource } from './resource.ts'
import { unit } from './unit.ts'

/** What goes back to how the machine had it: everything that was managed and is not named any more. */
export async function localResources(
  { files, units }: Local,
  { managed, host }: { readonly managed: Managed; readonly host: HostFiles },
): Promise<Resource[]> {
  const resources: Resource[] = []
  const left = files.filter(({ path }) => !managed.files.some((file) => file.path === path))
  for (const file of left) resources.push(await originalOf(file, host))
  for (const name of new Set(left.flatMap(({ restarts }) => restarts))) resources.push(restartOf(name, left))
  for (const { unit: name, enabled, running } of units)
    if (!managed.units.includes(name)) resources.push(resource(unit, { name, enabled, running }, { subject: name }))
  return resources
}

async function originalOf(file: LocalFile, host: HostFiles): Promise<Resource> {
  const { path, variables, saved, directories } = file
  if (variables === undefined) return resource(original, file, { subject: path })
  const bytes = saved && (await host.read(saved.at))
  const before = readEnvironmentFile(bytes ?? new Uint8Array())
  const values = Object.fromEntries(variables.map((name) => [name, before.get(name)]))
  return resource(kubeletEnvironment, { path, variables: values, original: bytes, directories }, { subject: path })
}

function restartOf(name: string, files: readonly LocalFile[]): Resource {
  const restartOn = files.filter(({ restarts }) => restarts.includes(name)).map(({ path }) => path)
  return resource(unit, { name }, { subject: name, restartOn })
}
