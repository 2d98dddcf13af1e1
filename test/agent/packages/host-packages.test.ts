import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { hostPackages, programOf } from '../../../src/agent/adapters/packages/host-packages.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const DPKG = '/var/lib/dpkg/info/dpkg.list'
const STATUS = '/var/lib/dpkg/status'
const RPM = '/var/lib/rpm/rpmdb.sqlite'
const NEWER = '/usr/lib/sysimage/rpm/rpmdb.sqlite'
const DNF = '/usr/bin/dnf-3'
const DNF5 = '/usr/bin/dnf5'
const ZYPPER = '/usr/bin/zypper'
const PRODUCT = '/etc/products.d/baseproduct'

test.each([
  ['Debian', [DPKG, STATUS], 'apt'],
  ['Debian with dnf and rpm', [DPKG, STATUS, RPM, DNF], 'apt'],
  ['a distribution of rpm', [RPM, DNF], 'dnf'],
  ['a newer one, which has dpkg installed by rpm', [NEWER, DNF, STATUS], 'dnf'],
  ['a newer one with dnf 5', [NEWER, DNF5], 'dnf5'],
  ['one that has dnf 5 beside dnf 4', [RPM, DNF, DNF5], 'dnf'],
  ['CentOS 7, which has yum 3', [RPM, '/usr/bin/yum'], 'apt'],
  ['SUSE', [NEWER, ZYPPER, PRODUCT], 'zypper'],
  ['SUSE with dnf', [NEWER, ZYPPER, PRODUCT, DNF], 'zypper'],
  ['Fedora with zypper', [NEWER, ZYPPER, DNF], 'dnf'],
  ['Debian with zypper and rpm', [DPKG, STATUS, RPM, ZYPPER], 'apt'],
  ['a host without packages', [], 'apt'],
])('packages of %s are managed as there', (_, paths, manager) => {
  using host = hostWith(paths)
  expect(programOf(host.place)).toBe(manager)
})

test('dnf 4 and dnf 5 are both there, and the one that is called dnf manages the packages', () => {
  using host = hostWith([NEWER, DNF, DNF5])
  symlinkSync('dnf5', host.place('/usr/bin/dnf'))
  expect(programOf(host.place)).toBe('dnf5')
})

test('a host that has yum 3 alone says that it is not supported', async () => {
  using host = hostWith([RPM, '/usr/bin/yum'])
  const packages = hostPackages({ files: new MemoryFiles(), root: host.place('/'), stateDirectory: '/var/lib/nodewave' })
  await expect(packages.installed('kubelet')).rejects.toMatchObject({
    reason: 'NoPackageManager',
    message: expect.stringContaining('yum 3 is not supported'),
  })
})

function hostWith(paths: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'nodewave-manager-'))
  const place = (path: string): string => join(root, path)
  for (const path of paths) {
    mkdirSync(dirname(place(path)), { recursive: true })
    writeFileSync(place(path), '')
  }
  return { place, [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}
