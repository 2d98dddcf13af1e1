import type { Random } from '../random.ts'
import { adminCordons } from './faults/admin-cordons.ts'
import { adminHolds } from './faults/admin-holds.ts'
import { adminPauses } from './faults/admin-pauses.ts'
import { adminPausesFleet } from './faults/admin-pauses-fleet.ts'
import { adminPromotes } from './faults/admin-promotes.ts'
import { adminRetries } from './faults/admin-retries.ts'
import { adminRollsBack } from './faults/admin-rolls-back.ts'
import { adminTriesAgain } from './faults/admin-tries-again.ts'
import { budgetChanges } from './faults/budget-changes.ts'
import { clockOfController } from './faults/clock-of-controller.ts'
import { clockOfNode } from './faults/clock-of-node.ts'
import { commitArrives } from './faults/commit-arrives.ts'
import { controllerDies } from './faults/controller-dies.ts'
import { networkFails } from './faults/network-fails.ts'
import { nodeJoins } from './faults/node-joins.ts'
import { nodeLeaves } from './faults/node-leaves.ts'
import { nodeMoves } from './faults/node-moves.ts'
import { nodeTerminates } from './faults/node-terminates.ts'
import { nodesBlink } from './faults/nodes-blink.ts'
import { nothingChanges } from './faults/nothing-changes.ts'
import { poolDeleted } from './faults/pool-deleted.ts'
import { powerFails } from './faults/power-fails.ts'
import { watchFails } from './faults/watch-fails.ts'
import type { World } from './world.ts'

/** Something that happens to a fleet. Each is one file in `faults/`, and stands in the list below. */
export type Fault = (world: World, random: Random) => void

export const FAULTS: readonly Fault[] = [
  commitArrives,
  commitArrives,
  commitArrives,
  commitArrives,
  powerFails,
  networkFails,
  nodeJoins,
  nodeLeaves,
  nodeMoves,
  nodeTerminates,
  nodesBlink,
  nothingChanges,
  clockOfNode,
  clockOfController,
  controllerDies,
  watchFails,
  poolDeleted,
  adminCordons,
  budgetChanges,
  adminHolds,
  adminPauses,
  adminPausesFleet,
  adminPromotes,
  adminRetries,
  adminTriesAgain,
  adminRollsBack,
]
