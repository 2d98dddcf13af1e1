import { byText } from '../../protocol/by-text.ts'
import type { FailedNode, NodePhase, NodePoolStatus } from '../../protocol/node-pool.ts'
import { NODE_PHASES } from '../../protocol/node-pool.ts'
import { rollbackChoices } from '../controls/rollback.ts'
import { waveStatus } from '../exposure/waves.ts'
import { isRenderFailure } from '../model/node-progress.ts'
import type { Member, MemberCounts, PoolState } from '../model/pool-state.ts'
import type { Selection } from '../selection/select.ts'
import { boundedStatus } from './bounded-status.ts'
import { conditionsOf } from './conditions.ts'
import { rebootsOf } from './reboots-shown.ts'

/** A status is read by people and kept in one object: of thousands of failures the first ones are shown. */
const FAILED_SHOWN = 50

/** What the pool shows, and what later decisions build on; the same for as long as nothing changes. */
export function statusOf(poolState: PoolState, selection: Selection): NodePoolStatus {
  const { pool, rollout, members, notAtRest, counts, waves, open } = poolState
  const { target, stable, rejected, observedControls, rollback, promotion, fleetRetry, held, controls, gates, history } =
    rollout.memory
  const byPhase = phasesOf(counts)
  const reboots = rebootsOf(notAtRest)
  const status: Draft = {
    nodes: { total: members.length, current: byPhase.Current ?? 0, byPhase },
    failed: failedNodes(notAtRest),
    rejected,
    rollbackTo: rollbackChoices(rollout.memory, pool.kept ?? pool.known),
    held,
    controls,
    history,
    conditions: conditionsOf(poolState, selection),
  }
  if (target) status.target = target
  if (stable) status.stable = stable
  if (waves[open]) status.wave = waveStatus(waves, { ...rollout.memory.wave, open })
  if (observedControls) status.observedControls = observedControls
  if (rollback) status.rollback = rollback
  if (promotion) status.promotion = promotion
  if (fleetRetry) status.fleetRetry = fleetRetry
  if (reboots.length > 0) status.reboots = reboots
  if (gates) status.gates = gates
  return boundedStatus(status)
}

/** What is absent is left out, as the API server does it. One is made in each pass: ten spreads would be a tenth of all its cost. */
type Draft = { -readonly [Member in keyof NodePoolStatus]: NodePoolStatus[Member] }

function phasesOf({ byPhase }: MemberCounts): Partial<Record<NodePhase, number>> {
  const phases: Partial<Record<NodePhase, number>> = {}
  for (const phase of NODE_PHASES) {
    const nodes = byPhase.get(phase)
    if (nodes !== undefined) phases[phase] = nodes
  }
  return phases
}

/** Those that cannot be rendered come last: that is found again each time, and how another failed may stand nowhere else. */
export function failedNodes(members: readonly Member[]): readonly FailedNode[] {
  const [failed, unrendered]: [FailedNode[], FailedNode[]] = [[], []]
  for (const { node, progress } of members) {
    if (!progress.failure) continue
    const kind = isRenderFailure(progress.failure) ? unrendered : failed
    kind.push({ node: node.name, ...progress.failure })
  }
  const byName = byText(({ node }: FailedNode) => node)
  return [...failed.sort(byName), ...unrendered.sort(byName)].slice(0, FAILED_SHOWN)
}
