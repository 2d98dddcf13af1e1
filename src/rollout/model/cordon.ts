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
  /** What it is to become at the target, where `wanted` repairs it. */
  readonly target?: NodeTarget
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

/**
 * One whose drain was given up, or called off by a person who uncordoned it, is not drained again at once for the same configuration; nor for
 * its repair, which would ask the same of its pods.
 */
export function asideByMark(
  { node, wanted, target = wanted, broken, reboot }: AsideSubject,
  { policy, now }: AsideContext,
): Aside | undefined {
  if (broken && !node.ready) return undefined
  if (node.mark === undefined || !(isOf(node.mark, wanted) || isOf(node.mark, target))) return undefined
  // Also when they have cordoned it since: that it may be changed under a cordon does not take back what they said of this drain.
  if (node.mark.state === 'Released') return isAskedSince(node.mark, { reboot, now }) ? undefined : { because: 'Released' }
  const until = skipEnds(node, { policy, now })
  return until !== undefined && now < until ? { because: 'Skipped', until } : undefined
}

function isOf({ digest }: CordonMark, wanted: NodeTarget): boolean {
  return wanted.kind === 'config' && wanted.digest === digest
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
  const content = mark?.state === 'Skipped' ? mark.digest : mark?.givenUp
  return content !== undefined && wanted.kind === 'config' && content === wanted.digest ? mark?.at : undefined
}

/** What is noted of its drain. That of a repair does not forget that the one for the target was given up. */
export function markOf(
  { node, wanted, target }: Pick<AsideSubject, 'node' | 'wanted'> & { readonly target: NodeTarget },
  { at, state }: Omit<CordonMark, 'digest' | 'givenUp'>,
): CordonMark {
  const digest = digestOf(wanted)
  const givenUp = skippedAt(node, target) === undefined ? digest : digestOf(target)
  if (givenUp === digest) return { digest, at, state }
  return state === 'Skipped' ? { digest: givenUp, at, state } : { digest, at, state, givenUp }
}

function digestOf(wanted: NodeTarget): string {
  return wanted.kind === 'config' ? wanted.digest : ''
}

/**
 * When a node whose drain was given up may be drained again for the same configuration. What is further ahead than a drain may take was
 * stamped by a clock that has been put back since: it may be at once.
 */
export function skipEnds({ mark }: Pick<Cordoned, 'mark'>, { policy: { drain }, now }: AsideContext): Instant | undefined {
  if (mark?.state !== 'Skipped' || isFromAhead(mark.at, { now, longest: drain.timeout })) return undefined
  return mark.at + drain.timeout
}
