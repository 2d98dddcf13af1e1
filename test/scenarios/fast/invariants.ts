import type { Observed } from './controller.ts'
import { answersOfThisRun } from './invariants/answers-of-this-run.ts'
import { asksFirst } from './invariants/asks-first.ts'
import { assignsOnce } from './invariants/assigns-once.ts'
import { brokenFirst } from './invariants/broken-first.ts'
import { budgetOrder } from './invariants/budget-order.ts'
import { canaryExposure } from './invariants/canary-exposure.ts'
import { currentRunsIt } from './invariants/current-runs-it.ts'
import { dependenciesKept } from './invariants/dependencies-kept.ts'
import { dependenciesNamed } from './invariants/dependencies-named.ts'
import { drainedFirst } from './invariants/drained-first.ts'
import { drainsStopped } from './invariants/drains-stopped.ts'
import { exposureRemembered } from './invariants/exposure-remembered.ts'
import { failedForCause } from './invariants/failed-for-cause.ts'
import { failuresCount } from './invariants/failures-count.ts'
import { failuresStop } from './invariants/failures-stop.ts'
import { fleetBudget } from './invariants/fleet-budget.ts'
import { fleetStopKept } from './invariants/fleet-stop-kept.ts'
import { gatesKept } from './invariants/gates-kept.ts'
import { gatesPaused } from './invariants/gates-paused.ts'
import { heldLeftAlone } from './invariants/held-left-alone.ts'
import { historyIsTrue } from './invariants/history-is-true.ts'
import { idleLimit } from './invariants/idle-limit.ts'
import { inPlacesOfMembers } from './invariants/in-places-of-members.ts'
import { joinsAtStable } from './invariants/joins-at-stable.ts'
import { leavingLeftAlone } from './invariants/leaving-left-alone.ts'
import { longestWaitFirst } from './invariants/longest-wait-first.ts'
import { namedHolders } from './invariants/named-holders.ts'
import { noFighting } from './invariants/no-fighting.ts'
import { noRetryByItself } from './invariants/no-retry-by-itself.ts'
import { nothingRejected } from './invariants/nothing-rejected.ts'
import { opensByPromotion } from './invariants/opens-by-promotion.ts'
import { ourCordons } from './invariants/our-cordons.ts'
import { poolBudget } from './invariants/pool-budget.ts'
import { pressureLasts } from './invariants/pressure-lasts.ts'
import { proofsKept } from './invariants/proofs-kept.ts'
import { readyIsDone } from './invariants/ready-is-done.ts'
import { readyIsTrue } from './invariants/ready-is-true.ts'
import { releaseIsMeant } from './invariants/release-is-meant.ts'
import { replacedMachines } from './invariants/replaced-machines.ts'
import { respectsRelease } from './invariants/respects-release.ts'
import { returnIsFast } from './invariants/return-is-fast.ts'
import { sameAgain } from './invariants/same-again.ts'
import { silentFailNothing } from './invariants/silent-fail-nothing.ts'
import { staysRolledBack } from './invariants/stays-rolled-back.ts'
import { stoppedPools } from './invariants/stopped-pools.ts'
import { targetOrStable } from './invariants/target-or-stable.ts'
import { trueBudget } from './invariants/true-budget.ts'
import { unhealthyStayCordoned } from './invariants/unhealthy-stay-cordoned.ts'
import { waitsAreNamed } from './invariants/waits-are-named.ts'
import { wakesLater } from './invariants/wakes-later.ts'
import { wavesStay } from './invariants/waves-stay.ts'
import { windowNamed } from './invariants/window-named.ts'
import { windowsKept } from './invariants/windows-kept.ts'
import { workloadsKept } from './invariants/workloads-kept.ts'
import { zonesKept } from './invariants/zones-kept.ts'
import type { World } from './world.ts'

/** What must hold whatever happens. Each is one file in `invariants/`, and stands in the list below. */
export interface Invariant {
  readonly claim: string
  /** Of each decision, by what the controller saw. */
  readonly ofDecision?: (observed: Observed) => boolean
  /** After each event, by what is really so. */
  readonly ofWorld?: (world: World) => boolean
}

export const INVARIANTS: readonly Invariant[] = [
  poolBudget,
  fleetBudget,
  budgetOrder,
  asksFirst,
  longestWaitFirst,
  inPlacesOfMembers,
  trueBudget,
  idleLimit,
  stoppedPools,
  staysRolledBack,
  nothingRejected,
  canaryExposure,
  exposureRemembered,
  wavesStay,
  failuresCount,
  failuresStop,
  failedForCause,
  silentFailNothing,
  assignsOnce,
  gatesKept,
  gatesPaused,
  workloadsKept,
  noFighting,
  noRetryByItself,
  opensByPromotion,
  ourCordons,
  unhealthyStayCordoned,
  respectsRelease,
  releaseIsMeant,
  drainedFirst,
  drainsStopped,
  sameAgain,
  wakesLater,
  waitsAreNamed,
  namedHolders,
  windowsKept,
  windowNamed,
  zonesKept,
  currentRunsIt,
  readyIsDone,
  readyIsTrue,
  historyIsTrue,
  brokenFirst,
  returnIsFast,
  joinsAtStable,
  targetOrStable,
  leavingLeftAlone,
  heldLeftAlone,
  dependenciesKept,
  dependenciesNamed,
  fleetStopKept,
  proofsKept,
  pressureLasts,
  replacedMachines,
  answersOfThisRun,
]

/** @throws naming what does not hold. */
export function checkDecision(observed: Observed): void {
  if (!observed.isNews) return
  for (const { claim, ofDecision } of INVARIANTS)
    if (ofDecision?.(observed) === false) throw new Error(`it does not hold that ${claim}`)
}

/** @throws naming what does not hold. */
export function checkWorld(world: World): void {
  for (const { claim, ofWorld } of INVARIANTS) if (ofWorld?.(world) === false) throw new Error(`it does not hold that ${claim}`)
}
