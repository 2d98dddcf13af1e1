import type { Approval } from '../../protocol/node-pool.ts'
import { denotes, isRejected } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot, Revision } from '../model/snapshot.ts'

/**
 * Operators name commits; what they approve is the content that the commit renders to here. So an equal commit that arrives later
 * does not take the approval away. A commit that has not arrived yet is looked for again.
 */
export function observeApprovals({ memory, controls, fleet, head }: PoolSnapshot, target: Revision): Memory {
  const asked = approvalOf(controls.promoted, {
    known: memory.promotion,
    choices: [head, target, ...(memory.target ? [memory.target] : [])],
  })
  const promotion = asked && lateIfRejected(ofRolloutUnderWay(asked, memory), memory)
  const fleetRetry = approvalOf(fleet?.retry, { known: memory.fleetRetry, choices: [head] })
  if (promotion === memory.promotion && fleetRetry === memory.fleetRetry) return memory
  const { promotion: _, fleetRetry: __, ...rest } = memory
  return { ...rest, ...(promotion && { promotion }), ...(fleetRetry && { fleetRetry }) }
}

function approvalOf(
  value: string | undefined,
  {
    known,
    choices,
  }: { readonly known: Approval | undefined; readonly choices: readonly Pick<Revision, 'revision' | 'fingerprint'>[] },
): Approval | undefined {
  if (value === undefined || known?.value === value) return value === undefined ? undefined : known
  const named = choices.find((choice) => denotes(value, choice))
  return named ? { value, fingerprint: named.fingerprint } : undefined
}

/** Also when a rollback or another commit ends that rollout in the same pass: it opens nothing when the content comes again. */
function ofRolloutUnderWay(promotion: Approval, { history: [top] }: Memory): Approval {
  return top?.result === 'Running' ? (boundPromotion({ promotion }, top) ?? promotion) : promotion
}

/** Written after the content has failed, it is of the rollout that failed: it opens nothing when that is tried again. */
function lateIfRejected(promotion: Approval, memory: Memory): Approval {
  if (promotion.rollout !== undefined || !isRejected(memory, promotion)) return promotion
  const failed = memory.history.find(({ fingerprint }) => fingerprint === promotion.fingerprint)
  return { ...promotion, rollout: failed?.startedAt ?? '' }
}

/** A promotion is of the rollout that goes to this content, or of the next one to begin: it does not outlive that. */
export function boundPromotion(
  { promotion }: Pick<Memory, 'promotion'>,
  { fingerprint, startedAt }: { readonly fingerprint: string; readonly startedAt: string },
): Approval | undefined {
  if (promotion?.fingerprint !== fingerprint || promotion.rollout !== undefined) return promotion
  return { ...promotion, rollout: startedAt }
}

/** The content was promoted in the rollout under way. */
export function isPromoted({ promotion, history: [top] }: Memory, { fingerprint }: Pick<Revision, 'fingerprint'>): boolean {
  return promotion?.fingerprint === fingerprint && top !== undefined && promotion.rollout === top.startedAt
}

/** Its rollout has failed, another one has begun, or another commit came before it began: it counts no more. */
export function isSpent({ promotion, target, history: [top] }: Memory, head: Pick<Revision, 'fingerprint'>): boolean {
  if (!promotion) return false
  if (promotion.rollout === undefined) return ![head, target].some((ref) => ref?.fingerprint === promotion.fingerprint)
  return top?.startedAt !== promotion.rollout || top.result === 'Halted' || top.result === 'RolledBack'
}
