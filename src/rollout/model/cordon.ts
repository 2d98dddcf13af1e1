import type { CordonMark } from '../../protocol/cordon-mark.ts'
import type { RebootOrder } from '../../protocol/reboot-order.ts'
import { type Instant, isFromAhead } from './instant.ts'
import type { NodeView } from './node-view.ts'
import type { RolloutPolicy } from './policy.ts'
import type { NodeTarget } from './snapshot.ts'

type Cordoned = Pick<NodeView, 'unschedulable' | 'mark'>

/** Cordoned by us: we alone may uncordon it. */
export function isOurCordon({ unschedulable, mark }: Cordoned): boolean {
  return unschedulable && mark?.state === 'Ours'
}

/** Its drain goes on, under our cordon or under one that was there. */
export function isUnderDrain({ unschedulable, mark }: Cordoned): boolean {
  return unschedulable && (mark?.state === 'Ours' || mark?.state === 'Found')
}

/** Somebody else cordoned it, and it is not being drained under that cordon. */
export function isForeignCordon(node: Cordoned): boolean {
  return node.unschedulable && !isUnderDrain(node)
}

export interface AsideContext {
  readonly policy: Pick<RolloutPolicy, 'cordoned' | 'drain'>
  readonly now: Instant
}

/** Why a node that should change is left out for now, and until when, if time ends it. */
export interface Aside {
  readonly because: 'Cordoned' | 'Skipped' | 'Released'
  readonly until?: Instant
}

interface AsideSubject {
  readonly node: NodeView
  readonly wanted: NodeTarget
  /** A rollout got at it: then it is mended, whoever cordoned it. */
  readonly broken: boolean
  /** What it is to be drained for, if that is no content. */
  readonly reboot?: RebootOrder | undefined
}

export function asideOf(subject: AsideSubject, context: AsideContext): Aside | undefined {
  return isTheirs(subject, context) ? { because: 'Cordoned' } : asideByMark(subject, context)
}

/** A node that somebody cordoned has that person's hands on it. */
export function isTheirs({ node, broken }: AsideSubject, { policy }: AsideContext): boolean {
  return isForeignCordon(node) && policy.cordoned === 'Skip' && !broken
}

/** One whose drain was given up, or called off by a person who uncordoned it, is not drained again at once for the same configuration. */
export function asideByMark({ node, wanted, broken, reboot }: AsideSubject, { policy, now }: AsideContext): Aside | undefined {
  if (broken && !node.ready) return undefined
  if (node.mark === undefined || wanted.kind === 'problem' || node.mark.digest !== wanted.digest) return undefined
  // Also when they have cordoned it since: that it may be changed under a cordon does not take back what they said of this drain.
  if (node.mark.state === 'Released') return isAskedSince(node.mark, { reboot, now }) ? undefined : { because: 'Released' }
  const until = skipEnds(node, { policy, now })
  return until !== undefined && now < until ? { because: 'Skipped', until } : undefined
}

/** Who asks for the reboot once more takes back that its drain was called off. One whose clock is ahead may have asked before that. */
function isAskedSince(
  { at }: CordonMark,
  { reboot, now }: { readonly reboot: RebootOrder | undefined; readonly now: Instant },
): boolean {
  const askedAt = Date.parse(reboot?.at ?? '')
  return askedAt > at && askedAt <= now
}

/** When its drain for this content was given up, so that others come before it. */
export function skippedAt({ mark }: Pick<Cordoned, 'mark'>, wanted: NodeTarget): Instant | undefined {
  return mark?.state === 'Skipped' && wanted.kind === 'config' && mark.digest === wanted.digest ? mark.at : undefined
}

/**
 * When a node whose drain was given up may be drained again for the same configuration. What is further ahead than a drain may take was
 * stamped by a clock that has been put back since: it may be at once.
 */
export function skipEnds({ mark }: Pick<Cordoned, 'mark'>, { policy: { drain }, now }: AsideContext): Instant | undefined {
  if (mark?.state !== 'Skipped' || isFromAhead(mark.at, { now, longest: drain.timeout })) return undefined
  return mark.at + drain.timeout
}
