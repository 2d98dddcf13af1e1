const ID = 20
/** The bits of a mode that say what an entry is. */
const KIND = 0o170000
const KINDS: ReadonlyMap<number, EntryKind> = new Map([
  [0o040000, 'tree'],
  [0o100000, 'file'],
  [0o120000, 'symlink'],
])

export type EntryKind = 'tree' | 'file' | 'symlink' | 'submodule'

export interface TreeEntry {
  readonly kind: EntryKind
  readonly name: string
  readonly id: string
}

/** Files and folders of a fleet; a tree that repeats itself can name billions. */
export const MAX_ENTRIES = 20_000
/** Bytes of a name that are read. Whoever reads a tree refuses shorter ones already. */
const MAX_NAME = 8192

/**
 * The entries of a tree, with modes read as Git reads them: old ones have other bits. Of a tree that has too many, one more than anybody
 * reads: in memory an entry takes six times its bytes. @returns undefined when it is cut off
 */
export function parseTree(content: Buffer): readonly TreeEntry[] | undefined {
  const entries: TreeEntry[] = []
  for (let at = 0; at < content.length && entries.length <= MAX_ENTRIES; ) {
    const space = content.indexOf(' ', at)
    const end = content.indexOf(0, space)
    const next = end + 1 + ID
    if (space === -1 || end === -1 || next > content.length) return undefined
    const mode = content.toString('latin1', at, space)
    if (!/^[0-7]{1,7}$/.test(mode)) return undefined
    entries.push({
      kind: KINDS.get(Number.parseInt(mode, 8) & KIND) ?? 'submodule',
      name: content.toString('utf8', space + 1, Math.min(end, space + 1 + MAX_NAME)),
      id: content.toString('hex', end + 1, next),
    })
    at = next
  }
  return entries
}

/** The first name that leads elsewhere, as those do that Git itself checks out nowhere. */
export function unsafeName(entries: readonly TreeEntry[]): string | undefined {
  return entries.find(({ name }) => name === '' || /[\\/]/.test(name) || /^(\.|\.\.|\.git)$/i.test(name))?.name
}

/** The first name that stands there twice: people would be shown one of the two, and nodes could get the other. */
export function repeatedName(entries: readonly TreeEntry[]): string | undefined {
  const names = new Set<string>()
  return entries.find(({ name }) => names.size === names.add(name).size)?.name
}
