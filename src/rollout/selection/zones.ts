import { isAtWork } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isOurCordon } from '../model/cordon.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isBeingProved } from '../model/proof.ts'
import { isIdleUnderCordon } from './idle-nodes.ts'

/**
 * Those that may be taken without making nodes of two zones unavailable at once, where the policy says so: those of the zone that the
 * rollout is in, else of the zone of the first.
 */
export function withinZones(offers: readonly Member[], { pool, notAtRest }: PoolState): readonly Member[] {
  if (pool.policy.zones === 'Any') return offers
  const selected = new Set(notAtRest.filter(isDownByUs).map(({ node }) => node.zone))
  const [zone = offers[0]?.node.zone] = selected
  return selected.size > 1 ? [] : offers.filter(({ node }) => node.zone === zone)
}

/** One that was down already when it was assigned is an outage of its own. */
function isDownByUs(member: Member): boolean {
  const { node, report, progress } = member
  if (isOurCordon(node) || isBrokenByUs(member)) return true
  return (isAtWork(node, report) || isBeingProved(node, report)) && progress.phase !== 'Unreachable'
}

/** What the rollout gave it has failed, and it does not serve since: the pool bears so many failures, not two zones with them. */
function isBrokenByUs(member: Member): boolean {
  const { node, report, progress } = member
  if (progress.phase !== 'Failed' || progress.isEvidence === false) return false
  return isUnavailable(node, report) && !isIdleUnderCordon(member)
}
