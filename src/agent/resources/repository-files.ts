import type { HostRepository } from '../../protocol/host-document.ts'
import { aptSourcesFile, dnfRepositoryFile, rpmKeyFile, zypperRepositoryFile } from '../../protocol/names.ts'
import type { PackageFormat } from '../package-manager.ts'

type RpmSource = NonNullable<HostRepository['dnf']>

export interface RepositoryFile {
  readonly path: string
  readonly text: string
  /** Who reads it. */
  readonly manager: PackageFormat['manager']
}

/** Pure: the files that make a repository known to the package manager of its kind. */
export function filesOf({ name, apt, dnf, zypper }: HostRepository): RepositoryFile[] {
  if (apt !== undefined) return [{ path: aptSourcesFile(name), text: deb822(apt), manager: 'apt' }]
  if (dnf !== undefined) return rpmFiles(name, dnf, { manager: 'dnf', path: dnfRepositoryFile(name) })
  return zypper === undefined ? [] : rpmFiles(name, zypper, { manager: 'zypper', path: zypperRepositoryFile(name) })
}

function rpmFiles(
  name: string,
  source: RpmSource,
  { manager, path }: { readonly manager: 'dnf' | 'zypper'; readonly path: string },
): RepositoryFile[] {
  return [
    { path: rpmKeyFile(name), text: `${source.key.trimEnd()}\n`, manager },
    { path, text: rpmRepository(name, source, manager), manager },
  ]
}

/** Pure: a source in the format of sources.list(5), with the key in it, which apt reads from version 2.4 on. */
export function deb822({ url, suite, components = [], architectures = [], key }: NonNullable<HostRepository['apt']>): string {
  const optional = (field: string, values: readonly string[]) => (values.length === 0 ? [] : [`${field}: ${values.join(' ')}`])
  return [
    '# Written by nodewave; changes are undone.',
    'Types: deb',
    `URIs: ${url}`,
    `Suites: ${suite}`,
    ...optional('Components', components),
    ...optional('Architectures', architectures),
    'Signed-By:',
    // An empty line would end the entry.
    ...key
      .trimEnd()
      .split('\n')
      .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`)),
    '',
  ].join('\n')
}

/** In its own words. With dnf, a repository that does not answer is an error, and not a repository without packages. */
const MORE = { dnf: 'skip_if_unavailable=0', zypper: 'autorefresh=1' } as const

/** Pure: a section of yum.conf(5), which zypper reads as well. */
function rpmRepository(name: string, { url }: RpmSource, manager: keyof typeof MORE): string {
  return [
    '# Written by nodewave; changes are undone.',
    `[nodewave-${name}]`,
    `name=${name}, managed by nodewave`,
    `baseurl=${url}`,
    'enabled=1',
    'gpgcheck=1',
    `gpgkey=file://${rpmKeyFile(name)}`,
    MORE[manager],
    '',
  ].join('\n')
}
