import { atMost, type Disruption } from '../protocol/desired-config.ts'
import type { Candidate } from './picture.ts'
import { isInFlight } from './report.ts'
import type { Instant, NodeView, RolloutPolicy } from './snapshot.ts'

/** How far the waves have come. */
export interface Turn {
  readonly open: number
  readonly waves: { readonly length: number }
}

/**
 * Joining nodes do not wait for a wave, nor do broken ones; a node at work is due again only when it asks for a greater
 * grant.
 */
export function isDue(member: Candidate, { open, waves }: Turn): boolean {
  const { standing, wanted, wave = open === waves.length ? open : Number.POSITIVE_INFINITY } = member
  if (standing.phase === 'Held' || standing.phase === 'Unmanaged' || wanted.kind === 'problem') return false
  if (member.assigned) return needsGreaterGrant(member)
  return standing.phase === 'Joining' || member.broken || wave <= open
}

/** How much its next assignment disturbs it: what the agent found out counts more than what was rendered. */
export function disruptionOf({ wanted, assigned, report }: Candidate): Disruption {
  return (assigned && report?.needs) || (wanted.kind === 'config' ? wanted.disruption : 'none')
}

interface Patience {
  readonly now: Instant
  readonly policy: Pick<RolloutPolicy, 'applyTimeout'>
}

/**
 * A roll-out has left it not Ready, and no work goes on that could mend it: its kubelet can end no pod, so a drain would never
 * end, and what mends it would never reach it.
 */
export function isPastDraining({ node, report, broken }: Candidate, patience: Patience): boolean {
  return broken && !node.ready && (!isInFlight(node, report) || isLongDown(node, patience))
}

/** Not Ready for longer than a kubelet that restarts: nothing on it can be drained. */
export function isLongDown({ ready, readySince }: NodeView, { now, policy }: Patience): boolean {
  return !ready && now >= readySince + policy.applyTimeout
}

function needsGreaterGrant({ node, report }: Candidate): boolean {
  const { needs } = report ?? {}
  return report?.phase === 'Blocked' && needs !== undefined && node.assigned !== undefined && !atMost(needs, node.assigned.grant)
}
