import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { placesOf, waitsForFleet, wayOf } from './budget-order.ts'
import { type Decided, decidedPools } from './steps.ts'

/** What stands below the same table. */
export const longestWaitFirst: Invariant = {
  claim:
    'of pools that go the same way, none gets a place of the fleet while another one waits for it that was served longer ago, whatever commits they get',
  ofDecision: (observed) => observed.fleet.policy.maxUnavailable === undefined || servesInTurn(observed),
}

function servesInTurn(observed: Observed): boolean {
  const decided = decidedPools(observed)
  const waiting = decided.filter(waitsForFleet)
  if (waiting.length === 0) return true
  const served = decided.filter((each) => placesOf(each) > 0)
  return served.every((each) => waiting.every((other) => wayOf(other) !== wayOf(each) || !(servedAt(other) < servedAt(each))))
}

/** As its nodes show, but for those that joined since its rollout began. NaN: that cannot be told. */
function servedAt({ pool, decision: { status }, at }: Decided): Instant {
  const began = Date.parse(status.history[0]?.startedAt ?? '')
  const stamps = pool.nodes.filter(({ createdAt }) => createdAt <= began).flatMap(stampsOf)
  return stamps.some((stamp) => stamp > at) ? Number.NaN : Math.max(0, ...stamps)
}

/** A mark of a drain that is over says when it was given up. */
function stampsOf({ assigned, mark }: NodeView): Instant[] {
  if (mark?.state === 'Skipped' || mark?.state === 'Released') return [Number.NaN]
  return [assigned?.at ?? 0, mark?.at ?? 0]
}
