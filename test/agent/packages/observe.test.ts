import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aptPackages } from '../../../src/agent/adapters/apt/apt.ts'
import { dnf5Front, dnfFront } from '../../../src/agent/adapters/dnf/dnf.ts'
import { type RpmOptions, rpmPackages } from '../../../src/agent/adapters/rpm/rpm-packages.ts'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'
import { zypperFront } from '../../../src/agent/adapters/zypper/zypper.ts'
import type { PackageManager } from '../../../src/agent/package-manager.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const DPKG = 'Package: tool\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.0-1\n\n'

/** A host whose databases are files of a directory, and programs that are counted. */
function counted(make: (options: Omit<RpmOptions, 'settings'>) => PackageManager) {
  const root = mkdtempSync(join(tmpdir(), 'nodewave-observe-'))
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('/var/lib/dpkg/status', DPKG)
  put('/var/lib/rpm/rpmdb.sqlite', 'database')
  const started: string[] = []
  const run = async (program: string, args: readonly string[]): Promise<Outcome> => {
    started.push(program)
    const stdout = args[0] === '-qa' ? 'tool\t1.0-1\tx86_64\t1000\ttool-1.0-1.src.rpm\n' : ''
    return { code: 0, stdout, stderr: '', timedOut: false }
  }
  const place = (path: string): string => join(root, path)
  const packages = make({ files: new MemoryFiles(), store: '/store', run, runOutside: run, place })
  return { packages, started, put, [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}

test.each([
  ['apt', aptPackages, []],
  ['dnf 4', (options) => rpmPackages(dnfFront, options), ['rpm', 'dnf-3', 'rpm']],
  ['dnf 5', (options) => rpmPackages(dnf5Front, options), ['rpm', 'rpm']],
  ['zypper', (options) => rpmPackages(zypperFront, options), ['rpm', 'rpm']],
] as const satisfies readonly (readonly [string, Parameters<typeof counted>[0], readonly string[]])[])(
  'looks at sixty packages of %s start programs once for each state of the database, at most',
  async (_, make, programs) => {
    using host = counted(make)
    const look = async (): Promise<void> => {
      for (let count = 0; count < 60; count++) await host.packages.installed('tool')
    }
    await look()
    expect(await host.packages.installed('tool')).toMatchObject({ version: '1.0-1', held: false, complete: true })
    await look()
    expect(host.started).toEqual(programs)

    host.put('/var/lib/rpm/rpmdb.sqlite', 'another database')
    await look()
    expect(host.started).toEqual([...programs, ...programs])
  },
)
