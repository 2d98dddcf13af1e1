import type { Blocker } from '../blockers/blocker.ts'
import { noEligibleNode } from '../blockers/no-eligible-node.ts'
import { nodeBlockers } from '../blockers/node-blockers.ts'
import { blockerOf } from '../blockers/pool-blocker.ts'
import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf } from '../exposure/eligible.ts'
import type { NodeRequest, Proposal, WorkKind } from '../fleet/arbiter.ts'
import { alreadyRuns } from '../model/agent-report.ts'
import type { Instant } from '../model/instant.ts'
import { isInRollout } from '../model/node-progress.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { needsProof } from '../proof/needs-proof.ts'
import { isRejected } from '../target/target.ts'
import { isOverdrawn, isUnavailable, isUndisturbedYet, remainingBudget } from './budget.ts'
import { isIdleUnderCordon, remainingCordoned } from './cordoned-budget.ts'
import { type Eligible, eligibleNodes } from './eligible-nodes.ts'
import { withinZones } from './zones.ts'

/** What a pool asks for: which nodes it would change now, and why not others. */
export interface PoolProposal extends Proposal<SelectableNode> {
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
  if (rollout.state === 'Halted' && eligible.length === 0) return { pool: pool.name, requests: [], places: 0, spending: 0 }
  const poolWide = blockerOf(state)
  const blockerFor = nodeBlockers(state)
  const spared = eligible.filter(({ member }) => isSpared(member, poolWide))
  const found: Blocker[] = []
  const free = spared.filter(({ member }) => {
    const blocker = blockerFor(member)
    if (blocker) found.push(blocker)
    return blocker === undefined
  })
  const blocker = poolWide ?? found[0] ?? noEligibleNode(state)
  const overdrawn = isOverdrawn(members, pool)
  const selectable = free.flatMap((candidate) =>
    selectableOf(candidate, { pool, overdrawn, kind: kindOf(candidate.member, state) }),
  )
  const spending = withinZones(
    selectable.filter(({ spends }) => spends),
    state,
  )
  const places = remainingBudget(members, pool)
  const unpaid = selectable.filter(({ spends }) => !spends)
  const cordoned = unpaid.filter(({ member }) => isIdleUnderCordon(member))
  const refused = new Set(cordoned.slice(remainingCordoned(members, pool)))
  const servedAt = servedIn(state)
  return {
    pool: pool.name,
    // Of thousands that are eligible, a few are asked for: only of these it is found out how much the change disturbs them.
    requests: [...unpaid.filter((node) => !refused.has(node)), ...upTo(places + 1, spending)].map((node) => ({
      ...node,
      mustDrain: isToDrain(node, pool),
      needsProof: needsProof(node.member, state),
    })),
    places,
    spending: selectable.length - unpaid.length + refused.size,
    ...(servedAt !== undefined && { servedAt }),
    ...(blocker && { blocker }),
  }
}

/** Nodes under drain have been selected before. */
function isSpared({ exposure, drain }: Member, blocker: Blocker | undefined): boolean {
  if (blocker === undefined || drain?.kind === 'Done') return true
  return blocker.sparesJoining === true && exposure.because === 'Joining'
}

interface Asking {
  readonly pool: PoolSnapshot
  readonly overdrawn: boolean
  readonly kind: WorkKind
}

function selectableOf(eligible: Eligible, { pool, overdrawn, kind }: Asking): Omit<SelectableNode, 'mustDrain' | 'needsProof'>[] {
  const { node, report, wanted, exposure } = eligible.member
  if (wanted.kind === 'problem') return []
  const { digest } = wanted
  const isUndisturbed = alreadyRuns(digest, report) || (exposure.because === 'Joining' && !isToDrain(eligible, pool))
  return [
    {
      member: eligible.member,
      drained: eligible.drained,
      name: node.name,
      kind: exposure.because === 'LastResort' ? 'lastResort' : kind,
      spends: !isUndisturbed && (!isUnavailable(node, report) || (overdrawn && isUndisturbedYet(node, report))),
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

/**
 * When the rollout last took a node, as the nodes show. Those that came since it began do not count: the content that they get
 * at once would put off the pool's turn as long as nodes join.
 */
function servedIn({ members, rollout, now }: PoolState): Instant | undefined {
  let latest: Instant | undefined
  for (const { node, assigned } of members) {
    const at =
      assigned && node.assigned && isInRollout(node.assigned, { rolloutStart: rollout.startedAt })
        ? node.assigned.at
        : node.mark?.at
    if (at === undefined || at > now || node.createdAt > rollout.startedAt) continue
    latest = Math.max(latest ?? at, at)
  }
  return latest
}
