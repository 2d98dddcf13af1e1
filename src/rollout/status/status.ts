import type { FailedNode, NodePhase, NodePoolStatus } from '../../protocol/node-pool.ts'
import { NODE_PHASES } from '../../protocol/node-pool.ts'
import { rollbackChoices } from '../controls/rollback.ts'
import { waveStatus } from '../exposure/waves.ts'
import type { Member, MemberCounts, PoolState } from '../model/pool-state.ts'
import type { Selection } from '../selection/select.ts'
import { boundedStatus } from './bounded-status.ts'
import { conditionsOf } from './conditions.ts'
import { rebootsOf } from './reboots.ts'

/** A status is read by people and kept in one object: thousands of failures are all told by the first. */
const FAILED_SHOWN = 50

/** What the pool shows, and what later decisions build on; the same for as long as nothing changes. */
export function statusOf(poolState: PoolState, selection: Selection): NodePoolStatus {
  const { pool, rollout, members, notable, counts, waves, open } = poolState
  const { target, stable, rejected, observedControls, rollback, promotion, fleetRetry, held, controls, gates, history } =
    rollout.memory
  const sizes = rollout.memory.wave?.sizes
  const byPhase = phasesOf(counts)
  const reboots = rebootsOf(notable)
  return boundedStatus({
    ...(target && { target }),
    ...(stable && { stable }),
    ...(waves[open] && { wave: waveStatus(waves, { open, sizes }) }),
    nodes: { total: members.length, current: byPhase.Current ?? 0, byPhase },
    failed: failedNodes(notable),
    rejected,
    ...(observedControls && { observedControls }),
    ...(rollback && { rollback }),
    ...(promotion && { promotion }),
    ...(fleetRetry && { fleetRetry }),
    rollbackTo: rollbackChoices(rollout.memory, pool.kept ?? pool.known),
    held,
    ...(reboots.length > 0 && { reboots }),
    controls,
    ...(gates && { gates }),
    history,
    conditions: conditionsOf(poolState, selection),
  })
}

function phasesOf({ byPhase }: MemberCounts): Partial<Record<NodePhase, number>> {
  return Object.fromEntries(NODE_PHASES.flatMap((phase) => (byPhase.has(phase) ? [[phase, byPhase.get(phase)]] : [])))
}

export function failedNodes(members: readonly Member[]): readonly FailedNode[] {
  return members
    .flatMap(({ node, progress }) => (progress.failure ? [{ node: node.name, ...progress.failure }] : []))
    .sort((a, b) => (a.node < b.node ? -1 : 1))
    .slice(0, FAILED_SHOWN)
}
