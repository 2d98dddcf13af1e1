import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { aptPackages } from '../../../src/agent/adapters/apt/apt.ts'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import { runProgram } from '../../../src/agent/adapters/run-program.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import type { PackageWorld } from './package-world.ts'

const PROGRAMS = ['apt-get', 'apt-ftparchive', 'dpkg-deb']
export const hasApt = PROGRAMS.every((name) => existsSync(`/usr/bin/${name}`)) && process.getuid?.() === 0

/** This machine's apt and dpkg, on a database of their own below a temporary directory: scripts of packages run outside of it. */
export async function realApt(): Promise<PackageWorld> {
  const base = await mkdtemp(join(tmpdir(), 'nodewave-apt-'))
  const root = join(base, 'root')
  for (const directory of [
    'var/lib/dpkg/info',
    'var/lib/dpkg/updates',
    'var/lib/dpkg/triggers',
    'var/log/apt',
    'etc/apt/sources.list.d',
    'etc/apt/preferences.d',
    'etc/apt/apt.conf.d',
    'etc/apt/trusted.gpg.d',
    'var/cache/apt/archives/partial',
    'var/lib/apt/lists/partial',
  ])
    mkdirSync(join(root, directory), { recursive: true })
  put(join(root, 'var/lib/dpkg/status'), '')
  const named = (path: string): string => join(root, path)
  const dpkg = [`--root=${root}`, '--force-script-chrootless', '--force-unsafe-io']
  const settings = {
    dpkg,
    apt: [
      '-o',
      `Dir=${root}`,
      '-o',
      `Dir::State::status=${named('/var/lib/dpkg/status')}`,
      '-o',
      'Dir::Bin::dpkg=/usr/bin/dpkg',
      '-o',
      'Dir::Etc::main=/dev/null',
      ...dpkg.flatMap((option) => ['-o', `Dpkg::Options::=${option}`]),
    ],
  }
  const files = nodeFiles(new HostTree(root, { own: '/var/lib/nodewave' }))
  const packages = aptPackages({
    files,
    store: '/var/lib/nodewave/packages',
    run: runProgram,
    runOutside: runProgram,
    place: named,
    named,
    settings,
  })
  return {
    packages,
    files,
    read: (path) => (existsSync(named(path)) ? readFileSync(named(path), 'utf8') : undefined),
    put: (path, content) => put(named(path), content),
    offer: (name, definitions) => {
      const directory = join(base, name)
      cpSync(repositoryOf(definitions), directory, { recursive: true })
      return `Types: deb\nURIs: file:${directory}\nSuites: ./\nTrusted: yes\n`
    },
    source: (name) => `/etc/apt/sources.list.d/${name}.sources`,
    architecture: 'amd64',
    withdraw: (name) => rmSync(join(base, name), { recursive: true, force: true }),
    refresh: () => {},
    forget: () => rmSync(named('/var/lib/nodewave/packages'), { recursive: true, force: true }),
    lock: async (name) => {
      execFileSync('dpkg', [...dpkg, '--set-selections'], { input: `${name} hold\n` })
    },
    interrupt: async (archive) => {
      execFileSync('dpkg', [...dpkg, '--unpack', named(archive)], { stdio: 'ignore' })
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** Made once for all tests: packing takes longer than installing. */
const repositories = new Map<string, string>()

function repositoryOf(definitions: readonly PackageDefinition[]): string {
  const key = JSON.stringify(definitions)
  const known = repositories.get(key)
  if (known !== undefined) return known
  const base = mkdtempSync(join(tmpdir(), 'nodewave-repository-'))
  process.once('exit', () => rmSync(base, { recursive: true, force: true }))
  const directory = join(base, 'repository')
  for (const definition of definitions) build(definition, { base, directory })
  const silent: ExecFileSyncOptions = { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] }
  put(join(directory, 'Packages'), execFileSync('dpkg-scanpackages', ['-m', '.'], silent).toString())
  put(join(directory, 'Release'), execFileSync('apt-ftparchive', ['release', '.'], silent).toString())
  repositories.set(key, directory)
  return directory
}

function put(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}

function build(
  { name, version, depends = [], files = {}, conffiles = [], script }: PackageDefinition,
  { base, directory }: { readonly base: string; readonly directory: string },
): void {
  const tree = join(base, `tree-${name}-${version}`)
  const needs = depends.map((need) => need.replace(/ (.*)$/, ' (>= $1)')).join(', ')
  const fields = [
    `Package: ${name}`,
    `Version: ${version}`,
    'Architecture: amd64',
    'Maintainer: a <a@b>',
    'Description: x',
    ...(needs && [`Depends: ${needs}`]),
  ]
  put(join(tree, 'DEBIAN/control'), `${fields.join('\n')}\n`)
  if (conffiles.length > 0) put(join(tree, 'DEBIAN/conffiles'), `${conffiles.join('\n')}\n`)
  if (script === 'kills dpkg') put(join(tree, 'DEBIAN/preinst'), '#!/bin/sh\nkill -9 $PPID\n', 0o755)
  if (script === 'fails') put(join(tree, 'DEBIAN/postinst'), '#!/bin/sh\nexit 1\n', 0o755)
  for (const [path, text] of Object.entries(files)) put(join(tree, path), text)
  mkdirSync(directory, { recursive: true })
  execFileSync('dpkg-deb', ['-Znone', '--root-owner-group', '-b', tree, join(directory, `${name}_${version}_amd64.deb`)], {
    stdio: 'ignore',
  })
}
