import type { HostFiles } from '../../ports.ts'
import type { Outcome, RunOptions } from '../run-program.ts'

const STATUS = '/var/lib/dpkg/status'
const INFO = '/var/lib/dpkg/info'
/** Of dpkg's own files of a package, those that come out of its archive. */
const CONTROL_FILES = [
  'preinst',
  'postinst',
  'prerm',
  'postrm',
  'config',
  'templates',
  'triggers',
  'shlibs',
  'symbols',
  'md5sums',
]
/** What dpkg adds to the fields of a package. */
const OF_DPKG = ['Status', 'Conffiles', 'Config-Version']

export interface RepackOptions {
  readonly files: HostFiles
  readonly store: string
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Outcome>
  readonly named: (path: string) => string
  /** Paths that the installed version has brought. */
  readonly brought: (name: string) => Promise<readonly string[]>
}

/**
 * Packs the archive of an installed package from its files, for a version that no repository has any more: distributions keep only the
 * newest. Configuration files come with what people wrote into them.
 * @returns where it is; undefined when the package is damaged, so that nothing would be gained by going back to it
 */
export async function repack(
  { name, architecture }: { readonly name: string; readonly architecture: string },
  { files, store, run, named, brought }: RepackOptions,
): Promise<string | undefined> {
  const tree = `${store}/repack`
  await files.removeTree(tree)
  const stanza = stanzaOf(Buffer.from((await files.read(STATUS)) ?? []).toString(), name)
  if (stanza === undefined) return undefined
  const write = (path: string, content: string | Uint8Array, mode = 0o644) =>
    files.writeAtomic(`${tree}/${path}`, Buffer.from(content), { mode })
  await write('root/DEBIAN/control', controlOf(stanza))
  const conffiles = conffilesOf(stanza)
  if (conffiles.length > 0) await write('root/DEBIAN/conffiles', `${conffiles.join('\n')}\n`)
  for (const part of CONTROL_FILES) {
    const bytes = (await files.read(`${INFO}/${name}:${architecture}.${part}`)) ?? (await files.read(`${INFO}/${name}.${part}`))
    if (bytes !== undefined) await write(`root/DEBIAN/${part}`, bytes, SCRIPTS.includes(part) ? 0o755 : 0o644)
  }
  const paths = (await brought(name)).filter((path) => path !== '/.' && !MERGED.includes(path))
  await write('list', paths.map((path) => `.${path}\0`).join(''))
  const tar = ['--no-recursion', '--null', `--files-from=${named(`${tree}/list`)}`, `--file=${named(`${tree}/tree.tar`)}`]
  const steps = [
    ['tar', '--create', `--directory=${named('/')}`, ...tar],
    [
      'tar',
      '--extract',
      '--same-permissions',
      '--same-owner',
      `--directory=${named(`${tree}/root`)}`,
      `--file=${named(`${tree}/tree.tar`)}`,
    ],
    ['chmod', '0755', named(`${tree}/root`), named(`${tree}/root/DEBIAN`)],
    ['dpkg-deb', '-Zgzip', '-z1', '--build', named(`${tree}/root`), named(`${tree}/archive.deb`)],
  ]
  for (const args of steps) if ((await run(args, { timeout: LONGEST })).code !== 0) return undefined
  return `${tree}/archive.deb`
}

const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm', 'config']
/** Milliseconds. */
const LONGEST = 300_000

/** Directories of archives that are links on a host of today: none of the package's. What is not there fails the packing. */
const MERGED = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/libo32']

/** Pure: the lines of a package in dpkg's status. */
export function stanzaOf(status: string, name: string): string | undefined {
  return status.split('\n\n').find((stanza) => stanza.trimStart().split('\n').includes(`Package: ${name}`))
}

/** Pure: without what dpkg added. */
export function controlOf(stanza: string): string {
  let isLeftOut = false
  const lines = stanza.trim().split('\n')
  const kept = lines.filter((line) => {
    if (!/^\s/.test(line)) isLeftOut = OF_DPKG.includes(line.slice(0, line.indexOf(':')))
    return !isLeftOut
  })
  return `${kept.join('\n')}\n`
}

/** Pure: paths of the configuration files; those that the package no longer has are none. */
export function conffilesOf(stanza: string): string[] {
  const [, block = ''] = /^Conffiles:\s*\n((?: .*(?:\n|$))*)/m.exec(stanza) ?? []
  return block.split('\n').flatMap((line) => {
    const [path = '', , mark] = line.trim().split(/\s+/)
    return path === '' || mark === 'obsolete' ? [] : [path]
  })
}
