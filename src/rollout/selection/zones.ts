import { isDownForLong, outageClock } from '../exposure/past-draining.ts'
import { isAtWork } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isOurCordon, isUnderDrain } from '../model/cordon.ts'
import { givenUpAt } from '../model/member-order.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isBeingProved } from '../model/proof.ts'
import { isIdleUnderCordon } from './idle-nodes.ts'

/**
 * Which may be taken without making nodes of two zones unavailable at once, where the policy says so: those of the zone that the
 * rollout is in, else of the zone of the first. One whose drain was given up waits for those before it of other zones, too: else three
 * of them could hold their zone for ever.
 * @param offers in order
 */
export function zoneFilter(offers: readonly Member[], { pool, notAtRest, now }: PoolState): (member: Member) => boolean {
  if (pool.policy.zones === 'Any') return () => true
  const disturbed = new Set(notAtRest.filter((member) => isDownByUs(member, { pool, now })).map(({ node }) => node.zone))
  const [zone = offers[0]?.node.zone] = disturbed
  const isInZone = ({ node }: Member) => disturbed.size <= 1 && node.zone === zone
  const passedOver = offers.findIndex((member) => !isInZone(member))
  const afterIt = passedOver < 0 ? [] : offers.slice(passedOver)
  const waiting = new Set(afterIt.filter((member) => givenUpAt(member) !== undefined))
  return (member) => isInZone(member) && !waiting.has(member)
}

/** One that was down already when it was assigned is an outage of its own. */
function isDownByUs(member: Member, state: Pick<PoolState, 'pool' | 'now'>): boolean {
  const { node, report, progress } = member
  if (isCordonedByUs(member, state) || isDrainedUnderTheirs(member) || isBrokenByUs(member)) return true
  return (isAtWork(node, report) || isBeingProved(node, report)) && progress.phase !== 'Unreachable'
}

/**
 * One that is down for long, before it was assigned anything, and is drained for nothing any more, stays cordoned for its outage alone: at most
 * it is changed as a last resort.
 */
function isCordonedByUs(member: Member, state: Pick<PoolState, 'pool' | 'now'>): boolean {
  const { node, assigned, broken, drain, exposure } = member
  const isIdle = !assigned && !broken && (drain === undefined || exposure.because === 'LastResort')
  return isOurCordon(node) && !(isIdle && isDownForLong(node, outageClock(state)))
}

/** Its pods go, though somebody else cordoned it. */
function isDrainedUnderTheirs({ node, drain }: Member): boolean {
  return isUnderDrain(node) && !isOurCordon(node) && drain?.kind !== 'Over'
}

/** What the rollout gave it has failed, and it does not serve since: the pool bears so many failures, not two zones with them. */
function isBrokenByUs(member: Member): boolean {
  const { node, report, progress } = member
  if (progress.phase !== 'Failed' || progress.isEvidence === false) return false
  return isUnavailable(node, report) && !isIdleUnderCordon(member)
}
