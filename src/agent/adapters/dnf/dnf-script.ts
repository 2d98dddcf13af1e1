import type { PackageWish, PackageWork } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { nevra, packageName } from '../rpm/package-key.ts'
import { versionsAfter } from '../rpm/planned.ts'
import type { RpmDatabase } from '../rpm/rpm-database.ts'

/** What dnf is to do at once: packages by name, by name and version, or by the path of an archive. */
export type DnfWork = PackageWork

export async function workOf(
  wishes: readonly PackageWish[],
  { stored, database }: { readonly stored: ReadonlyMap<string, string>; readonly database: RpmDatabase },
): Promise<DnfWork> {
  const install: string[] = []
  const remove = new Set<string>()
  for (const wish of wishes) {
    const newer = await versionsAfter(wish, database)
    for (const part of newer) remove.add(nevra(part))
    if (wish.state === 'absent') remove.add(await soleName(wish.name, database))
    else if (newer.length === 0) install.push(stored.get(wish.name) ?? wordOf(wish))
  }
  return { install, remove: [...remove] }
}

/** dnf takes a name without an architecture for all of them. */
export async function soleName(name: string, database: RpmDatabase): Promise<string> {
  const found = await database.find(name)
  return found === undefined ? name : `${packageName(name)}.${found.architecture}`
}

/** The architecture comes last. */
function wordOf({ name, version }: PackageWish): string {
  if (version === undefined) return name
  const own = packageName(name)
  return `${own}-${version}${name.slice(own.length)}`
}

/** Writes a script for `dnf shell`. Archives have to be in the first line, and all in one. @returns its path */
export async function scriptOf(
  { install, remove }: DnfWork,
  { files, store }: { readonly files: HostFiles; readonly store: string },
): Promise<string> {
  const path = `${store}/dnf-script`
  const lines = [
    ...(install.length > 0 ? [`install ${install.join(' ')}`] : []),
    ...(remove.length > 0 ? [`remove ${remove.join(' ')}`] : []),
  ]
  await files.writeAtomic(path, Buffer.from([...lines, 'run', ''].join('\n')), { mode: 0o600 })
  return path
}
