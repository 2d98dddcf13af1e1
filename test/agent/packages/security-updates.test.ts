import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { aptSecurityUpdates, parseSecurityUpdates } from '../../../src/agent/adapters/apt/security-updates.ts'
import { dnf5SecurityUpdates, dnfSecurityUpdates } from '../../../src/agent/adapters/dnf/security-updates.ts'
import { runProgram } from '../../../src/agent/adapters/run-program.ts'
import { hasApt } from './real-apt.ts'
import { closeWorkshop, hasDnf, hasDnf5, realDnf, realDnf5 } from './real-rpm.ts'

const APT_OUTPUT = `NOTE: This is only a simulation!
Inst libssl3 [3.0.11-1~deb12u2] (3.0.17-1~deb12u3 Debian-Security:12/stable-security [amd64])
Inst libc6:i386 [2.36-9] (2.36-9+deb12u13 Debian-Security:12/stable-security [i386]) []
Inst curl [7.81.0-1ubuntu1.14] (7.81.0-1ubuntu1.21 Ubuntu:22.04/jammy-updates, Ubuntu:22.04/jammy-security [amd64])
Inst tzdata [2024a-0+deb12u1] (2025b-0+deb12u1 Debian:12.11/stable [all])
Inst linux-image-6.1.0-40-amd64 (6.1.153-1 Debian-Security:12/stable-security [amd64])
Conf libssl3 (3.0.17-1~deb12u3 Debian-Security:12/stable-security [amd64])
`

test('security updates of apt are those of suites for security, of what is installed', () => {
  expect(parseSecurityUpdates(APT_OUTPUT)).toEqual([
    { name: 'libssl3', architecture: 'amd64', from: '3.0.11-1~deb12u2', to: '3.0.17-1~deb12u3' },
    { name: 'libc6', architecture: 'i386', from: '2.36-9', to: '2.36-9+deb12u13' },
    { name: 'curl', architecture: 'amd64', from: '7.81.0-1ubuntu1.14', to: '7.81.0-1ubuntu1.21' },
  ])
})

const answering = (code: number, stdout: string, stderr = '') => ({
  run: async () => ({ code, stdout, stderr, timedOut: false }),
})

test('security updates of apt cannot be told when no list is of a suite for security, or apt complains', async () => {
  const unknown =
    "E: The value '/-security$/' is invalid for APT::Default-Release as such a release is not available in the sources\n"
  await expect(aptSecurityUpdates(answering(100, '', unknown))).rejects.toThrow('no package list of this host is of a suite')
  await expect(aptSecurityUpdates(answering(100, '', 'E: dpkg was interrupted\n'))).rejects.toThrow(
    'ask apt for security updates: dpkg was interrupted',
  )
})

const DNF_OUTPUT = `Dependencies resolved.
================================================================================
 Package        Arch       Version                 Repository              Size
================================================================================
Upgrading:
 openssl-libs   x86_64     1:3.2.2-6.el9_5.1       baseos                 2.2 M
Installing dependencies:
 new-lib        x86_64     1.0-1                   baseos                  10 k

Transaction Summary
================================================================================
Upgrade  1 Package

Operation aborted.
`

test('security updates of dnf are the packages that an upgrade of advisories replaces', async () => {
  expect(await dnfSecurityUpdates(answering(1, DNF_OUTPUT, 'Operation aborted.\n'))).toEqual([
    { name: 'openssl-libs', architecture: 'x86_64', to: '1:3.2.2-6.el9_5.1' },
  ])
  expect(await dnfSecurityUpdates(answering(0, 'Nothing to do.\nComplete!\n'))).toEqual([])
  await expect(dnfSecurityUpdates(answering(1, '', 'Error: Cache-only enabled but no cache\n'))).rejects.toThrow(
    'ask dnf for security updates: Cache-only enabled but no cache',
  )
})

