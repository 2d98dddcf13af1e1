import { isAtWork } from '../model/agent-report.ts'
import { isOurCordon } from '../model/cordon.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isBeingProved } from '../model/proof.ts'

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
function isDownByUs({ node, report, progress }: Member): boolean {
  return isOurCordon(node) || ((isAtWork(node, report) || isBeingProved(node, report)) && progress.phase !== 'Unreachable')
}
