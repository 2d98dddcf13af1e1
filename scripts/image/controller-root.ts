/** What the image of the controller, and of every other command, has beside the C library. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import type { Architecture } from './debian-packages.ts'
import { folderEntries } from './folder-entries.ts'
import { glibcEntries, LIBRARY_PACKAGES, libraryEntries } from './glibc.ts'
import { nodePackage } from './node-binary.ts'
import { productionPackages, readLock } from './production-packages.ts'
import { debianComponent, nodeComponent, npmComponent, sbomOf } from './sbom.ts'
import type { TarEntry } from './tar.ts'
import { trackedEntries } from './tracked-entries.ts'

/** Who runs in it; the same as in the Deployment. */
export const USER = 65532

const PASSWD = `root:x:0:0:root:/:/nonexistent\nnodewave:x:${USER}:${USER}:nodewave:/:/nonexistent\n`
const GROUP = `root:x:0:\nnodewave:x:${USER}:\n`
/** Source maps, types, and native parts for another program than Node. */
const UNUSED = /\.map$|\.d\.[cm]?ts$|(^|\/)prebuilds$/

/** Node with its libraries, certificates, users: the same for every version of nodewave with the same Node. */
export async function baseLayer(root: string, architecture: Architecture): Promise<TarEntry[]> {
  const node = nodePackage(root, architecture)
  return [
    ...(await glibcEntries(architecture)),
    ...(await libraryEntries(architecture)),
    { path: 'usr/local/bin/node', mode: 0o755, content: readFileSync(node.binary) },
    text('usr/share/doc/node/LICENSE', readFileSync(node.license, 'utf8')),
    // For programs that look there, and for `--use-openssl-ca`: those that Node trusts by itself.
    text('etc/ssl/certs/ca-certificates.crt', `${getCACertificates('bundled').join('\n')}\n`),
    text('etc/passwd', PASSWD),
    text('etc/group', GROUP),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { path: 'tmp', mode: 0o1777 },
  ]
}

/** The package as npm would install it, in /app, with the list of what the image has. */
export function packageLayer(
  root: string,
  { dist, architecture, version }: { dist: string; architecture: Architecture; version: string },
): TarEntry[] {
  return [
    ...packageEntries(root, dist).map((entry) => ({ ...entry, path: `app/${entry.path}` })),
    text('app/sbom.cdx.json', imageSbom(root, { architecture, version })),
  ]
}

/** The package with what it depends on: it runs wherever Node does. */
export function packageEntries(root: string, dist: string): TarEntry[] {
  const modules = productionPackages(readLock(root))
  const without = (path: string): boolean => path === 'node_modules' || UNUSED.test(path)
  return [
    ...['bin', 'deploy', 'schemas', 'examples'].flatMap((name) => trackedEntries(root, name, name)),
    ...folderEntries(dist, { at: 'dist', without: (path) => path === 'nodewave-agent.mjs' || path === 'sbom.cdx.json' }),
    ...['package.json', 'LICENSE'].map((name) => text(name, readFileSync(join(root, name), 'utf8'))),
    ...modules.flatMap((path) => folderEntries(join(root, path), { at: path, without })),
  ]
}

function imageSbom(root: string, { architecture, version }: { architecture: Architecture; version: string }): string {
  const lock = readLock(root)
  const npm = productionPackages(lock).map((path) =>
    npmComponent(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), lock.packages[path]?.version ?? ''),
  )
  const debian = (['libc6', ...LIBRARY_PACKAGES] as const).map((name) => debianComponent(name, architecture))
  return sbomOf({ name: 'nodewave', version }, [...npm, nodeComponent(nodePackage(root, architecture).version), ...debian])
}

function text(path: string, content: string): TarEntry {
  return { path, mode: 0o644, content: Buffer.from(content) }
}
