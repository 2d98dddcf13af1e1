import { isAtWork } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isOurCordon, isUnderDrain } from '../model/cordon.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isBeingProved } from '../model/proof.ts'
import { isIdleUnderCordon } from './idle-nodes.ts'

/**
 * Which may be taken without making nodes of two zones unavailable at once, where the policy says so: those of the zone that the
 * rollout is in, else of the zone of the first.
 */
export function zoneFilter(offers: readonly Member[], { pool, notAtRest }: PoolState): (member: Member) => boolean {
  if (pool.policy.zones === 'Any') return () => true
  const disturbed = new Set(notAtRest.filter(isDownByUs).map(({ node }) => node.zone))
  const [zone = offers[0]?.node.zone] = disturbed
  return ({ node }) => disturbed.size <= 1 && node.zone === zone
}

/** One that was down already when it was assigned is an outage of its own. */
function isDownByUs(member: Member): boolean {
  const { node, report, progress } = member
  if (isOurCordon(node) || isDrainedUnderTheirs(member) || isBrokenByUs(member)) return true
  return (isAtWork(node, report) || isBeingProved(node, report)) && progress.phase !== 'Unreachable'
}

/** Its pods go, though somebody else cordoned it. */
function isDrainedUnderTheirs({ node, drain }: Member): boolean {
  return isUnderDrain(node) && drain?.kind !== 'Over'
}

/** What the rollout gave it has failed, and it does not serve since: the pool bears so many failures, not two zones with them. */
function isBrokenByUs(member: Member): boolean {
  const { node, report, progress } = member
  if (progress.phase !== 'Failed' || progress.isEvidence === false) return false
  return isUnavailable(node, report) && !isIdleUnderCordon(member)
}
