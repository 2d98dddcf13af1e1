import type { Action } from '../decision.ts'
import { isForeignCordon } from '../drain/cordon.ts'
import { mustDrain } from '../drain/requirement.ts'
import type { Member, Picture } from '../picture.ts'
import { alreadyRuns } from '../report.ts'
import { restraintOf } from '../restraints/pool-restraint.ts'
import type { Restraint } from '../restraints/restraint.ts'
import type { PoolSnapshot } from '../snapshot.ts'
import { isUnavailable, remainingBudget } from './budget.ts'
import { candidates } from './candidates.ts'
import { nobodyLeft } from './left-out.ts'
import { nodeRestraints } from './node-restraint.ts'
import { disruptionOf } from './turn.ts'
import { withinZones } from './zones.ts'

/** Which nodes are cordoned or assigned now, and why others whose turn has come are not. */
export interface Taking {
  readonly taken: readonly Taken[]
  /** How many wait because the budget is spent. */
  readonly waiting: number
  /** Why none is taken though it would be their turn. */
  readonly restraint?: Restraint
}

export interface Taken {
  readonly action: Extract<Action, { kind: 'assign' | 'cordon' }>
  readonly zone: string
  /** It spends none of the budget: it is unavailable anyway, or is not disturbed. */
  readonly free: boolean
}

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
    .flatMap(({ member, drained }) => takenAs(member, picture, drained))
    .filter(oneOfControlPlane(pool))
  const paying = offers.filter(({ free }) => !free)
  const paid = withinZones(paying, picture).slice(0, remainingBudget(members, pool))
  return {
    taken: [...offers.filter(({ free }) => free), ...paid],
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
function oneOfControlPlane({ fleet }: PoolSnapshot): (taken: Taken) => boolean {
  let places = 1
  return ({ action: { node } }) => !fleet?.controlPlane?.has(node) || places-- > 0
}

function takenAs(member: Member, { pool, now }: Picture, drained: boolean): Taken[] {
  const { node, report, revision, wanted, standing } = member
  if (wanted.kind === 'problem') return []
  const { digest } = wanted
  const grant = disruptionOf(member)
  const isDrain = !drained && mustDrain(pool.policy, grant)
  const free = isUnavailable(node, report) || alreadyRuns(digest, report) || (standing.phase === 'Joining' && !isDrain)
  const mark = { digest, at: now, state: isForeignCordon(node) ? 'Found' : 'Ours' } as const
  const action = isDrain
    ? ({ kind: 'cordon', node: node.name, mark } as const)
    : ({ kind: 'assign', node: node.name, revision, digest, grant, at: now } as const)
  return [{ action, zone: node.zone, free }]
}
