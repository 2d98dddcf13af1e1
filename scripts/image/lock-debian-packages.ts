/** Writes the newest versions of the Debian packages that images are made of into debian-packages.json. apt checks Debian's signatures. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Architecture, type DebianLock, type DebianPackage, lockFile, type PackageName } from './debian-packages.ts'

const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64']
/**
 * The libraries of the older Debian run with the C library of every host that Node itself runs on; those of a newer one would not.
 * What images alone have is of the newer one.
 */
const SUITES = {
  bullseye: ['libgcc-s1', 'libstdc++6', 'libatomic1'],
  bookworm: ['libc6', 'coreutils', 'patchelf'],
} satisfies Record<string, readonly PackageName[]>

/** Of the machine that tests. */
const EMULATOR = newestPackages(['qemu-user-static'], { architecture: 'amd64', suite: 'bookworm' })

const packages = ARCHITECTURES.flatMap((architecture) =>
  Object.entries(SUITES).flatMap(([suite, names]) => newestPackages(names, { architecture, suite })),
)
const unique = new Map([...packages, ...EMULATOR].map((found) => [`${found.name} ${found.architecture}`, found]))
const taken = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
const lock: DebianLock = { taken, packages: [...unique.values()] }
writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)

/** By an apt that knows nothing of this machine. */
function newestPackages(
  names: readonly PackageName[],
  { architecture, suite }: { readonly architecture: Architecture; readonly suite: string },
): DebianPackage[] {
  const source = `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian ${suite} main\n`
  const folder = mkdtempSync(join(tmpdir(), 'nodewave-apt-'))
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, name), { recursive: true })
  for (const [name, text] of Object.entries({ 'sources.list': source, status: '' })) writeFileSync(join(folder, name), text)
  const settings = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    `Dir::State::lists=${folder}/lists`,
    `Dir::Cache=${folder}`,
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    'Dir::Etc::sourceparts=/dev/null',
    'APT::Sandbox::User=root',
    `Dir::State::status=${folder}/status`,
  ].flatMap((setting) => ['-o', setting])
  execFileSync('apt-get', [...settings, '-qq', 'update'], { stdio: 'inherit' })
  const shown = execFileSync('apt-cache', [...settings, 'show', '--no-all-versions', ...names], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return shown
    .trim()
    .split(/\n\n+/)
    .map((stanza) => ({ suite, ...packageOf(stanza) }))
}

function packageOf(stanza: string): Omit<DebianPackage, 'suite'> {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(stanza)?.[1] ?? ''
  return {
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture') as DebianPackage['architecture'],
    path: field('Filename'),
    sha256: field('SHA256'),
  }
}
