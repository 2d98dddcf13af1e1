import { maxSatisfying, valid } from 'semver'

/** What of a repository is followed. */
export type GitRef =
  | { readonly branch: string }
  | { readonly tag: string }
  /** The tag with the highest version in a range. */
  | { readonly semver: string }
  /** In full. */
  | { readonly commit: string }

const HEADS = 'refs/heads/'
const TAGS = 'refs/tags/'
/** Names in a message. */
const SHOWN = 5

/** What all refs begin with that matter. */
export function prefixOf(ref: Exclude<GitRef, { readonly commit: string }>): string {
  if ('branch' in ref) return HEADS + ref.branch
  return 'tag' in ref ? TAGS + ref.tag : TAGS
}

/** @param names in full. @returns the one that is followed */
export function followedIn(names: readonly string[], ref: Exclude<GitRef, { readonly commit: string }>): string | undefined {
  if (!('semver' in ref)) return names.find((name) => name === prefixOf(ref))
  const tags = names.filter((name) => name.startsWith(TAGS)).map((name) => name.slice(TAGS.length))
  const highest = maxSatisfying(tags.filter(isVersion), ref.semver)
  return highest === null ? undefined : TAGS + highest
}

/** The name of a tag; undefined for another ref. */
export function tagName(name: string): string | undefined {
  return name.startsWith(TAGS) ? name.slice(TAGS.length) : undefined
}

/** `branch "main"` */
export function describeRef(ref: GitRef): string {
  if ('branch' in ref) return `branch "${ref.branch}"`
  if ('tag' in ref) return `tag "${ref.tag}"`
  return 'semver' in ref ? `a tag with a version in "${ref.semver}"` : `commit "${ref.commit}"`
}

/** What there is instead, and how to name it. @param names in full, of the same kind */
export function othersThan(ref: GitRef, names: readonly string[]): string {
  const isBranch = 'branch' in ref
  const [kind, option] = isBranch ? ['branch', '--branch'] : ['tag', '--tag or --semver']
  const shown = names.map((name) => `"${name.slice((isBranch ? HEADS : TAGS).length)}"`)
  if (shown.length === 0) return `it shows no ${kind}: it is empty, or has SHA-256 ids, which are not read`
  const more = shown.length > SHOWN ? ` and ${shown.length - SHOWN} more` : ''
  return `it has ${shown.slice(0, SHOWN).join(', ')}${more}; name one with ${option}`
}

/** With or without a `v` before it. */
function isVersion(tag: string): boolean {
  return valid(tag) !== null && /^v?\d/.test(tag)
}
