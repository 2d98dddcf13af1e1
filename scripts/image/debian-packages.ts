/**
 * The Debian packages that images are made of, by version and checksum: the same commit makes the same image, today and in a year.
 * `node scripts/image/lock-debian-packages.ts` writes the newest ones into debian-packages.json.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export type Architecture = 'amd64' | 'arm64'

export interface DebianPackage {
  /** Name of the release. */
  readonly suite: string
  readonly name: string
  readonly version: string
  readonly architecture: Architecture | 'all'
  /** Below the mirror. */
  readonly path: string
  readonly sha256: string
}

export type PackageName = 'libc6' | 'libgcc-s1' | 'libstdc++6' | 'libatomic1' | 'coreutils' | 'patchelf' | 'qemu-user-static'

export const lockFile = join(import.meta.dirname, 'debian-packages.json')
const mirror = process.env.NODEWAVE_DEBIAN_MIRROR ?? 'http://deb.debian.org/debian'
/** Of downloads. */
export function cacheFolder(): string {
  return process.env.NODEWAVE_IMAGE_CACHE ?? join(homedir(), '.cache', 'nodewave-image')
}

export interface DebianLock {
  /** When they were the newest, as snapshot.debian.org counts. */
  readonly taken: string
  readonly packages: readonly DebianPackage[]
}

function readDebianLock(): DebianLock {
  return JSON.parse(readFileSync(lockFile, 'utf8'))
}

export function lockedPackage(name: PackageName, architecture: Architecture): DebianPackage {
  const found = readDebianLock().packages.find((each) => each.name === name && [architecture, 'all'].includes(each.architecture))
  if (found === undefined) throw new Error(`find Debian package "${name}" for ${architecture}: ${lockFile} does not have it`)
  return found
}

/**
 * The folder of what is in a package; downloaded when the cache does not have it.
 * @param only the one file of it that is wanted, such as `./usr/bin/x`. Default: all
 */
export async function unpackedPackage(name: PackageName, architecture: Architecture, only?: string): Promise<string> {
  const locked = lockedPackage(name, architecture)
  const folder = join(cacheFolder(), `${name}-${architecture}-${locked.sha256.slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  const archive = `${partial}.deb`
  writeFileSync(archive, await downloaded(locked))
  const tar = ['tar', '--extract', '--directory', partial, ...(only === undefined ? [] : [only])]
  execFileSync('sh', ['-c', 'archive=$1; shift; dpkg-deb --fsys-tarfile "$archive" | "$@"', 'sh', archive, ...tar], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  rmSync(archive)
  if (existsSync(folder)) rmSync(partial, { recursive: true })
  else renameSync(partial, folder)
  return folder
}

/** A mirror drops a version some weeks after its successor; the archive of all that Debian ever published keeps it. */
async function downloaded({ name, path, sha256 }: DebianPackage): Promise<Buffer> {
  const file = path.slice(path.lastIndexOf('/') + 1)
  const places = [`${mirror}/${path}`, `https://snapshot.debian.org/archive/debian/${readDebianLock().taken}/${path}`]
  const failures: string[] = []
  for (const url of places) {
    const content = await fetched(url).catch((error: Error) => void failures.push(`${url}: ${error.message}`))
    if (content && createHash('sha256').update(content).digest('hex') === sha256) return content
    if (content) failures.push(`${url}: is another file, its SHA-256 is not ${sha256}`)
  }
  throw new Error(`download package "${name}" (${file}):\n${failures.join('\n')}`)
}

async function fetched(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(120_000) })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}