/** This machine's apt on a database of its own, with two suites: the one for security has no newest version. */
test.runIf(hasApt)(
  'real apt offers the version of the suite for security, also of what is held, where another suite has a newer one',
  async () => {
    const base = mkdtempSync(join(tmpdir(), 'nodewave-security-'))
    const put = (path: string, text: string) => {
      mkdirSync(join(base, path, '..'), { recursive: true })
      writeFileSync(join(base, path), text)
    }
    try {
      const installed = (name: string, want = 'install') =>
        `Package: ${name}\nStatus: ${want} ok installed\nMaintainer: a <a@b>\nArchitecture: amd64\nVersion: 1.0-1\nDescription: x\n\n`
      put('root/var/lib/dpkg/status', installed('tool') + installed('other') + installed('kept', 'hold'))
      const sources: string[] = []
      for (const [suite, packages] of Object.entries(SUITES)) {
        const of = ([name, version]: readonly string[]) =>
          `Package: ${name}\nVersion: ${version}\nArchitecture: amd64\nMaintainer: a <a@b>\nFilename: ./${name}.deb\nSize: 1\nSHA256: ${'0'.repeat(64)}\nDescription: x\n\n`
        put(`${suite}/Packages`, packages.map(of).join(''))
        const release = [
          '-o',
          `APT::FTPArchive::Release::Suite=${suite}`,
          '-o',
          'APT::FTPArchive::Release::Label=Debian-Security',
        ]
        put(`${suite}/Release`, execFileSync('apt-ftparchive', [...release, 'release', join(base, suite)]).toString())
        sources.push(`Types: deb\nURIs: file:${join(base, suite)}\nSuites: ./\nTrusted: yes\n`)
      }
      put('root/etc/apt/sources.list.d/test.sources', sources.join('\n'))
      for (const path of [
        'var/lib/apt/lists/partial',
        'var/cache/apt/archives/partial',
        'etc/apt/preferences.d',
        'etc/apt/apt.conf.d',
      ])
        mkdirSync(join(base, 'root', path), { recursive: true })
      const root = join(base, 'root')
      const options = [
        `Dir=${root}`,
        `Dir::State::status=${root}/var/lib/dpkg/status`,
        'Dir::Etc::main=/dev/null',
        'APT::Sandbox::User=root',
      ]
      const settings = options.flatMap((option) => ['-o', option])
      await runProgram('apt-get', [...settings, 'update'])

      expect(await aptSecurityUpdates({ run: runProgram, settings })).toEqual([
        { name: 'kept', architecture: 'amd64', from: '1.0-1', to: '1.0-2' },
        { name: 'tool', architecture: 'amd64', from: '1.0-1', to: '1.0-2' },
      ])
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  },
)

const SUITES = {
  'stable-security': [
    ['tool', '1.0-2'],
    ['kept', '1.0-2'],
    ['absent', '1.0-2'],
  ],
  'stable-updates': [
    ['tool', '2.0-1'],
    ['other', '2.0-1'],
  ],
}

afterAll(closeWorkshop)

const ADVISORY = `<?xml version="1.0" encoding="UTF-8"?>
<updates><update from="a@b" status="final" type="security" version="1"><id>TEST-1</id><title>tool</title><issued date="2026-01-01 00:00:00"/>
<severity>Important</severity><references/><pkglist><collection short="c"><name>c</name>
<package name="tool" version="1.1" release="1" epoch="0" arch="x86_64"><filename>tool-1.1-1.x86_64.rpm</filename></package>
</collection></pkglist></update></updates>
`

describe.each([
  ['dnf', hasDnf, realDnf, dnfSecurityUpdates],
  ['dnf5', hasDnf5, realDnf5, dnf5SecurityUpdates],
] as const)('real %s', (_, isThere, make, ask) => {
  test.runIf(isThere)('offers what an advisory names, and not what is only newer', { timeout: 120_000 }, async () => {
    using world = await make()
    const versions = (name: string) =>
      ['1.0-1', '1.1-1'].map((version) => ({ name, version, files: { [`/usr/bin/${name}`]: version } }))
    world.put(world.source('stable'), world.offer('stable', [...versions('tool'), ...versions('lib')]))
    world.advise('stable', ADVISORY)
    const wishes = ['tool', 'lib'].map((name) => ({ name, version: '1.0-1', state: 'present' as const }))
    const steps = await world.packages.resolve(wishes, { upcoming: new Map() })
    const install: string[] = []
    for (const { name, architecture, to = '' } of steps)
      install.push((await world.packages.fetch({ name, architecture, version: to })) ?? '')
    await world.packages.apply({ install, remove: [] })
    await world.packages.hold('tool', true)
    world.refresh()

    expect(await ask({ run: world.run, settings: ['--releasever=1'] })).toEqual([
      { name: 'tool', architecture: 'x86_64', to: '1.1-1' },
    ])
    expect(await world.packages.installed('tool')).toMatchObject({ version: '1.0-1' })
  })
})
