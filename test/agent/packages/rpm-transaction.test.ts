import { expect, test } from 'vitest'
import { RpmDatabase } from '../../../src/agent/adapters/rpm/rpm-database.ts'
import type { RpmFront } from '../../../src/agent/adapters/rpm/rpm-front.ts'
import { RpmTransaction } from '../../../src/agent/adapters/rpm/rpm-transaction.ts'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'
import { PACKAGE_FORMATS } from '../../../src/agent/package-manager.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const ARCHIVE = '/store/tool_1.1-1_x86_64.rpm'
const outcome = (stdout: string): Outcome => ({ code: 0, stdout, stderr: '', timedOut: false })

const front: Pick<RpmFront, 'lock' | 'reasonFiles' | 'automatic' | 'format' | 'command' | 'textOf'> = {
  format: PACKAGE_FORMATS.dnf,
  lock: { path: '/var/lib/dnf/rpmdb_lock.pid', names: /^dnf/ },
  reasonFiles: [],
  automatic: async () => new Set(),
  command: async () => ['dnf-3', ['shell', '/store/dnf-script']],
  textOf: ({ stdout, stderr }) => `${stderr}\n${stdout}`,
}

/** A database of one package, and programs that answer as rpm 4.18 and dnf 4.14 do. */
class Rpm {
  version: string | undefined = '1.0-1'
  installedAt = 1000
  /** What a change prints; it installs the archive unless it says otherwise. */
  behave: () => string = () => {
    this.install()
    return 'Complete!\n'
  }
  readonly changes: string[] = []
  readonly database: RpmDatabase
  readonly transaction: RpmTransaction

  constructor() {
    const files = new MemoryFiles()
    files.put(ARCHIVE, 'archive')
    const look = async (program: string, args: readonly string[]): Promise<Outcome> => {
      if (args[0] === '-qp') return outcome('tool\t1.1-1\tx86_64\n')
      if (args[1] === '--whatprovides') return outcome('no package provides kernel\n')
      const line = this.version === undefined ? '' : `tool\t${this.version}\tx86_64\t${this.installedAt}\ttool.src.rpm\n`
      return outcome(program === 'rpm' ? line : '')
    }
    this.database = new RpmDatabase({ place: (path) => `/nowhere${path}`, run: look, front: () => front })
    this.transaction = new RpmTransaction({
      files,
      database: this.database,
      front,
      look,
      record: '/record.json',
      runOutside: async (program, args) => {
        this.changes.push([program, ...args].join(' '))
        return outcome(this.behave())
      },
    })
  }

  install(): void {
    this.version = '1.1-1'
    this.installedAt = Math.floor(Date.now() / 1000)
  }

  apply(): Promise<void> {
    return this.transaction.apply({ install: [ARCHIVE], remove: [] })
  }
}

test('transaction that ends well leaves nothing open', async () => {
  const rpm = new Rpm()
  await rpm.apply()

  expect(rpm.changes).toEqual(['dnf-3 shell /store/dnf-script'])
  expect(await rpm.transaction.open()).toEqual([])
})

test('transaction that was interrupted before rpm was done with a package is open, and rpm writes the package once more', async () => {
  const rpm = new Rpm()
  rpm.behave = () => {
    throw new Error('the machine stopped')
  }
  await expect(rpm.apply()).rejects.toThrow('the machine stopped')
  expect(await rpm.transaction.open()).toMatchObject([{ name: 'tool', version: '1.1-1', archive: ARCHIVE }])
  rpm.behave = () => {
    rpm.install()
    return ''
  }
  await rpm.transaction.repair()

  expect(rpm.changes.at(-1)).toBe(`rpm -U --replacepkgs --oldpackage --nodeps -- ${ARCHIVE}`)
  expect(await rpm.transaction.open()).toEqual([])
})

test('transaction that installs as many packages as it removes is one run of dnf, and open when it is interrupted', async () => {
  const rpm = new Rpm()
  rpm.behave = () => {
    throw new Error('the machine stopped')
  }
  await expect(rpm.transaction.apply({ install: [ARCHIVE], remove: ['old'] })).rejects.toThrow('the machine stopped')

  expect(rpm.changes).toEqual(['dnf-3 shell /store/dnf-script'])
  expect(await rpm.transaction.open()).toMatchObject([{ name: 'tool', version: '1.1-1' }])
})

test('package that rpm had entered when it was killed is open: nobody knows whether its scripts have run', async () => {
  const rpm = new Rpm()
  rpm.behave = () => {
    rpm.install()
    rpm.installedAt += 5
    throw new Error('the machine stopped')
  }
  await rpm.apply().catch(() => {})
  rpm.database.forget()

  expect(await rpm.transaction.open()).toMatchObject([{ name: 'tool', version: '1.1-1' }])
})

test('package that somebody installed after an interruption is open no longer', async () => {
  const rpm = new Rpm()
  rpm.behave = () => {
    throw new Error('the machine stopped')
  }
  await rpm.apply().catch(() => {})
  rpm.installedAt = Math.floor(Date.now() / 1000) + 3600
  rpm.database.forget()

  expect(await rpm.transaction.open()).toHaveLength(0)
})

test('dnf that leaves a package as it was, and says that all is complete, has failed', async () => {
  const rpm = new Rpm()
  rpm.behave = () => 'error: unpacking of archive failed: cpio: write\nComplete!\n'

  await expect(rpm.apply()).rejects.toMatchObject({
    reason: 'PackageFailed',
    message: expect.stringContaining('"tool": error: unpacking of archive failed: cpio: write'),
  })
  expect(await rpm.transaction.open()).toHaveLength(1)
})

test('package whose script failed is in its version, and open', async () => {
  const rpm = new Rpm()
  rpm.behave = () => {
    rpm.install()
    return 'Error in POSTIN scriptlet in rpm package tool\nComplete!\n'
  }

  await expect(rpm.apply()).rejects.toMatchObject({ reason: 'PackageFailed' })
  expect(await rpm.transaction.open()).toMatchObject([{ name: 'tool' }])
})

test('version that is there already is written by rpm: dnf would find nothing to do', async () => {
  const rpm = new Rpm()
  rpm.version = '1.1-1'
  await rpm.apply()

  expect(rpm.changes).toEqual([`rpm -U --replacepkgs --oldpackage --nodeps -- ${ARCHIVE}`])
})

test('rpm that cannot have its lock is busy', async () => {
  const rpm = new Rpm()
  rpm.behave = () => "RPM: error: can't create transaction lock on /var/lib/rpm/.rpm.lock (Resource temporarily unavailable)\n"

  await expect(rpm.apply()).rejects.toMatchObject({ kind: 'sync', reason: 'PackageManagerBusy' })
})
