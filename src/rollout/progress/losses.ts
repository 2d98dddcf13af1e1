import { byText } from '../../protocol/by-text.ts'
import type { HistoryEntry, Losses, LostNode } from '../../protocol/node-pool.ts'
import { isSameData } from '../../protocol/same-data.ts'
import { isApplied, isFoundGood } from '../model/agent-report.ts'
import { BLINK, type RolloutClock } from '../model/deadlines.ts'
import { isEvidence, isUntried } from '../model/evidence.ts'
import type { Instant } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { failuresOf } from '../model/target-failures.ts'
import { isInRollout } from '../model/wanted-assignment.ts'

/** A status is one object: of more nodes the others are not remembered. */
const AT_RISK_KEPT = 100
const REPLACED_KEPT = 1_000

const NONE: Losses = { nodes: [], replaced: [] }

/**
 * The history with the machines that the rollout under way may have broken; undefined when it says so already. Health checks of machines
 * replace a broken one, often before the time for its work is over. Without this, each canary in turn would be broken and replaced.
 */
export function rememberLosses({ rollout, ...state }: PoolState): readonly HistoryEntry[] | undefined {
  const [top, ...older] = rollout.memory.history
  if (top?.fingerprint !== rollout.target.fingerprint) return undefined
  const before = top.losses ?? NONE
  const after = lossesAfter(before, { rollout, ...state })
  if (isSame(before, after)) return undefined
  const { losses: _, ...entry } = top
  return [after.nodes.length + after.replaced.length === 0 ? entry : { ...entry, losses: after }, ...older]
}

/** When a node that is not Ready in the middle of its change begins to count, should it be replaced; undefined: it does already, or never. */
export function lossCountsFrom(member: Member, state: Pick<PoolState, 'rollout' | 'now' | 'clock'>): Instant | undefined {
  const from = member.node.readySince + BLINK
  return state.rollout.state === 'InProgress' && from > state.now && isDownMidChange(member, state.clock) ? from : undefined
}

function lossesAfter(before: Losses, state: PoolState): Losses {
  const gone = before.nodes.filter((known) => !state.members.some(({ node }) => isStillThere(known, node)))
  const lost = before.replaced.filter((known) => !state.members.some(({ node }) => isBack(known, node, state)))
  const replaced = [...lost, ...gone].slice(0, REPLACED_KEPT)
  const nodes = nodesAtRisk(state, before).map(({ node: { name, uid }, wave: index = -1 }) => {
    const wave = state.waves[index]?.name
    return { name, ...(wave !== undefined && { wave }), ...(uid !== undefined && { uid }) }
  })
  return { nodes, replaced }
}

/** A Node of the same name that was assigned nothing yet, or that has another uid, is of another machine. */
function isStillThere(known: LostNode, { name, uid, assigned, leaving }: Member['node']): boolean {
  if (name !== known.name || assigned === undefined || leaving) return false
  return uid === undefined || known.uid === undefined || uid === known.uid
}

/** Its labels had taken it out of the pool: with what this rollout assigned it, it counts as itself again. */
function isBack(known: LostNode, node: Member['node'], { pool, clock }: Pick<PoolState, 'pool' | 'clock'>): boolean {
  if (known.uid === undefined || node.uid !== known.uid || !isStillThere(known, node)) return false
  return node.assigned?.pool === pool.name && isInRollout(node.assigned, clock)
}

function nodesAtRisk(state: PoolState, { nodes }: Losses): readonly Member[] {
  const { notAtRest, now } = state
  const down = notAtRest.filter(
    (member) =>
      (isDownMidChange(member, state.clock) && now >= member.node.readySince + BLINK) ||
      (isStillDown(member, state.clock) && nodes.some((known) => isStillThere(known, member.node))),
  )
  const atRisk = [...failuresOf(state), ...down]
  return atRisk.sort(byText(({ node }) => node.name)).slice(0, AT_RISK_KEPT)
}

/**
 * A drain, other content or a greater grant takes nothing back of what the rollout did to it, as long as it is not Ready again. What it was
 * assigned as a node that was down says nothing any more.
 */
function isStillDown({ node, report, progress }: Member, clock: RolloutClock): boolean {
  if (node.ready || node.shutDown || node.hold !== undefined || node.assignedByHand) return false
  return progress.phase !== 'Failed' && !isUntried({ node, report }, clock)
}

/** Sound when it was assigned the target, not Ready since, and not because somebody stopped its machine: if that lasts, it fails. */
function isDownMidChange({ node, assigned, report, progress }: Member, clock: RolloutClock): boolean {
  if (node.ready || node.shutDown || !assigned || !node.assigned || !progress.pending) return false
  if (!isInRollout(node.assigned, clock) || !isEvidence({ node, report }, clock)) return false
  if (progress.phase !== 'Unreachable') return true
  return report?.phase === 'RolledBack' || (isApplied(report) && !isFoundGood(report, node.assigned.digest))
}

function isSame(before: Losses, after: Losses): boolean {
  return isSameData(before.replaced, after.replaced) && isSameData(before.nodes, after.nodes)
}
