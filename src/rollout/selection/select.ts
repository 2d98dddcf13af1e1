import { hasTheTurn } from '../control-plane/control-plane-blocker.ts'
import { disruptionOf } from '../exposure/disruption.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Candidate } from '../model/candidate.ts'
import { isForeignCordon, markOf } from '../model/cordon.ts'
import type { Action } from '../model/decision.ts'
import type { FleetUse, Grant, HeldPlaces, PoolGrant } from '../model/grant.ts'
import type { Instant } from '../model/instant.ts'
import { pauseImageOf } from '../proof/image.ts'
import type { PoolProposal, SelectableNode } from './propose.ts'

/** Which nodes are cordoned or assigned now, and why others that are eligible are not. */
export interface Selection {
  readonly selected: readonly Selected[]
  /** How many wait because a budget is spent. */
  readonly waiting: number
  readonly blocker: Blocker | undefined
  /** Who has the fleet's budget, when the pool waits for that. */
  readonly lacking: FleetUse | undefined
  /** The control-plane node that the blocker is about, when somebody has to repair it. */
  readonly awaitedNode?: HeldPlaces | undefined
}

export type Selected = Extract<Action, { kind: 'assign' | 'cordon' }>

/** Makes actions of what was granted. */
export function select(proposal: PoolProposal, grant: PoolGrant, now: Instant): Selection {
  const { requests, spending, assignsFrom } = proposal
  const granted = requests.filter(({ name }) => grant.nodes.has(name))
  const waiting = spending - granted.filter(({ price }) => price !== 'Nothing').length
  return {
    selected: granted.map((node) => actionFor(node, { now, assignsFrom })),
    waiting,
    blocker: blockerOf(proposal, waiting) ?? waitsForTurn(requests, grant),
    lacking: grant.fleetUse,
    awaitedNode: grant.awaitedNode,
  }
}

/** What keeps single nodes for a while does not keep those that a budget is short for. */
function blockerOf({ blocker, isOfSome }: PoolProposal, waiting: number): Blocker | undefined {
  return isOfSome && waiting > 0 && !blocker?.stalls ? undefined : blocker
}

function waitsForTurn(requests: PoolProposal['requests'], { nodes, turnOf }: Grant): Blocker | undefined {
  const waiting = requests.find(({ name, isControlPlane }) => isControlPlane && !nodes.has(name))
  if (!waiting || turnOf === undefined) return undefined
  return { reason: 'WaitingForBudget', message: `"${waiting.name}" waits: ${hasTheTurn(turnOf)}`, stalls: false }
}

function actionFor(
  { member, digest, mustDrain, nodeWas, needsProof }: SelectableNode,
  { now, assignsFrom }: Pick<PoolProposal, 'assignsFrom'> & { readonly now: Instant },
): Selected {
  const { node, revision, reboot } = member
  if (mustDrain)
    return { kind: 'cordon', node: node.name, mark: markOf(member, { at: now, state: isForeignCordon(node) ? 'Found' : 'Ours' }) }
  const grant = disruptionOf(member)
  const at = stampAfter(node.assigned?.at, Math.max(now, assignsFrom))
  const more = { ...(reboot && { reboot }), ...(nodeWas && { nodeWas }) }
  const assign = { kind: 'assign', node: node.name, revision, digest, grant, at, ...more } as const
  return needsProof ? { ...assign, proof: proofOf(member) } : assign
}

/** Milliseconds. What is further ahead was stamped by a clock that has been put back since. */
const SAME_MOMENT = 1000

/**
 * Each assignment of a node has a stamp of its own: a node that got other content and the former one again in one instant would seem to have
 * ended what it has just begun.
 */
function stampAfter(last: Instant | undefined, now: Instant): Instant {
  return last !== undefined && last >= now && last - now < SAME_MOMENT ? last + 1 : now
}

/** Before the change: of the first attempt, where it is assigned the same once more. */
function proofOf({ node, wanted }: Candidate): NonNullable<Extract<Selected, { kind: 'assign' }>['proof']> {
  const isSame = wanted.kind === 'config' && node.proof?.digest === wanted.digest
  const podCapacity = (isSame ? node.proof?.podCapacity : undefined) ?? node.podCapacity
  const pauseImage = pauseImageOf(node)
  const pressures = isSame ? node.proof?.pressures : node.pressures?.map(({ type }) => type)
  return {
    ...(podCapacity !== undefined && { podCapacity }),
    ...(pauseImage !== undefined && { pauseImage }),
    ...(pressures && { pressures }),
  }
}
