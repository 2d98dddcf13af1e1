/** By the real dpkg, in a directory that stands for a host on which no systemd runs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bundleAgent } from '../../scripts/bundle-agent.ts'
import { debPackage } from '../../scripts/image/deb.ts'
import { maintainerScripts, PACKAGE_FOLDER } from '../../scripts/image/package-scripts.ts'
import { VERSION } from '../../src/protocol/version.ts'

const directory = mkdtempSync(join(tmpdir(), 'nodewave-dpkg-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const bundle = readFileSync(await bundleAgent(join(directory, 'bundle')), 'utf8')
const hasDpkg = spawnSync('dpkg', ['--version']).status === 0

function packageOf(version: string): string {
  const file = (name: string, content: string, mode = 0o644) => ({
    path: `${PACKAGE_FOLDER}/${name}`,
    mode,
    content: Buffer.from(content),
  })
  const files = [
    file('node', `node of ${version}`, 0o755),
    file('nodewave-agent', `#!/bin/sh\nexec ${process.execPath} "\${0%/*}/nodewave-agent.mjs" "$@"\n`, 0o755),
    file('nodewave-agent.mjs', bundle.replaceAll(`"${VERSION}"`, `"${version}"`)),
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
    /** What the agent that the unit starts says of itself. */
    version: (): string =>
      execFileSync(join(root, 'opt/nodewave/current/nodewave-agent'), ['--version'], { encoding: 'utf8' }).trim(),
    versions: (): string[] => readdirSync(join(root, 'opt/nodewave')).sort(),
    root,
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
  expect([host.running(), host.version()]).toEqual(['node of 1.0.0', '1.0.0'])

  host.dpkg('--configure', '--pending')
  expect([host.running(), host.unit()]).toEqual(['node of 1.1.0', 'unit of 1.1.0'])
})

test.runIf(hasDpkg)('a package keeps the version before beside its own, and no older one', () => {
  const host = newHost()
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) host.dpkg('--install', packageOf(version))
  expect(host.versions()).toEqual(['1.1.0', '1.2.0', 'current', 'previous'])
  expect([host.version(), host.link('opt/nodewave/previous')]).toEqual(['1.2.0', '1.1.0'])
})

test.runIf(hasDpkg)('a package leaves nothing when it is removed', () => {
  const host = newHost()
  for (const version of ['1.0.0', '1.1.0']) host.dpkg('--install', packageOf(version))
  host.dpkg('--remove', 'nodewave-agent')
  expect(host.files()).toEqual([])
})

test('a package installs and uninstalls by the commands of the agent when systemd runs', () => {
  const { postinst, prerm } = maintainerScripts()
  expect(postinst).toContain('"$agent" install --host=/ || [ $? -eq 1 ]')
  expect(prerm).toContain('"$agent" uninstall\n')
})

test.runIf(hasDpkg)('a package changes nothing, and names it, where something else than a link is called current', () => {
  const host = newHost()
  mkdirSync(join(host.root, 'opt/nodewave/current'), { recursive: true })
  writeFileSync(join(host.root, 'opt/nodewave/current/theirs'), 'theirs')

  expect(() => host.dpkg('--install', packageOf('1.0.0'))).toThrow('"/opt/nodewave/current" is not a link')
  expect(readFileSync(join(host.root, 'opt/nodewave/current/theirs'), 'utf8')).toBe('theirs')
})

test.runIf(hasDpkg)('a package leaves what links lead out to when it is installed, upgraded and removed', () => {
  const host = newHost()
  mkdirSync(join(host.root, 'opt/nodewave/notes'), { recursive: true })
  mkdirSync(join(host.root, 'srv/theirs'), { recursive: true })
  writeFileSync(join(host.root, 'srv/theirs/nodewave-agent.mjs'), 'theirs')
  symlinkSync('..', join(host.root, 'opt/nodewave/previous'))
  symlinkSync('../../srv/theirs', join(host.root, 'opt/nodewave/0.9.0'))
  for (const version of ['1.0.0', '1.1.0']) host.dpkg('--install', packageOf(version))
  host.dpkg('--remove', 'nodewave-agent')

  expect(readFileSync(join(host.root, 'srv/theirs/nodewave-agent.mjs'), 'utf8')).toBe('theirs')
  expect(host.versions()).toEqual(['0.9.0', 'notes'])
})

test.runIf(hasDpkg)('a package refuses the folder of another program that has the name of its version', () => {
  const host = newHost()
  mkdirSync(join(host.root, 'opt/nodewave/1.0.0'), { recursive: true })
  writeFileSync(join(host.root, 'opt/nodewave/1.0.0/program'), 'theirs')

  expect(() => host.dpkg('--install', packageOf('1.0.0'))).toThrow('is no folder of the agent; move it away')
  expect(host.versions()).toEqual(['1.0.0'])
})

test.runIf(hasDpkg)('a package stays while the agent manages the host that its image was made of', () => {
  const host = newHost()
  host.dpkg('--install', packageOf('1.0.0'))
  mkdirSync(join(host.root, 'var/lib/nodewave/meta'), { recursive: true, mode: 0o700 })
  writeFileSync(join(host.root, 'var/lib/nodewave/meta/active'), 'v1:0123\n')

  expect(() => host.dpkg('--remove', 'nodewave-agent')).toThrow('it still manages this host')
  expect(host.version()).toBe('1.0.0')
})
