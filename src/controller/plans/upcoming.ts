import type { Assessment } from '../../rollout/decide.ts'
import { isRejected } from '../../rollout/model/remembered-revision.ts'
import type { HeadState } from '../revisions/head-intake.ts'
import type { WaitingCommit } from './pool-plan.ts'

export interface Waiting {
  readonly commit: WaitingCommit
  /** It was not accepted: a person has to promote it. */
  readonly isUnaccepted: boolean
}

type Head = Pick<HeadState, 'held' | 'heldFleet'>

/** The newest commit, where it changes the pool and waits; a commit that failed in the pool waits for nothing. */
export function waitingCommit({ pool, state: { rollout } }: Assessment, { held, heldFleet }: Head): Waiting | undefined {
  const unaccepted = heldFleet?.pools.get(pool.name)
  if (held !== undefined && heldFleet && unaccepted && unaccepted.fingerprint !== rollout.target.fingerprint)
    return { commit: commitOf(heldFleet.commit, heldFleet, held), isUnaccepted: true }
  const { head } = pool
  const isTarget = head.fingerprint === rollout.target.fingerprint
  if (isRejected(rollout.memory, head) || (isTarget && rollout.state !== 'Blocked')) return undefined
  return { commit: commitOf(head.revision, head, rollout.commitBlocker?.message ?? ROLLED_BACK), isUnaccepted: false }
}

const ROLLED_BACK = 'an operator rolled the pool back; the next commit ends that'

interface Signed {
  readonly subject?: string
  readonly author?: string
}

function commitOf(revision: string, { subject = '', author = '' }: Signed, because: string): WaitingCommit {
  return { revision, subject, author, because }
}
