/** The agent's folder as a package of rpm, by nfpm. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import type { Architecture } from './debian-packages.ts'
import { maintainerScripts, PACKAGE_FOLDER } from './package-scripts.ts'
import type { TarEntry } from './tar.ts'

export interface RpmOptions {
  readonly version: string
  readonly architecture: Architecture
  /** By their places on the host, without a leading slash. */
  readonly files: readonly TarEntry[]
  /** The program. */
  readonly nfpm: string
  /** File of an armored OpenPGP key without passphrase; absent: the package is not signed. */
  readonly signKey?: string | undefined
}

/** A package that is not signed is the same each time. */
const NO_TIME = new Date('2026-01-01T00:00:00Z')

/** Writes it to `path`. */
export function writeRpm(path: string, { version, architecture, files, nfpm, signKey }: RpmOptions): void {
  const folder = mkdtempSync(join(tmpdir(), 'nodewave-rpm-'))
  try {
    for (const entry of files) writeEntry(join(folder, 'root'), entry)
    for (const [name, text] of Object.entries(rpmScripts())) writeFileSync(join(folder, name), text)
    const config = {
      name: 'nodewave-agent',
      arch: architecture,
      platform: 'linux',
      version,
      release: '1',
      maintainer: 'nodewave <https://www.npmjs.com/package/nodewave>',
      license: 'Apache-2.0',
      description: 'configures this Kubernetes node as its Git repository says',
      mtime: NO_TIME.toISOString(),
      depends: ['glibc >= 2.28'],
      contents: [{ src: join(folder, 'root', PACKAGE_FOLDER), dst: `/${PACKAGE_FOLDER}`, type: 'tree' }],
      scripts: { postinstall: join(folder, 'postinst'), preremove: join(folder, 'prerm') },
      rpm: { buildhost: 'nodewave', ...(signKey === undefined ? {} : { signature: { key_file: signKey } }) },
    }
    writeFileSync(join(folder, 'nfpm.yaml'), stringify(config))
    execFileSync(nfpm, ['package', '--config', join(folder, 'nfpm.yaml'), '--packager', 'rpm', '--target', path], {
      stdio: 'pipe',
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Rpm says how many versions there are afterwards, where dpkg names what it does. */
export function rpmScripts(): Readonly<Record<'postinst' | 'prerm', string>> {
  const { postinst, prerm } = maintainerScripts()
  const begin = (script: string, lines: string): string => script.replace('#!/bin/sh\n', `#!/bin/sh\n${lines}`)
  return {
    postinst: begin(postinst, 'set -- configure\n'),
    prerm: begin(prerm, '[ "$1" = 0 ] || exit 0\nset -- remove\n'),
  }
}

function writeEntry(root: string, entry: TarEntry): void {
  const path = join(root, entry.path)
  mkdirSync(dirname(path), { recursive: true })
  if ('target' in entry) symlinkSync(entry.target, path)
  else if ('content' in entry) {
    writeFileSync(path, entry.content, { mode: entry.mode })
    utimesSync(path, NO_TIME, NO_TIME)
  } else mkdirSync(path, { recursive: true })
}
