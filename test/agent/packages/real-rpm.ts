import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { dnf5Front, dnfFront } from '../../../src/agent/adapters/dnf/dnf.ts'
import { HostTree } from '../../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../../src/agent/adapters/node-files.ts'
import { rpmPackages } from '../../../src/agent/adapters/rpm/rpm-packages.ts'
import { runProgram } from '../../../src/agent/adapters/run-program.ts'
import { zypperFront } from '../../../src/agent/adapters/zypper/zypper.ts'
import type { PackageDefinition } from '../../../src/sim/host/package-solver.ts'
import { dnf5Directory } from '../../e2e/build/dnf5-root.ts'
import { rpmLayers } from '../../e2e/build/rpm-root.ts'
import type { PackageWorld } from './package-world.ts'

type RpmManager = keyof typeof FRONTS
const layersOf = (manager: RpmManager) => (manager === 'dnf5' ? [dnf5Directory] : rpmLayers(manager))

/** The e2e scenarios `dnf` and `zypper` ask for it, and `node test/e2e/dnf5.ts`, when there is a root with the program in their cache. */
function isAsked(manager: RpmManager): boolean {
  if (process.env.NODEWAVE_RPM !== manager) return false
  const missing = layersOf(manager).find((layer) => !existsSync(layer))
  if (missing === undefined) return true
  throw new Error(`test the real ${manager}: "${missing}" is not there; see docs/testing.md for what makes it`)
}
export const hasDnf = isAsked('dnf')
export const hasDnf5 = isAsked('dnf5')
export const hasZypper = isAsked('zypper')

/** What differs between the programs in front of rpm. */
const FRONTS = {
  dnf: {
    front: dnfFront,
    settings: ['--releasever=1'],
    repositories: '/etc/yum.repos.d',
    more: 'skip_if_unavailable=0\n',
    refresh: ['dnf-3', '--releasever=1', '--disableplugin=local', 'makecache'],
    // As its plugin writes it, which is not in the root.
    lock: (name: string, version: string) => [
      'sh',
      '-c',
      `mkdir -p /etc/dnf/plugins && echo '${name}-0:${version}.*' > /etc/dnf/plugins/versionlock.list`,
    ],
  },
  dnf5: {
    front: dnf5Front,
    settings: ['--releasever=1'],
    repositories: '/etc/yum.repos.d',
    more: 'skip_if_unavailable=0\n',
    refresh: ['dnf5', '--releasever=1', '--assumeyes', 'makecache'],
    lock: (name: string) => ['dnf5', '--releasever=1', '--assumeyes', 'versionlock', 'add', name],
  },
  zypper: {
    front: zypperFront,
    settings: [],
    repositories: '/etc/zypp/repos.d',
    more: '',
    refresh: ['zypper', '--non-interactive', '--no-gpg-checks', 'refresh'],
    lock: (name: string) => ['zypper', '--non-interactive', 'addlock', name],
  },
} as const

/** The key, and the packages that it signs, made once for all tests: that takes longer than installing them. */
interface Workshop {
  readonly root: string
  readonly key: string
}
let workshop: (Workshop & { readonly unmount: () => void }) | undefined
const repositories = new Map<string, string>()

interface RpmWorld extends PackageWorld {
  advise(name: string, updates: string): void
  readonly run: typeof runProgram
}

export const realDnf = (): Promise<RpmWorld> => realRpm('dnf')
export const realDnf5 = (): Promise<RpmWorld> => realRpm('dnf5')
export const realZypper = (): Promise<RpmWorld> => realRpm('zypper')

/** Another one for each test: programs of a distribution, which see nothing of this machine but its kernel. */
async function realRpm(manager: RpmManager): Promise<RpmWorld> {
  const { front, settings, repositories, more, refresh, lock } = FRONTS[manager]
  const { root, unmount } = mounted(manager)
  const named = (path: string): string => join(root, path)
  const files = nodeFiles(new HostTree(root, { own: '/var/lib/nodewave' }))
  const faults = { killed: false }
  const run: typeof runProgram = (program, args, options) => runProgram('chroot', [root, program, ...args], options)
  const runOutside: typeof runProgram = async (program, args, options) => {
    if (!faults.killed) return run(program, args, options)
    throw new Error('the machine stopped')
  }
  const packages = rpmPackages(front, {
    files,
    store: '/var/lib/nodewave/packages',
    run,
    runOutside,
    place: named,
    settings,
  })
  const { key } = furnished(manager)
  const textOf = (name: string): string =>
    `[${name}]\nname=${name}\nbaseurl=file:///srv/${name}\ngpgcheck=1\ngpgkey=file:///etc/pki/rpm-gpg/tests.asc\n${more}`
  put(named('/etc/pki/rpm-gpg/tests.asc'), key)
  return {
    packages,
    files,
    run,
    advise: (name, updates) => {
      put(named(`/srv/${name}.xml`), updates)
      inside(root, ['modifyrepo_c', '--mdtype=updateinfo', `/srv/${name}.xml`, `/srv/${name}/repodata`])
    },
    read: (path) => (existsSync(named(path)) ? readFileSync(named(path), 'utf8') : undefined),
    put: (path, content) => put(named(path), content),
    source: (name) => `${repositories}/${name}.repo`,
    architecture: 'x86_64',
    offer: (name, definitions) => {
      // libzypp links what a repository on the disk has: nothing is to be written into that.
      rmSync(named(`/srv/${name}/repodata`), { recursive: true, force: true })
      cpSync(repositoryOf(manager, definitions), named(`/srv/${name}`), { recursive: true })
      return textOf(name)
    },
    withdraw: (name) => rmSync(named(`/srv/${name}`), { recursive: true, force: true }),
    refresh: () => void inside(root, refresh),
    forget: () => rmSync(named('/var/lib/nodewave/packages'), { recursive: true, force: true }),
    lock: async (name, version) => void inside(root, lock(name, version)),
    // As rpm leaves it when it is killed: the new version is there, and the old one has not gone.
    interrupt: async (archive) => {
      faults.killed = true
      await packages.apply({ install: [archive], remove: [] }).catch(() => {})
      faults.killed = false
      execFileSync('chroot', [root, 'rpm', '-i', '--force', '--nodeps', '--noscripts', archive], { stdio: 'ignore' })
    },
    [Symbol.dispose]: unmount,
  }
}

