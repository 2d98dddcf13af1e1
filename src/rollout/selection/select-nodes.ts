import type { Blocker } from '../blockers/blocker.ts'
import { noEligibleNode } from '../blockers/no-eligible-node.ts'
import { nodeBlockers } from '../blockers/node-blockers.ts'
import { blockerOf } from '../blockers/pool-blocker.ts'
import { isForeignCordon } from '../drain/cordon.ts'
import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf } from '../exposure/eligible.ts'
import { alreadyRuns } from '../model/agent-report.ts'
import type { Action } from '../model/decision.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { isUnavailable, remainingBudget } from './budget.ts'
import { type Eligible, eligibleNodes } from './eligible-nodes.ts'
import { withinZones } from './zones.ts'

/** Which nodes are cordoned or assigned now, and why others whose turn has come are not. */
export interface Selection {
  readonly selected: readonly Selected[]
  /** How many wait because the budget is spent. */
  readonly waiting: number
  /** Why none is taken though it would be their turn. */
  readonly blocker?: Blocker
}

export type Selected = Extract<Action, { kind: 'assign' | 'cordon' }>

export function selectNodes(poolState: PoolState): Selection {
  const { pool, rollout, members } = poolState
  const eligible = eligibleNodes(poolState)
  if (rollout.state === 'Halted' && eligible.length === 0) return { selected: [], waiting: 0 }
  const blocker = blockerOf(poolState)
  const blockerFor = nodeBlockers(poolState)
  const judged = eligible
    .filter(({ member }) => isFree(member, blocker))
    .map((candidate) => ({ ...candidate, blocker: blockerFor(candidate.member) }))
  const shown = blocker ?? judged.find((candidate) => candidate.blocker)?.blocker ?? noEligibleNode(poolState)
  const selectable = judged
    .filter((candidate) => !candidate.blocker)
    .flatMap((candidate) => selectableOf(candidate, pool))
    .filter(oneOfControlPlane(pool))
  const paying = selectable.filter(({ free }) => !free)
  const paid = withinZones(paying, poolState).slice(0, remainingBudget(members, pool))
  return {
    selected: [...selectable.filter(({ free }) => free), ...paid].map((offer) => actionFor(offer, poolState)),
    waiting: paying.length - paid.length,
    ...(shown && { blocker: shown }),
  }
}

/** Nodes under drain have been taken before. */
function isFree({ progress, drain }: Member, blocker: Blocker | undefined): boolean {
  if (blocker === undefined || drain?.kind === 'Done') return true
  return blocker.sparesJoining === true && progress.phase === 'Joining'
}

/** A new predicate each time: it lets through the first node of the control plane, and no second one. */
function oneOfControlPlane({ fleet }: PoolSnapshot): (offer: Selectable) => boolean {
  let places = 1
  return ({ member: { node } }) => !fleet?.controlPlane?.has(node.name) || places-- > 0
}

/** A candidate that may be taken, if the budget reaches so far: of thousands that wait, only few are. */
interface Selectable extends Eligible {
  readonly zone: string
  readonly digest: string
  /** It spends none of the budget: it is unavailable anyway, or is not disturbed. */
  readonly free: boolean
}

function selectableOf(candidate: Eligible, pool: PoolSnapshot): Selectable[] {
  const { node, report, wanted, progress } = candidate.member
  if (wanted.kind === 'problem') return []
  const { digest } = wanted
  const isUndisturbed = progress.phase === 'Joining' && !isToDrain(candidate, pool)
  const free = isUnavailable(node, report) || alreadyRuns(digest, report) || isUndisturbed
  return [{ ...candidate, zone: node.zone, digest, free }]
}

function isToDrain({ member, drained }: Eligible, { policy }: PoolSnapshot): boolean {
  return !drained && mustDrain(policy, disruptionOf(member))
}

function actionFor(offer: Selectable, { pool, now }: PoolState): Selected {
  const { member, digest } = offer
  const { node, revision } = member
  const mark = { digest, at: now, state: isForeignCordon(node) ? 'Found' : 'Ours' } as const
  return isToDrain(offer, pool)
    ? { kind: 'cordon', node: node.name, mark }
    : { kind: 'assign', node: node.name, revision, digest, grant: disruptionOf(member), at: now }
}
