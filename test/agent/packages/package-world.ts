import type { PackageFormat, PackageManager } from '../../../src/agent/package-manager.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import { SimulatedPackages } from '../../../src/sim/host/simulated-packages.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'

/** A host with a package manager, and repositories that come and go. */
export interface PackageWorld extends Disposable {
  readonly packages: PackageManager
  readonly files: HostFiles
  read(path: string): string | undefined
  put(path: string, content: string): void
  /** Where the host looks for the repository of this name. */
  source(name: string): string
  /** As the package manager names it. */
  readonly architecture: string
  /** @returns the file that names the repository to the host */
  offer(name: string, definitions: readonly PackageDefinition[]): string
  withdraw(name: string): void
  /** The host fetches what its repositories have, as a timer makes it do. */
  refresh(): void
  /** Loses all archives that were fetched. */
  forget(): void
  /** Has the manager leave a package at its version, by whatever people use for that with it. */
  lock(name: string, version: string): Promise<void>
  /** Unpacks an archive and goes no further, as when the power fails. */
  interrupt(archive: string): Promise<void>
}

export const simulatedApt = (): Promise<PackageWorld> => simulated('apt')
export const simulatedDnf = (): Promise<PackageWorld> => simulated('dnf')
export const simulatedZypper = (): Promise<PackageWorld> => simulated('zypper')

const SOURCES = {
  apt: (name: string) => `/etc/apt/sources.list.d/${name}.sources`,
  dnf: (name: string) => `/etc/yum.repos.d/${name}.repo`,
  zypper: (name: string) => `/etc/zypp/repos.d/${name}.repo`,
} as const

async function simulated(manager: PackageFormat['manager']): Promise<PackageWorld> {
  const files = new MemoryFiles()
  const packages = new SimulatedPackages(files, { clock: new VirtualClock(), isOffline: () => false, manager })
  const url = (name: string): string => `https://${name}.test/`
  return {
    packages,
    files,
    read: (path) => files.text(path),
    put: (path, content) => files.put(path, content),
    offer: (name, definitions) => {
      packages.offers.set(url(name), definitions)
      return manager === 'apt' ? `Types: deb\nURIs: ${url(name)}\nSuites: ./\n` : `[${name}]\nbaseurl=${url(name)}\n`
    },
    source: SOURCES[manager],
    architecture: manager === 'apt' ? 'amd64' : 'x86_64',
    withdraw: (name) => void packages.offers.delete(url(name)),
    refresh: () => {},
    forget: () => {
      for (const path of Object.keys(files.snapshot())) if (path.startsWith(packages.store)) void files.remove(path)
    },
    lock: (name) => packages.hold(name, true),
    interrupt: async (archive) => {
      packages.faults.interrupted = true
      await packages.apply({ install: [archive], remove: [] }).catch(() => {})
      packages.faults.interrupted = false
    },
    [Symbol.dispose]: () => {},
  }
}