function mounted(manager: RpmManager): { readonly root: string; readonly unmount: () => void } {
  const base = mkdtempSync(join(tmpdir(), 'nodewave-rpm-'))
  const [upper, work, root] = ['upper', 'work', 'root'].map((name) => join(base, name)) as [string, string, string]
  for (const directory of [upper, work, root]) mkdirSync(directory)
  const layers = `lowerdir=${layersOf(manager).join(':')},upperdir=${upper},workdir=${work}`
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, root])
  execFileSync('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
  const unmount = (): void => {
    // An agent of gpg that libzypp started ends when its directory is gone, and not at once.
    execFileSync('umount', ['--recursive', '--lazy', root])
    rmSync(base, { recursive: true, force: true })
  }
  return { root, unmount }
}

function furnished(manager: RpmManager): Workshop {
  if (workshop !== undefined) return workshop
  const { root, unmount } = mounted(manager)
  const gpg = ['gpg', '--homedir', '/srv/gnupg', '--batch', '--quiet']
  mkdirSync(join(root, 'srv/gnupg'), { mode: 0o700 })
  inside(root, [...gpg, '--passphrase', '', '--quick-generate-key', 'tests <tests@nodewave.example>', 'rsa3072', 'sign', 'never'])
  const key = inside(root, [...gpg, '--armor', '--export'])
  inside(root, ['gpgconf', '--homedir', '/srv/gnupg', '--kill', 'all'])
  workshop = { root, key, unmount }
  return workshop
}

/** Takes away what was made for all tests. */
export function closeWorkshop(): void {
  workshop?.unmount()
  workshop = undefined
  repositories.clear()
}

function repositoryOf(manager: RpmManager, definitions: readonly PackageDefinition[]): string {
  const key = JSON.stringify(definitions)
  const known = repositories.get(key)
  if (known !== undefined) return known
  const { root } = furnished(manager)
  const directory = `/srv/repository-${repositories.size}`
  for (const definition of definitions) build(definition, { root, directory })
  inside(root, ['sh', '-c', `rpmsign --define '_gpg_name tests' --define '_gpg_path /srv/gnupg' --addsign ${directory}/*.rpm`])
  inside(root, ['gpgconf', '--homedir', '/srv/gnupg', '--kill', 'all'])
  inside(root, ['createrepo_c', '--quiet', directory])
  repositories.set(key, join(root, directory))
  return join(root, directory)
}

function build(
  { name, version, depends = [], files = {}, conffiles = [], script, installOnly, architecture }: PackageDefinition,
  { root, directory }: { readonly root: string; readonly directory: string },
): void {
  const [, epoch, number, release] = /^(?:(\d+):)?([^-]+)-(.+)$/.exec(version) ?? []
  const sources = `/srv/sources/${name}-${number}-${release}.${architecture ?? 'x86_64'}`
  const own = installOnly ? `-n ${name}` : ''
  for (const [path, text] of Object.entries(files)) put(join(root, sources, path), text)
  const lines = [
    `Name: ${installOnly ? 'kernels' : name}`,
    `Version: ${number}`,
    `Release: ${release}`,
    ...(epoch === undefined ? [] : [`Epoch: ${epoch}`]),
    'Summary: x',
    'License: x',
    'AutoReqProv: no',
    // Parts of a kernel are built of one source.
    ...(installOnly ? ['%description', 'x', `%package -n ${name}`, 'Summary: x', 'AutoReqProv: no'] : []),
    ...depends.map((need) => `Requires: ${need.includes(' = ') ? need : need.replace(' ', ' >= ')}`),
    ...(installOnly ? ['Provides: installonlypkg(kernel)'] : []),
    `%description ${own}`,
    'x',
    '%install',
    `mkdir -p %{buildroot} && cp -a ${sources}/. %{buildroot}`,
    ...(script === 'fails' ? ['%post -p <lua>', 'error("no")'] : []),
    `%files ${own}`,
    ...Object.keys(files).map((path) => (conffiles.includes(path) ? `%config(noreplace) ${path}` : path)),
  ]
  put(join(root, `${sources}.spec`), `${lines.join('\n')}\n`)
  const defines = [
    `_rpmdir ${directory}`,
    '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm',
    '_binary_payload w1.gzdio',
  ]
  inside(root, [
    'rpmbuild',
    '-bb',
    '--quiet',
    '--target',
    architecture ?? 'x86_64',
    ...defines.flatMap((text) => ['--define', text]),
    `${sources}.spec`,
  ])
}

function inside(root: string, command: readonly string[]): string {
  return execFileSync('chroot', [root, ...command], { stdio: ['ignore', 'pipe', 'ignore'] }).toString()
}

function put(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}
