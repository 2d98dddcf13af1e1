import { DIGEST_PATTERN } from './digest.ts'

/**
 * Whose cordon it is, or what became of it.
 * Ours: the controller cordoned the node, and alone may uncordon it. Found: it was cordoned before, and is drained under that cordon.
 * Skipped: its drain took too long, and it was uncordoned. Released: a person uncordoned it in the middle of its drain.
 */
export const CORDON_STATES = ['Ours', 'Found', 'Skipped', 'Released'] as const
export type CordonState = (typeof CORDON_STATES)[number]

/** What the controller writes on a node beside its cordon: deadlines are counted from it, whichever process looks. */
export interface CordonMark {
  /** Of the configuration that the node is drained for. */
  readonly digest: string
  /** Milliseconds since the epoch: when it was cordoned, or set aside. */
  readonly at: number
  readonly state: CordonState
  /** The target, for which its drain was given up before: now it is drained for its repair. */
  readonly givenUp?: string
}

const MARK = /^([^@\s]+)@(\S+?)(?: ([a-z]+))?(?: after (\S+))?$/
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/**
 * `v1:9f…@2026-11-21T08:00:00.000Z`, the state after a space, in lower case, when it is another than Ours, and ` after v1:77…` when a drain
 * for that was given up before.
 */
export function formatCordonMark({ digest, at, state, givenUp }: CordonMark): string {
  const mark = `${digest}@${new Date(at).toISOString()}`
  return `${mark}${state === 'Ours' ? '' : ` ${state.toLowerCase()}`}${givenUp === undefined ? '' : ` after ${givenUp}`}`
}

/** @returns undefined for what the controller did not write: a cordon beside it is then somebody else's. */
export function parseCordonMark(annotation: string | undefined): CordonMark | undefined {
  if (annotation === undefined || annotation.length > 200) return undefined
  const [, digest = '', stamp = '', word = 'ours', givenUp] = MARK.exec(annotation) ?? []
  const state = CORDON_STATES.find((known) => known.toLowerCase() === word)
  const at = Date.parse(stamp)
  if (!DIGEST_PATTERN.test(digest) || !STAMP.test(stamp) || Number.isNaN(at) || state === undefined) return undefined
  if (givenUp !== undefined && !DIGEST_PATTERN.test(givenUp)) return undefined
  return { digest, at, state, ...(givenUp !== undefined && { givenUp }) }
}
