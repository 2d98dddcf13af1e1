import { atMost, type Disruption } from '../protocol/desired-config.ts'
import { isUnavailable, remainingBudget } from './budget.ts'
import { grantFor } from './grant.ts'
import { lastResort } from './last-resort.ts'
import { nodeRestraints } from './node-restraint.ts'
import { inOrder } from './order.ts'
import type { Member, Picture } from './picture.ts'
import { alreadyRuns } from './report.ts'
import { type Restraint, restraintOf } from './restraint.ts'
import type { PoolSnapshot, RolloutPolicy } from './snapshot.ts'

/** Which nodes are assigned now, and why others whose turn has come are not. */
export interface Taking {
  readonly taken: readonly Taken[]
  /** How many wait because the budget is spent. */
  readonly waiting: number
  /** Why none is taken though it would be their turn. */
  readonly restraint?: Restraint
  /** Names of those that would have to be drained. */
  readonly undrainable: readonly string[]
}

export interface Taken {
  readonly node: string
  readonly revision: string
  readonly digest: string
  readonly grant: Disruption
  /** It spends none of the budget: it is unavailable anyway, or is not disturbed. */
  readonly free: boolean
}

export function takeNodes(picture: Picture): Taking {
  const { pool, run } = picture
  if (run.state === 'Halted') return { taken: [], waiting: 0, undrainable: [] }
  const restraint = restraintOf(picture)
  const inTurn = picture.members.filter((member) => isDue(member, picture))
  const due = new Set([...inOrder(pool.name, inTurn), ...lastResort(picture)])
  const restraintOn = nodeRestraints(picture)
  const judged = [...due].filter((member) => isFree(member, restraint)).map((member) => ({ member, held: restraintOn(member) }))
  const held = restraint ?? judged.find((candidate) => candidate.held)?.held
  const offers = judged
    .filter((candidate) => !candidate.held)
    .map(({ member }) => ({ node: member.node.name, taken: takenAs(member, pool.policy) }))
  const takable = offers.flatMap(({ taken }) => taken ?? []).filter(oneOfControlPlane(pool))
  const paying = takable.filter(({ free }) => !free)
  const paid = paying.slice(0, remainingBudget(picture.members, pool))
  return {
    taken: [...takable.filter(({ free }) => free), ...paid],
    waiting: paying.length - paid.length,
    ...(held && { restraint: held }),
    undrainable: offers.filter(({ taken }) => !taken).map(({ node }) => node),
  }
}

function isFree({ standing }: Member, restraint: Restraint | undefined): boolean {
  return restraint === undefined || (restraint.sparesJoining === true && standing.phase === 'Joining')
}

/** A new predicate each time: it lets through the first node of the control plane, and no second one. */
function oneOfControlPlane({ fleet }: PoolSnapshot): (taken: Taken) => boolean {
  let places = 1
  return ({ node }) => !fleet?.controlPlane?.has(node) || places-- > 0
}

/**
 * Joining nodes do not wait for a wave, nor do broken ones; a node at work is due again only when it asks for a greater
 * grant.
 */
function isDue(member: Member, { open, waves }: Picture): boolean {
  const { standing, wanted, wave = open === waves.length ? open : Number.POSITIVE_INFINITY } = member
  if (standing.phase === 'Held' || standing.phase === 'Unmanaged' || wanted.kind === 'problem') return false
  if (member.assigned) return needsGreaterGrant(member)
  return standing.phase === 'Joining' || member.broken || wave <= open
}

function needsGreaterGrant({ node, report }: Member): boolean {
  const { needs } = report ?? {}
  return report?.phase === 'Blocked' && needs !== undefined && node.assigned !== undefined && !atMost(needs, node.assigned.grant)
}

/** @returns undefined when the node may not be granted what the change needs. */
function takenAs({ node, report, revision, wanted, standing, assigned }: Member, policy: RolloutPolicy): Taken | undefined {
  if (wanted.kind === 'problem') return undefined
  const disruption = (assigned && report?.needs) || wanted.disruption
  const grant = grantFor(policy, disruption)
  if (grant === undefined) return undefined
  const free = standing.phase === 'Joining' || isUnavailable(node, report) || alreadyRuns(wanted.digest, report)
  return { node: node.name, revision, digest: wanted.digest, grant, free }
}
