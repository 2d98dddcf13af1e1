import type { InstalledPackage } from '../../package-manager.ts'
import type { PackagedFile } from '../packages/unedited-files.ts'

/** Of every package that dpkg knows, and is more than the configuration files of one that was removed. */
export interface DpkgStatus {
  readonly packages: ReadonlyMap<string, Omit<InstalledPackage, 'automatic'>>
  /** Some package is half installed, or not configured. */
  readonly isIncomplete: boolean
}

/** Pure: reads /var/lib/dpkg/status. Of a package of several architectures the first counts, which is the machine's own. */
export function parseDpkgStatus(text: string): DpkgStatus {
  const packages = new Map<string, Omit<InstalledPackage, 'automatic'>>()
  for (const stanza of text.split('\n\n')) {
    const name = fieldOf(stanza, 'Package')
    const [wanted, , state = ''] = fieldOf(stanza, 'Status').split(' ')
    if (name === '' || GONE.includes(state) || packages.has(name)) continue
    packages.set(name, {
      version: fieldOf(stanza, 'Version'),
      architecture: fieldOf(stanza, 'Architecture'),
      held: wanted === 'hold',
      complete: state === 'installed',
    })
  }
  return { packages, isIncomplete: [...packages.values()].some(({ complete }) => !complete) }
}

const GONE: readonly string[] = ['', 'not-installed', 'config-files']

/** Pure: reads /var/lib/apt/extended_states. @returns names of packages that came because others need them. */
export function parseAutomatic(text: string): ReadonlySet<string> {
  const stanzas = text.split('\n\n').filter((stanza) => fieldOf(stanza, 'Auto-Installed') === '1')
  return new Set(stanzas.map((stanza) => fieldOf(stanza, 'Package')))
}

/** Pure: reads /var/lib/dpkg/status. @returns configuration files as packages brought them */
export function parseConfigurationFiles(text: string): PackagedFile[] {
  const lists = [...text.matchAll(/^Conffiles:\n((?: .*(?:\n|$))+)/gm)].map(([, list = '']) => list)
  const lines = lists.flatMap((list) => [...list.matchAll(/^ (\/.*?) ([0-9a-f]{32})(?: .*)?$/gm)])
  return lines.map(([, path = '', digest = '']) => ({ path, digest }))
}

function fieldOf(stanza: string, name: string): string {
  const start = stanza.startsWith(`${name}: `) ? 0 : stanza.indexOf(`\n${name}: `) + 1
  if (start === 0 && !stanza.startsWith(`${name}: `)) return ''
  const end = stanza.indexOf('\n', start)
  return stanza.slice(start + name.length + 2, end < 0 ? undefined : end).trim()
}
