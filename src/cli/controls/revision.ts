import type { RevisionRef } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { denotes } from '../../rollout/model/remembered-revision.ts'

/** `3f2c9ab "kubelet 1.36.3"` */
export function describeRef({ revision, subject }: RevisionRef): string {
  return `${shortRevision(revision, 7)}${subject ? ` "${subject.slice(0, 60)}"` : ''}`
}

/**
 * The commit that is meant among those that can be.
 * @throws {Error} listing these, when none or several begin so
 */
export function refNamed(text: string, choices: readonly RevisionRef[], what: string): RevisionRef {
  const found = choices.filter((ref) => denotes(text, ref))
  const [one] = found
  if (one && new Set(found.map(({ revision }) => revision)).size === 1) return one
  const why = text.length < 7 ? 'a commit needs at least seven characters' : 'it is not one of the choices'
  const listed = choices.length === 0 ? 'there are no choices' : ['choices:', ...choices.map(describeRef)].join('\n  ')
  throw new Error(`${what} "${text.slice(0, 40)}": ${why}; ${listed}`)
}
