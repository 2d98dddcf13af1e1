import type { RebootOrder } from '../../protocol/reboot-order.ts'
import { waitsForGrant } from '../model/agent-report.ts'
import { isOurCordon, markOf } from '../model/cordon.ts'
import type { Action } from '../model/decision.ts'
import type { Underway } from '../model/drain.ts'
import type { Instant } from '../model/instant.ts'
import { inOrder } from '../model/member-order.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { needsConsent } from './blockage.ts'

type Evict = Extract<Action, { kind: 'evict' }>
type Cordon = Extract<Action, { kind: 'cordon' }>
export type Uncordon = Extract<Action, { kind: 'uncordon' }>

/** Cordons of ours that outlived their reason, or whose drain is given up. */
export function uncordons({ notAtRest, pool: { fleet }, now }: PoolState): readonly Uncordon[] {
  const mayStop = fleet?.stopped?.isConfirmed ?? true
  const ended = notAtRest.filter((member) => member.drain && (mayStop || !isCordonedForTarget(member)))
  return inOrder(ended).flatMap((member) => uncordonOf(member, now) ?? [])
}

/** And the change has not begun: it is not assigned yet, or its agent waits for the drain. */
function isCordonedForTarget({ node, report, wanted, assigned, drain }: Member): boolean {
  const hasBegun = assigned && !waitsForGrant(node, report)
  return drain?.kind === 'Over' && !hasBegun && wanted.kind === 'config' && node.mark?.digest === wanted.digest
}

function uncordonOf(member: Member, now: Instant): Uncordon | undefined {
  const { node, drain, reboot } = member
  const uncordon = { kind: 'uncordon', node: node.name, lifts: isOurCordon(node) } as const
  if (drain?.kind === 'Over') return uncordon
  if (drain?.kind === 'GivenUp') return { ...uncordon, mark: markOf(member, { at: now, state: 'Skipped' }) }
  if (drain?.kind !== 'CalledOff') return undefined
  return { ...uncordon, mark: markOf(member, { at: calledOffAt(reboot, now), state: 'Released' }) }
}

/** After the request for which it was drained, whose stamp may be of a clock that is ahead: only a later request takes that back. */
function calledOffAt(reboot: RebootOrder | undefined, now: Instant): Instant {
  const askedAt = Date.parse(reboot?.at ?? '')
  return askedAt > now ? askedAt : now
}

/**
 * Drains that go on for a newer content than they were begun for: who uncordons such a node means the newer one. And those that a clock began
 * which has been put back since: their time would not be over before that.
 */
export function updatedCordonMarks({ notAtRest, now }: PoolState): readonly Cordon[] {
  return inOrder(notAtRest.filter(({ drain }) => drain?.kind === 'Underway')).flatMap((member) => {
    const { node, wanted } = member
    if (wanted.kind === 'problem' || node.mark === undefined) return []
    const { digest, at, state } = node.mark
    if (digest === wanted.digest && at <= now) return []
    return [{ kind: 'cordon', node: node.name, mark: markOf(member, { at: Math.min(at, now), state }) }]
  })
}

/** Pods that are to go, but for those that the server refused a moment ago. */
export function evictions({ notAtRest, pool, now }: PoolState): readonly Evict[] {
  const { gracePeriodSeconds } = pool.policy.drain
  return inOrder(notAtRest.filter(({ drain }) => drain)).flatMap(({ node, drain }) =>
    drain?.kind !== 'Underway' || needsConsent(drain)
      ? []
      : evictable(drain, now).map(({ namespace, name, uid }) => ({
          kind: 'evict' as const,
          node: node.name,
          pod: { namespace, name, uid },
          ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        })),
  )
}

function evictable({ remaining = [] }: Underway, now: Instant) {
  return remaining
    .filter(
      ({ pod, verdict }) => verdict.kind === 'Evict' && !pod.asked && (pod.refusal === undefined || now >= pod.refusal.until),
    )
    .map(({ pod }) => pod)
}
