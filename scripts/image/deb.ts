/** The agent's folder as a Debian package, without dpkg: an `ar` archive of two tarballs. */
import { gzipSync } from 'node:zlib'
import type { Architecture } from './debian-packages.ts'
import { maintainerScripts } from './package-scripts.ts'
import { type TarEntry, tarOf } from './tar.ts'

export interface DebOptions {
  readonly version: string
  readonly architecture: Architecture
  /** By their places on the host, without a leading slash. */
  readonly files: readonly TarEntry[]
}

export function debPackage({ version, architecture, files }: DebOptions): Buffer {
  const size = files.reduce((sum, entry) => sum + ('content' in entry ? entry.content.length : 0), 0)
  const control = [
    'Package: nodewave-agent',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: nodewave <https://www.npmjs.com/package/nodewave>',
    `Installed-Size: ${Math.ceil(size / 1024)}`,
    'Depends: libc6 (>= 2.28)',
    'Section: admin',
    'Priority: optional',
    'Description: configures this Kubernetes node as its Git repository says',
    ' The agent of nodewave with its own Node.js. It applies what its Node was assigned, and undoes',
    ' what does not prove healthy.',
    '',
  ].join('\n')
  const scripts = Object.entries(maintainerScripts()).map(([path, text]) => ({
    path,
    mode: 0o755,
    content: Buffer.from(text),
  }))
  return arOf([
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', gzipSync(tarOf([...scripts, { path: 'control', mode: 0o644, content: Buffer.from(control) }]))],
    ['data.tar.gz', gzipSync(tarOf(files))],
  ])
}

/** Members of no owner and no time, each at an even offset. */
function arOf(members: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const parts = members.flatMap(([name, content]) => {
    const head = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`
    return [Buffer.from(head), content, Buffer.alloc(content.length % 2, '\n')]
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
