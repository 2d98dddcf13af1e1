/*
 * libzypp keeps the names of packages that came for others in /var/lib/zypp/AutoInstalled, one on a line. No command of zypper changes it.
 */

/** Pure. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
}

/** Pure: the same file with these names in it, or without them. */
export function withNames(text: string, names: readonly string[], how: 'named' | 'automatic'): string {
  const others = text.split('\n').filter((line) => line !== '' && !names.includes(line.trim()))
  return [...others, ...(how === 'automatic' ? names : []), ''].join('\n')
}
