import type { NodeTarget } from '../../../src/rollout/model/snapshot.ts'

export type Labels = Readonly<Record<string, string>>

/** An override by this label changes what is rendered for a node. */
export const PROFILE = 'profile'
/** No content can be rendered for a node with this profile. */
export const NO_PROFILE = 'missing'

const BETWEEN = ' for '

/** What a content is rendered to for a node with these labels. */
export function digestFor(content: string, { [PROFILE]: profile }: Labels): string {
  return profile === undefined ? content : `${content}${BETWEEN}${profile}`
}

/** What a digest was rendered from: the fingerprint is of that, whatever the labels of nodes. */
export function contentOf(digest: string): string {
  const end = digest.indexOf(BETWEEN)
  return end < 0 ? digest : digest.slice(0, end)
}

export function fingerprintOf(digest: string): string {
  return `of ${contentOf(digest)}`
}

/** The host runs what the content of this fingerprint is for its labels, and not what it was for other ones. */
export function runs(active: string | undefined, { fingerprint, labels }: { fingerprint: string; labels: Labels }): boolean {
  return active !== undefined && fingerprintOf(active) === fingerprint && active === digestFor(contentOf(active), labels)
}

/** What nodes run where no content says otherwise. */
export const USUAL_VERSION = '1.36.3'

/** Which kubelet a content brings. @returns undefined: it says nothing of that */
export function versionFor(content: string): string | undefined {
  return content.endsWith('-stale') ? '1.36.4' : undefined
}

const UNRENDERED: NodeTarget = { kind: 'problem', message: `override for profile "${NO_PROFILE}": there is none` }

/** @returns undefined where it can be rendered */
export function problemFor({ [PROFILE]: profile }: Labels): NodeTarget | undefined {
  return profile === NO_PROFILE ? UNRENDERED : undefined
}
