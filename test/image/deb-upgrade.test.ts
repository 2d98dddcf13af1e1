/** By the real dpkg, in a directory that stands for a host on which no systemd runs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { debPackage } from '../../scripts/image/deb.ts'
import { maintainerScripts, PACKAGE_FOLDER } from '../../scripts/image/package-scripts.ts'

const directory = mkdtempSync(join(tmpdir(), 'nodewave-dpkg-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const hasDpkg = spawnSync('dpkg', ['--version']).status === 0

function packageOf(version: string): string {
  const file = (name: string, content: string, mode = 0o644) => ({
    path: `${PACKAGE_FOLDER}/${name}`,
    mode,
    content: Buffer.from(content),
  })
  const files = [
    file('node', `node of ${version}`, 0o755),
    file('nodewave-agent.mjs', `agent ${version}`),
    file('nodewave-agent.service', `unit of ${version}`),
  ]
  const path = join(directory, `${version}.deb`)
  writeFileSync(path, debPackage({ version, architecture: 'amd64', files }))
  return path
}

/** A host with the database of dpkg and nothing else. */
function newHost() {
  const root = mkdtempSync(join(directory, 'host-'))
  mkdirSync(join(root, 'var/lib/dpkg/updates'), { recursive: true })
  writeFileSync(join(root, 'var/lib/dpkg/status'), '')
  const forced = ['not-root', 'script-chrootless', 'architecture', 'depends', 'bad-path'].map((name) => `--force-${name}`)
  return {
    dpkg: (...args: readonly string[]): void =>
      void execFileSync('dpkg', [`--root=${root}`, `--log=${join(root, 'var/lib/dpkg/log')}`, ...forced, ...args], {
        stdio: 'pipe',
      }),
    /** What the unit starts. */
    running: (name = 'node'): string => readFileSync(join(root, 'opt/nodewave/current', name), 'utf8'),
    versions: (): string[] => readdirSync(join(root, 'opt/nodewave')).sort(),
    link: (path: string): string => readlinkSync(join(root, path)),
    unit: (): string => readFileSync(join(root, 'etc/systemd/system/nodewave-agent.service'), 'utf8'),
    /** Without dpkg's own, and without directories that others have, too. */
    files: (): string[] =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(root.length + 1) }))
        .filter(({ entry, path }) => !path.startsWith('var/') && (!entry.isDirectory() || path.includes('nodewave')))
        .map(({ path }) => path),
  }
}

test.runIf(hasDpkg)('a newer package leaves the version that runs in place when it is unpacked and not configured', () => {
  const host = newHost()
  host.dpkg('--install', packageOf('1.0.0'))
  expect([host.running(), host.unit()]).toEqual(['node of 1.0.0', 'unit of 1.0.0'])
  expect(host.link('etc/systemd/system/multi-user.target.wants/nodewave-agent.service')).toBe(
    '/etc/systemd/system/nodewave-agent.service',
  )

  host.dpkg('--unpack', packageOf('1.1.0'))
  expect([host.running(), host.running('nodewave-agent.mjs')]).toEqual(['node of 1.0.0', 'agent 1.0.0'])

  host.dpkg('--configure', '--pending')
  expect([host.running(), host.unit()]).toEqual(['node of 1.1.0', 'unit of 1.1.0'])
})

test.runIf(hasDpkg)('a package keeps the version before beside its own, and no older one', () => {
  const host = newHost()
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) host.dpkg('--install', packageOf(version))
  expect(host.versions()).toEqual(['1.1.0', '1.2.0', 'current'])
})

test.runIf(hasDpkg)('a package leaves nothing when it is removed', () => {
  const host = newHost()
  for (const version of ['1.0.0', '1.1.0']) host.dpkg('--install', packageOf(version))
  host.dpkg('--remove', 'nodewave-agent')
  expect(host.files()).toEqual([])
})

test('a package installs and uninstalls by the commands of the agent when systemd runs', () => {
  const { postinst, prerm } = maintainerScripts('1.2.3')
  expect(postinst).toContain('"$package/nodewave-agent" install --host=/ || [ $? -eq 1 ]')
  expect(prerm).toContain('/usr/lib/nodewave-agent/nodewave-agent uninstall')
})
