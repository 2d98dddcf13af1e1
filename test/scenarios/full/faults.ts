import { adminCordons } from './faults/admin-cordons.ts'
import { agentDies } from './faults/agent-dies.ts'
import { answersLate } from './faults/answers-late.ts'
import { apiFails } from './faults/api-fails.ts'
import { apiServerAway } from './faults/api-server-away.ts'
import { backupTaken } from './faults/backup-taken.ts'
import { canaryTooSlow } from './faults/canary-too-slow.ts'
import { clockJumps } from './faults/clock-jumps.ts'
import { commitArrives } from './faults/commit-arrives.ts'
import { controllerDies } from './faults/controller-dies.ts'
import { controllerHandsOver } from './faults/controller-hands-over.ts'
import { controllerHangs } from './faults/controller-hangs.ts'
import { etcdRestored } from './faults/etcd-restored.ts'
import { idleNodeReplaced } from './faults/idle-node-replaced.ts'
import { leaderReplaced } from './faults/leader-replaced.ts'
import { networkFails } from './faults/network-fails.ts'
import { newsHeldBack } from './faults/news-held-back.ts'
import { nodeJoins } from './faults/node-joins.ts'
import { nodeLeaves } from './faults/node-leaves.ts'
import { nodesLate } from './faults/nodes-late.ts'
import { operatorRetries } from './faults/operator-retries.ts'
import { patchesLate } from './faults/patches-late.ts'
import { poolDeleted } from './faults/pool-deleted.ts'
import { powerFails } from './faults/power-fails.ts'
import { watchBehind } from './faults/watch-behind.ts'
import { watchFails } from './faults/watch-fails.ts'
import type { World } from './world.ts'

/** Something that happens to a fleet. Each is one file in `faults/`, and stands in the list below. */
export type Fault = (world: World) => void | Promise<void>

export const FAULTS: readonly Fault[] = [
  commitArrives,
  commitArrives,
  controllerDies,
  controllerHangs,
  controllerHandsOver,
  agentDies,
  apiFails,
  watchFails,
  powerFails,
  networkFails,
  clockJumps,
  nodeJoins,
  nodeLeaves,
  adminCordons,
]

/** Etcd is restored from a backup: what has happened since is known to machines alone. */
export const RESTORED_FAULTS: readonly Fault[] = [
  ...FAULTS,
  commitArrives,
  commitArrives,
  commitArrives,
  backupTaken,
  backupTaken,
  backupTaken,
  backupTaken,
  etcdRestored,
  etcdRestored,
  etcdRestored,
  etcdRestored,
]

/** Nothing befalls nodes and requests: what a good commit fails by is a clock. */
export const CLOCK_FAULTS: readonly Fault[] = [
  commitArrives,
  commitArrives,
  leaderReplaced,
  leaderReplaced,
  nodeJoins,
  adminCordons,
]

/** Everything arrives in the end, and late: what was true when it was sent need not be so any more. */
export const LATE_FAULTS: readonly Fault[] = [
  ...FAULTS,
  commitArrives,
  newsHeldBack,
  newsHeldBack,
  nodesLate,
  nodesLate,
  nodesLate,
  patchesLate,
  patchesLate,
  answersLate,
  apiServerAway,
]

/** What controllers hear is behind, and what they read again is not. Nothing befalls nodes at work, so no good commit may fail. */
export const BEHIND_FAULTS: readonly Fault[] = [
  commitArrives,
  commitArrives,
  commitArrives,
  newsHeldBack,
  newsHeldBack,
  watchBehind,
  watchBehind,
  watchBehind,
  watchBehind,
  canaryTooSlow,
  canaryTooSlow,
  idleNodeReplaced,
  idleNodeReplaced,
  nodeJoins,
  operatorRetries,
  poolDeleted,
  adminCordons,
  controllerDies,
  controllerHandsOver,
]
