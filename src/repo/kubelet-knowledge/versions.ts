import tables from './generated/knowledge.json' with { type: 'json' }

/** The patch of each minor whose knowledge we have, oldest first. */
export const KNOWN_VERSIONS: readonly string[] = tables.versions
export const OLDEST_MINOR = minorOf(KNOWN_VERSIONS[0] ?? '1.0.0')
export const NEWEST_MINOR = minorOf(KNOWN_VERSIONS.at(-1) ?? '1.0.0')

/** @param version as the schema lets it through. */
export function minorOf(version: string): number {
  return Number(version.split('.')[1])
}

/** @returns the version that somebody who wrote `1.36`, `1.36.` or `v1.36.3` meant; undefined when it cannot be guessed. */
export function meantVersion(text: string): string | undefined {
  const [, minor, patch] = /^["']?v?1\.(\d{1,3})(?:\.(\d{1,3})?)?["']?$/.exec(text) ?? []
  if (minor === undefined) return undefined
  if (patch !== undefined) return `1.${minor}.${patch}`
  return KNOWN_VERSIONS.find((version) => minorOf(version) === Number(minor)) ?? `1.${minor}.0`
}
