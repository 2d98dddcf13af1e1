import type { PackageWish, PackageWork } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'

/** What dnf is to do at once: packages by name, by name and version, or by the path of an archive. */
export type DnfWork = PackageWork

export function workOf(wishes: readonly PackageWish[], stored: ReadonlyMap<string, string>): DnfWork {
  const present = wishes.filter(({ state }) => state === 'present')
  return {
    install: present.map(({ name, version }) => stored.get(name) ?? (version === undefined ? name : `${name}-${version}`)),
    remove: wishes.filter(({ state }) => state === 'absent').map(({ name }) => name),
  }
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
