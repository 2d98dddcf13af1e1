import type { HostRepository } from '../../protocol/host-document.ts'
import { aptSourcesFile, dnfKeyFile, dnfRepositoryFile } from '../../protocol/names.ts'
import type { PackageFormat } from '../package-manager.ts'

export interface RepositoryFile {
  readonly path: string
  readonly text: string
  /** Who reads it. */
  readonly manager: PackageFormat['manager']
}

/** Pure: the files that make a repository known to the package manager of its kind. */
export function filesOf({ name, apt, dnf }: HostRepository): RepositoryFile[] {
  const sources = apt && { path: aptSourcesFile(name), text: deb822(apt), manager: 'apt' as const }
  if (sources !== undefined || dnf === undefined) return sources === undefined ? [] : [sources]
  return [
    { path: dnfKeyFile(name), text: `${dnf.key.trimEnd()}\n`, manager: 'dnf' },
    { path: dnfRepositoryFile(name), text: yumRepository(name, dnf), manager: 'dnf' },
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

/** Pure: a section of yum.conf(5). A repository that does not answer is an error, and not a repository without packages. */
export function yumRepository(name: string, { url }: NonNullable<HostRepository['dnf']>): string {
  return [
    '# Written by nodewave; changes are undone.',
    `[nodewave-${name}]`,
    `name=${name}, managed by nodewave`,
    `baseurl=${url}`,
    'enabled=1',
    'gpgcheck=1',
    `gpgkey=file://${dnfKeyFile(name)}`,
    'skip_if_unavailable=0',
    '',
  ].join('\n')
}
