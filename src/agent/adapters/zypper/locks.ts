/*
 * Locks of libzypp, as `zypper addlock` writes them to /etc/zypp/locks: blocks of "name: value" with an empty line between them.
 */

interface Lock {
  /** As it stands in the file. */
  readonly text: string
  readonly fields: ReadonlyMap<string, string>
}

export interface LockedPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
}

/** Pure: the first lock that keeps this package as it is, by what it names. */
export function lockOf(text: string, found: LockedPackage): string | undefined {
  return locksIn(text)
    .find(({ fields }) => isMatch(fields, found))
    ?.fields.get('solvable_name')
}

/** Pure: the same file with a lock of this package, as `zypper addlock NAME` adds it. */
export function withLock(text: string, name: string): string {
  const lock = `\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: ${name}\n\n`
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lock}`
}

/** Pure: the same file without the lock that names this package and nothing else. Others stay. */
export function withoutLock(text: string, name: string): string {
  const own = locksIn(text).find(({ fields }) => fields.get('solvable_name') === name && isPlain(fields))
  return own === undefined ? text : text.replace(own.text, '')
}

function isPlain(fields: ReadonlyMap<string, string>): boolean {
  const others = [...fields.keys()].filter((key) => !['type', 'match_type', 'case_sensitive', 'solvable_name'].includes(key))
  return others.length === 0 && ['glob', 'exact'].includes(fields.get('match_type') ?? 'glob') && isOfPackages(fields)
}

function locksIn(text: string): Lock[] {
  return [...text.matchAll(/\n?(?:^[^\n:]+:[^\n]*(?:\n|$))+\n?/gm)].map(([block]) => {
    const lines = block.split('\n').map((line) => /^\s*([^:#]+?)\s*:\s*(.*?)\s*$/.exec(line))
    return { text: block, fields: new Map(lines.flatMap((line) => (line ? [[line[1] ?? '', line[2] ?? ''] as const] : []))) }
  })
}

/** A lock of one repository, or of some versions, holds what is installed only where it is that version. */
function isMatch(fields: ReadonlyMap<string, string>, { name, version, architecture }: LockedPackage): boolean {
  const pattern = fields.get('solvable_name')
  if (pattern === undefined || !isOfPackages(fields) || fields.has('repo')) return false
  if ((fields.get('solvable_arch') ?? architecture) !== architecture) return false
  const wanted = fields.get('version')
  if (wanted !== undefined && !['== ', '= '].some((operator) => wanted === `${operator}${version}`)) return false
  return regexOf(pattern, fields).test(name)
}

function isOfPackages(fields: ReadonlyMap<string, string>): boolean {
  return (fields.get('type') ?? 'package') === 'package'
}

function regexOf(pattern: string, fields: ReadonlyMap<string, string>): RegExp {
  const flags = fields.get('case_sensitive') === 'off' ? 'i' : ''
  const literal = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const how = fields.get('match_type') ?? 'glob'
  if (how === 'regex') return new RegExp(pattern, flags)
  if (how === 'substring') return new RegExp(literal, flags)
  if (how === 'word') return new RegExp(`\\b${literal}\\b`, flags)
  if (how === 'exact') return new RegExp(`^${literal}$`, flags)
  const glob = pattern
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${glob}$`, flags)
}
