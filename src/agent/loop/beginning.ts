import type { Outcome } from '../state/state.ts'
import type { Assignment } from './fetch.ts'
import { countsOf } from './went-bad.ts'

export interface Beginning {
  /** What the host is to become; undefined: what it was before nodewave. */
  readonly goal: Pick<Assignment, 'text' | 'digest' | 'desired'> | undefined
  /** uid of the Node as it was seen last, if it was. */
  readonly node: string | undefined
  readonly last: Outcome | undefined
  /** RFC 3339 */
  readonly now: string
}

/** Pure: the outcome of an assignment while the work on it is under way. */
export function beginning({ goal, node, last, now }: Beginning): Outcome {
  const assignment = goal?.text ?? null
  const before = last?.assignment === assignment ? last : undefined
  const uid = node ?? before?.node
  // What could not be had in between says that the agent lives, and nothing of the API server.
  const attempts = before?.phase === 'Applying' ? before.attempts : (before?.losses ?? 0)
  return {
    assignment,
    ...(uid === undefined ? {} : { node: uid }),
    ...(goal === undefined ? {} : { digest: goal.digest }),
    ...(goal?.desired.REVISION === undefined ? {} : { revision: goal.desired.REVISION }),
    phase: 'Applying',
    since: now,
    attempts: attempts + 1,
    ...countsOf(before),
  }
}
