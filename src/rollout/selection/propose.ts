import { noEligibleNode } from '../blockers/no-eligible-node.ts'
import { nodeBlockers } from '../blockers/node-blockers.ts'
import { blockerOf } from '../blockers/pool-blocker.ts'
import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf } from '../exposure/eligible.ts'
import { alreadyRuns } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Instant } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import type { NodeRequest, Proposal, WorkKind } from '../model/proposal.ts'
import { isRejected } from '../model/remembered-revision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { needsProof } from '../proof/needs-proof.ts'
import { allowedUnavailable, type BudgetUse, placesLeft } from './budget.ts'
import { type Eligible, eligibleNodes } from './eligible-nodes.ts'
import { isIdle, isIdleUnderCordon } from './idle-nodes.ts'
import { servedIn } from './served.ts'
import { withinZones } from './zones.ts'

/** What a pool asks for: which nodes it would change now, and why not others. */
export interface PoolProposal extends Proposal<SelectableNode> {
  readonly use: BudgetUse
  /** Eligible nodes that would spend a place in a budget; of those that cannot be paid for, one is asked for at most. */
  readonly spending: number
  /** Why nodes are not asked for that are eligible. */
  readonly blocker?: Blocker
}

/** An eligible node that nothing but a budget or a turn keeps from being selected. */
export interface SelectableNode extends Eligible, NodeRequest {
  readonly zone: string
  readonly digest: string
  /** Its pods go first: it is cordoned now, and assigned later. */
  readonly mustDrain: boolean
  /** A pod has to run on it afterwards. */
  readonly needsProof: boolean
}

export function propose(state: PoolState): PoolProposal {
  const { pool, rollout, members } = state
  const eligible = eligibleNodes(state)
  if (rollout.state === 'Halted' && eligible.length === 0) return nothingToDo(state)
  const poolWide = blockerOf(state)
  const blockerFor = nodeBlockers(state)
  const spared = eligible.filter(({ member }) => isSpared(member, poolWide))
  const found: Blocker[] = []
  const unblocked = spared.filter(({ member }) => {
    const blocker = blockerFor(member)
    if (blocker) found.push(blocker)
    return blocker === undefined
  })
  const blocker = poolWide ?? found[0] ?? noEligibleNode(state)
  const selectable = unblocked.flatMap((candidate) =>
    selectableOf(candidate, { pool, now: state.now, kind: kindOf(candidate.member, state) }),
  )
  const spending = withinZones(
    selectable.filter(({ spends }) => spends),
    state,
  )
  const free = selectable.filter(({ spends, isIdle }) => !spends && !isIdle)
  const idle = selectable.filter((request) => request.isIdle)
  const use = budgetUse(members, idle)
  const left = placesLeft(allowedUnavailable(pool.policy.maxUnavailable, members.length), use)
  const servedAt = servedIn(state)
  return {
    pool: pool.name,
    // Of thousands that are eligible, a few are asked for: only of these it is found out how much the change disturbs them.
    requests: [...free, ...upTo(left.idlePlaces + 1, idle), ...upTo(left.places + 1, spending)].map((node) => ({
      ...node,
      mustDrain: isToDrain(node, pool),
      needsProof: needsProof(node.member, state),
    })),
    ...left,
    use,
    spending: selectable.length - free.length,
    ...(servedAt !== undefined && { servedAt }),
    ...(blocker && { blocker }),
  }
}

function nothingToDo({ pool, members }: PoolState): PoolProposal {
  return { pool: pool.name, requests: [], places: 0, idlePlaces: 0, use: budgetUse(members, []), spending: 0 }
}

/** Idle nodes of which nothing is wanted are an outage like any other, unless somebody cordoned them. */
function budgetUse(members: readonly Member[], requests: readonly Pick<SelectableNode, 'member'>[]): BudgetUse {
  const unavailable = members.filter(({ node, report }) => isUnavailable(node, report))
  const idle = new Set([...unavailable.filter(isIdleUnderCordon), ...requests.map(({ member }) => member)])
  return { unavailable: unavailable.length, idle: idle.size }
}

/** Nodes under drain have been selected before. */
function isSpared({ exposure, drain }: Member, blocker: Blocker | undefined): boolean {
  if (blocker === undefined || drain?.kind === 'Done') return true
  return blocker.sparesJoining === true && exposure.because === 'Joining'
}

interface Asking {
  readonly pool: PoolSnapshot
  readonly now: Instant
  readonly kind: WorkKind
}

function selectableOf(eligible: Eligible, { pool, now, kind }: Asking): Omit<SelectableNode, 'mustDrain' | 'needsProof'>[] {
  const { node, report, wanted, exposure, reboot } = eligible.member
  if (wanted.kind === 'problem') return []
  const { digest } = wanted
  const isUndisturbed =
    (reboot === undefined && alreadyRuns(digest, report)) || (exposure.because === 'Joining' && !isToDrain(eligible, pool))
  return [
    {
      member: eligible.member,
      drained: eligible.drained,
      name: node.name,
      kind: exposure.because === 'LastResort' ? 'lastResort' : kind,
      spends: !isUndisturbed && !isUnavailable(node, report),
      isIdle: !isUndisturbed && isIdle(eligible.member, { pool, now }),
      isControlPlane: pool.fleet?.controlPlane?.has(node.name) === true,
      zone: node.zone,
      digest,
    },
  ]
}

function isToDrain({ member, drained }: Eligible, { policy }: PoolSnapshot): boolean {
  return !drained && mustDrain(policy, disruptionOf(member))
}

function kindOf({ drain, assigned, broken }: Member, { pool, rollout }: PoolState): WorkKind {
  if (assigned || drain?.kind === 'Done') return 'finish'
  if (broken) return 'repair'
  const isReturn = rollout.memory.rollback !== undefined || isRejected(rollout.memory, pool.head)
  return isReturn || (rollout.proven && rollout.state === 'InProgress') ? 'rollback' : 'forward'
}

/** So many that are not of the control plane, and all before them that are: these may have to wait for their turn. */
function upTo<T extends NodeRequest>(count: number, nodes: readonly T[]): readonly T[] {
  let left = count
  return nodes.filter(({ isControlPlane }) => left > 0 && (isControlPlane || left-- > 0))
}
