import type { Restraint } from '../blockers/blocker.ts'
import { nobodyLeft } from '../blockers/no-node-left.ts'
import { nodeRestraints } from '../blockers/node-blockers.ts'
import { restraintOf } from '../blockers/pool-blocker.ts'
import { isForeignCordon } from '../drain/cordon.ts'
import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf } from '../exposure/eligible.ts'
import { alreadyRuns } from '../model/agent-report.ts'
import type { Action } from '../model/decision.ts'
import type { Member, Picture } from '../model/pool-state.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { isUnavailable, remainingBudget } from './budget.ts'
import { candidates, type Due } from './eligible-nodes.ts'
import { withinZones } from './zones.ts'

/** Which nodes are cordoned or assigned now, and why others whose turn has come are not. */
export interface Taking {
  readonly taken: readonly Taken[]
  /** How many wait because the budget is spent. */
  readonly waiting: number
  /** Why none is taken though it would be their turn. */
  readonly restraint?: Restraint
}

export type Taken = Extract<Action, { kind: 'assign' | 'cordon' }>

export function takeNodes(picture: Picture): Taking {
  const { pool, run, members } = picture
  const due = candidates(picture)
  if (run.state === 'Halted' && due.length === 0) return { taken: [], waiting: 0 }
  const restraint = restraintOf(picture)
  const restraintOn = nodeRestraints(picture)
  const judged = due
    .filter(({ member }) => isFree(member, restraint))
    .map((candidate) => ({ ...candidate, held: restraintOn(candidate.member) }))
  const held = restraint ?? judged.find((candidate) => candidate.held)?.held ?? nobodyLeft(picture)
  const offers = judged
    .filter((candidate) => !candidate.held)
    .flatMap((candidate) => offerOf(candidate, pool))
    .filter(oneOfControlPlane(pool))
  const paying = offers.filter(({ free }) => !free)
  const paid = withinZones(paying, picture).slice(0, remainingBudget(members, pool))
  return {
    taken: [...offers.filter(({ free }) => free), ...paid].map((offer) => takenAs(offer, picture)),
    waiting: paying.length - paid.length,
    ...(held && { restraint: held }),
  }
}

/** Nodes under drain have been taken before. */
function isFree({ standing, drain }: Member, restraint: Restraint | undefined): boolean {
  if (restraint === undefined || drain?.kind === 'Done') return true
  return restraint.sparesJoining === true && standing.phase === 'Joining'
}

/** A new predicate each time: it lets through the first node of the control plane, and no second one. */
function oneOfControlPlane({ fleet }: PoolSnapshot): (offer: Offer) => boolean {
  let places = 1
  return ({ member: { node } }) => !fleet?.controlPlane?.has(node.name) || places-- > 0
}

/** A candidate that may be taken, if the budget reaches so far: of thousands that wait, only few are. */
interface Offer extends Due {
  readonly zone: string
  readonly digest: string
  /** It spends none of the budget: it is unavailable anyway, or is not disturbed. */
  readonly free: boolean
}

function offerOf(candidate: Due, pool: PoolSnapshot): Offer[] {
  const { node, report, wanted, standing } = candidate.member
  if (wanted.kind === 'problem') return []
  const { digest } = wanted
  const isUndisturbed = standing.phase === 'Joining' && !isToDrain(candidate, pool)
  const free = isUnavailable(node, report) || alreadyRuns(digest, report) || isUndisturbed
  return [{ ...candidate, zone: node.zone, digest, free }]
}

function isToDrain({ member, drained }: Due, { policy }: PoolSnapshot): boolean {
  return !drained && mustDrain(policy, disruptionOf(member))
}

function takenAs(offer: Offer, { pool, now }: Picture): Taken {
  const { member, digest } = offer
  const { node, revision } = member
  const mark = { digest, at: now, state: isForeignCordon(node) ? 'Found' : 'Ours' } as const
  return isToDrain(offer, pool)
    ? { kind: 'cordon', node: node.name, mark }
    : { kind: 'assign', node: node.name, revision, digest, grant: disruptionOf(member), at: now }
}
