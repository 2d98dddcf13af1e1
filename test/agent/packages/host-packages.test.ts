import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { managerOf } from '../../../src/agent/adapters/packages/host-packages.ts'

const DPKG = '/var/lib/dpkg/info/dpkg.list'
const STATUS = '/var/lib/dpkg/status'
const RPM = '/var/lib/rpm/rpmdb.sqlite'
const NEWER = '/usr/lib/sysimage/rpm/rpmdb.sqlite'
const DNF = '/usr/bin/dnf-3'

test.each([
  ['Debian', [DPKG, STATUS], 'apt'],
  ['Debian with dnf and rpm', [DPKG, STATUS, RPM, DNF], 'apt'],
  ['a distribution of rpm', [RPM, DNF], 'dnf'],
  ['a newer one, which has dpkg installed by rpm', [NEWER, DNF, STATUS], 'dnf'],
  ['one that has no dnf 4', [RPM], 'apt'],
  ['a host without packages', [], 'apt'],
])('packages of %s are managed as there', (_, paths, manager) => {
  const root = mkdtempSync(join(tmpdir(), 'nodewave-manager-'))
  try {
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), '')
    }
    expect(managerOf((path) => join(root, path))).toBe(manager)
  } finally {
    rmSync(root, { recursive: true })
  }
})
