import { globSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Architecture, type PackageName, unpackedPackage } from './debian-packages.ts'
import type { TarEntry } from './tar.ts'

interface Wanted {
  readonly name: PackageName
  /** Patterns of files, below the root. */
  readonly files: readonly string[]
}

/** The C library and its loader; names are looked up by the two nss libraries. */
const GLIBC: Wanted = {
  name: 'libc6',
  files: [
    'lib64/ld-linux-*.so.*',
    'lib/ld-linux-*.so.*',
    'lib/*-linux-gnu/{ld-linux-*,libc,libm,libdl,libpthread,librt,libresolv,libnss_dns,libnss_files}.so.*',
  ],
}
const LIBRARIES: readonly Wanted[] = [
  { name: 'libstdc++6', files: ['usr/lib/*/libstdc++.so.6'] },
  { name: 'libgcc-s1', files: ['lib/*/libgcc_s.so.1'] },
  { name: 'libatomic1', files: ['usr/lib/*/libatomic.so.1'] },
]
const COREUTILS: Wanted = { name: 'coreutils', files: ['usr/sbin/chroot', 'bin/sleep'] }

/** What every program of an image needs. */
export const glibcEntries = (architecture: Architecture): Promise<TarEntry[]> => filesOf([GLIBC], architecture)

/** What Node needs besides, where the loader finds it. */
export const libraryEntries = (architecture: Architecture): Promise<TarEntry[]> => filesOf(LIBRARIES, architecture)

/** To enter the file system of a host, and to wait. */
export const coreutilsEntries = (architecture: Architecture): Promise<TarEntry[]> => filesOf([COREUTILS], architecture)

export const LIBRARY_PACKAGES: readonly PackageName[] = LIBRARIES.map(({ name }) => name)

/** With the licence of each package. Links are followed: a library is one file by the name that programs ask for. */
async function filesOf(wanted: readonly Wanted[], architecture: Architecture): Promise<TarEntry[]> {
  const entries: TarEntry[] = []
  for (const { name, files } of wanted) {
    const root = await unpackedPackage(name, architecture)
    for (const path of [...files, `usr/share/doc/${name}/copyright`].flatMap((pattern) => globSync(pattern, { cwd: root })))
      entries.push({ path, mode: path.endsWith('copyright') ? 0o644 : 0o755, content: readFileSync(linked(root, path)) })
  }
  return entries
}

/** A package may name a file by an absolute link, which is meant below its own root. */
function linked(root: string, path: string): string {
  const place = join(root, path)
  if (!lstatSync(place).isSymbolicLink()) return place
  const target = readlinkSync(place)
  return target.startsWith('/') ? join(root, target) : join(dirname(place), target)
}
