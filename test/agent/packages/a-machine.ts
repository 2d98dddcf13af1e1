import type { PackageFormat } from '../../../src/agent/package-manager.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import { Machine, type MachineOptions } from '../support/machine.ts'

export const URL = 'https://packages.test/stable/'
export type Manager = PackageFormat['manager']

export const SOURCES = '/etc/apt/sources.list.d/nodewave-stable.sources'
const KEY = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----\n'

const offers: readonly PackageDefinition[] = [
  {
    name: 'tool',
    version: '1.0',
    files: { '/usr/bin/tool': 'tool 1.0', '/etc/tool.conf': 'one' },
    conffiles: ['/etc/tool.conf'],
  },
  {
    name: 'tool',
    version: '1.1',
    files: { '/usr/bin/tool': 'tool 1.1', '/etc/tool.conf': 'two' },
    conffiles: ['/etc/tool.conf'],
  },
  { name: 'lib', version: '1.0', files: { '/usr/lib/lib.so': 'lib 1.0' } },
  { name: 'lib', version: '2.0', files: { '/usr/lib/lib.so': 'lib 2.0' } },
  { name: 'app', version: '1.0', depends: ['lib'], files: { '/usr/bin/app': 'app 1.0' } },
  { name: 'app', version: '2.0', depends: ['lib 2.0'], files: { '/usr/bin/app': 'app 2.0' } },
  { name: 'broken', version: '1.0', files: { '/usr/bin/broken': 'broken' }, script: 'fails' },
]

/** With a repository that its agent can reach, and does not know yet. */
export function aMachine(packageManager: Manager = 'apt', more: MachineOptions = {}): Machine {
  const machine = new Machine({ packageManager, ...more })
  machine.host.packages.offers.set(URL, offers)
  return machine
}

export function offered(name: string, version: string): PackageDefinition {
  const found = offers.find((offer) => offer.name === name && offer.version === version)
  if (found === undefined) throw new Error(`offer ${name} ${version}`)
  return found
}

/** A host document with that repository and these packages. */
export function content(packages: readonly object[], more: object = {}, manager: Manager = 'apt'): NodeContent {
  const source = manager === 'apt' ? { apt: { url: URL, suite: '/', key: KEY } } : { [manager]: { url: URL, key: KEY } }
  return { host: JSON.stringify({ repositories: [{ name: 'stable', ...source }], packages, ...more }) }
}

/** Makes a repository known to the host before nodewave comes, as people do. */
export function ownSource(manager: Manager): readonly [path: string, text: string] {
  if (manager === 'apt') return ['/etc/apt/sources.list.d/own.sources', `URIs: ${URL}\n`]
  const directory = manager === 'dnf' ? '/etc/yum.repos.d' : '/etc/zypp/repos.d'
  return [`${directory}/own.repo`, `[own]\nbaseurl=${URL}\n`]
}
