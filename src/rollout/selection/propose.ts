import type { NodeWas } from '../../protocol/desired-config.ts'
import { noEligibleNode } from '../blockers/no-eligible-node.ts'
import { nodeBlockers } from '../blockers/node-blockers.ts'
import { blockerOf } from '../blockers/pool-blocker.ts'
import { targetFor } from '../exposure/node-facts.ts'
import { recordingGates } from '../gates/gates.ts'
import { alreadyRuns } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Instant } from '../model/instant.ts'
import { givenUpAt } from '../model/member-order.ts'
import { nodeWas } from '../model/node-was.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import type { NodeRequest, Places, Price, Proposal, WorkKind } from '../model/proposal.ts'
import { returnsFromFailure } from '../model/rollout.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { needsProof } from '../proof/needs-proof.ts'
import { allowedUnavailable, type BudgetUse, placesLeft } from './budget.ts'
import { eligibleNodes, isToDrain } from './eligible-nodes.ts'
import { isIdle, isIdleUnderCordon, isServing } from './idle-nodes.ts'
import { lastSelectedAt } from './last-selected.ts'
import { zoneFilter } from './zones.ts'

/** What a pool asks for: which nodes it would change now, and why not others. */
export interface PoolProposal extends Proposal<SelectableNode> {
  readonly use: BudgetUse
  readonly assignsFrom: Instant
  /** Eligible nodes that would spend a place in a budget; of those that cannot be paid for, one is asked for at most. */
  readonly spending: number
  /** Why nodes are not asked for that are eligible. */
  readonly blocker?: Blocker | undefined
  /** When time alone may lift what keeps some node, whatever is reported. */
  readonly until?: Instant | undefined
  /** It keeps single nodes, and others may go on. */
  readonly isOfSome: boolean
}

/** An eligible node that nothing but a budget or a turn keeps from being selected. */
export interface SelectableNode extends NodeRequest {
  readonly member: Member
  readonly digest: string
  /** Its pods go first: it is cordoned now, and assigned later. */
  readonly mustDrain: boolean
  /** How it is now, as far as it has to be known afterwards. */
  readonly nodeWas?: NodeWas | undefined
  /** A pod has to run on it afterwards. */
  readonly needsProof: boolean
}

export function propose(state: PoolState): PoolProposal {
  const { pool, rollout, members, notAtRest } = state
  const eligible = eligibleNodes(state)
  if (rollout.state === 'Halted' && eligible.length === 0) return nothingToDo(state)
  const poolWide = blockerOf(state)
  const { selectable, found, until } = unblocked(eligible, { state, poolWide })
  const blocker = poolWide ?? found ?? noEligibleNode(state)
  const { free, idle, serving, spending } = byPrice(selectable, state)
  const use = budgetUse(notAtRest, { idle, serving })
  const left = placesLeft(allowedUnavailable(pool.policy.maxUnavailable, members.length), use)
  // Pods run on one that somebody cordoned, not on one that is down. It comes first: it needs no free place, which its cordon may use up.
  const zoned = [...idle.filter(isIdleUnderCordon), ...spending]
  const isInZone = zoneFilter(zoned, state)
  const inZones = spending.filter(isInZone)
  const idleInZones = idle.filter((member) => isInZone(member) || !isIdleUnderCordon(member))
  const asked = (members: readonly Member[], price: Price) => members.map((member) => requestFor(member, { price, state }))
  return {
    pool: pool.name,
    // Of thousands that are eligible, a few are asked for: only of these it is found out how much the change disturbs them.
    requests: [
      ...asked(free, 'Nothing'),
      ...asked(upTo(left.idlePlaces + 1, idleInZones, pool), 'Idle'),
      ...asked(upTo(left.servingPlaces + 1, serving, pool), 'Serving'),
      ...asked(upTo(left.places + 1, inZones, pool), 'Available'),
    ],
    places: left.places,
    servingPlaces: left.servingPlaces,
    idlePlaces: left.idlePlaces,
    use,
    spending: idle.length + serving.length + spending.length,
    isKeptByZones: zoned.length > 0 && !zoned.some(isInZone),
    servedAt: lastSelectedAt(state),
    assignsFrom: rollout.assignsFrom,
    blocker,
    until,
    isOfSome: poolWide === undefined && found !== undefined,
  }
}

interface Unblocked {
  readonly selectable: readonly Member[]
  readonly found: Blocker | undefined
  readonly until: Instant | undefined
}

/** Those that nothing but a budget keeps from being selected, the first reason that keeps another, and when time may lift one of them. */
function unblocked(
  eligible: readonly Member[],
  { state, poolWide }: { readonly state: PoolState; readonly poolWide: Blocker | undefined },
): Unblocked {
  const isSpared = sparedBy(poolWide, state)
  const blockerFor = nodeBlockers(state)
  let found: Blocker | undefined
  let until = poolWide?.until
  const selectable = eligible.filter((member) => {
    if (!isSpared(member)) return false
    const blocker = blockerFor(member)
    found ??= blocker
    if (blocker?.until !== undefined) until = Math.min(until ?? blocker.until, blocker.until)
    return blocker === undefined && member.wanted.kind === 'config'
  })
  return { selectable, found, until }
}

/** By what they take of the budgets: nothing, or one of their places. */
function byPrice(selectable: readonly Member[], state: PoolState) {
  const [free, idle, serving, spending]: [Member[], Member[], Member[], Member[]] = [[], [], [], []]
  for (const member of selectable) {
    if (isUndisturbed(member, state)) free.push(member)
    else if (member.isAtRest || !isUnavailable(member.node, member.report)) spending.push(member)
    else if (isIdle(member, state)) idle.push(member)
    else if (isServing(member)) serving.push(member)
    else free.push(member)
  }
  return { free, idle, serving, spending }
}

/** The change makes nothing unavailable. A drain does: what a node that was put back runs may take one by what it is assigned. */
function isUndisturbed(member: Member, state: PoolState): boolean {
  const { report, wanted, exposure, reboot } = member
  const runsIt = reboot === undefined && wanted.kind === 'config' && alreadyRuns(wanted.digest, report)
  return (runsIt || exposure.because === 'Joining') && !isToDrain(member, state)
}

function requestFor(member: Member, { price, state }: { readonly price: Price; readonly state: PoolState }): SelectableNode {
  const { node, wanted } = member
  return {
    member,
    name: node.name,
    kind: kindOf(member, state),
    price,
    isControlPlane: isControlPlane(member, state.pool),
    digest: wanted.kind === 'config' ? wanted.digest : '',
    mustDrain: isToDrain(member, state),
    nodeWas: nodeWas(member, state),
    needsProof: needsProof(member, state),
  }
}

function isControlPlane({ node }: Member, { fleet }: PoolSnapshot): boolean {
  return fleet?.controlPlane?.has(node.name) === true
}

const NO_PLACES: Places = { places: 0, servingPlaces: 0, idlePlaces: 0 }

function nothingToDo({ pool, rollout, notAtRest }: PoolState): PoolProposal {
  const use = budgetUse(notAtRest, { idle: [], serving: [] })
  return {
    pool: pool.name,
    requests: [],
    assignsFrom: rollout.assignsFrom,
    ...NO_PLACES,
    use,
    spending: 0,
    servedAt: undefined,
    blocker: undefined,
    isOfSome: false,
  }
}

/** Idle nodes of which nothing is wanted are an outage like any other, unless somebody cordoned them. */
function budgetUse(
  notAtRest: readonly Member[],
  requested: { readonly idle: readonly Member[]; readonly serving: readonly Member[] },
): BudgetUse {
  const unavailable = notAtRest.filter(({ node, report }) => isUnavailable(node, report))
  const idle = new Set(unavailable.filter(isIdleUnderCordon))
  for (const member of requested.idle) idle.add(member)
  return { unavailable: unavailable.length, serving: requested.serving.length, idle: idle.size }
}

/**
 * Nodes under drain have been selected before; those that were drained for other content, for that alone. A drain goes on for a newer commit
 * also while gates have still to record what is so before that.
 */
function sparedBy(blocker: Blocker | undefined, state: PoolState): (member: Member) => boolean {
  if (blocker === undefined) return () => true
  const { sparesJoining = false, sparesReturning = false } = blocker
  const isRecording = recordingGates(state).length > 0
  return (member) => {
    if (isDrainedForThis(member) && !(isRecording && needsRecord(member))) return true
    return (sparesJoining && member.exposure.because === 'Joining') || (sparesReturning && hasNewest(member, state))
  }
}

function isDrainedForThis({ drain, node, wanted }: Member): boolean {
  return drain?.kind === 'Done' && wanted.kind === 'config' && node.mark?.digest === wanted.digest
}

/** Stable content needs no record: nodes that join or are repaired do not wait for one. */
function needsRecord({ exposure }: Member): boolean {
  return exposure.content === 'target'
}

/** The pool stays with another commit than the newest, and the node still has that. */
function hasNewest({ node }: Member, { pool: { head } }: PoolState): boolean {
  const newest = targetFor(node, head)
  return newest.kind === 'config' && newest.digest === node.assigned?.digest
}

function kindOf(member: Member, { pool, rollout }: PoolState): WorkKind {
  const { exposure, drain, assigned, broken } = member
  if (exposure.because === 'Superseded') return 'supersede'
  if (exposure.because === 'LastResort') return 'lastResort'
  const isLast = givenUpAt(member) !== undefined
  if (drain?.kind === 'Done' || (assigned && !isLast)) return 'finish'
  if (broken && !isLast) return 'repair'
  const isReturn = rollout.memory.rollback !== undefined || returnsFromFailure(pool, rollout)
  return isReturn || (rollout.proven && rollout.state === 'InProgress') ? 'rollback' : 'forward'
}

/** So many that are not of the control plane, and all before them that are: these may have to wait for their turn. */
function upTo(count: number, members: readonly Member[], pool: PoolSnapshot): readonly Member[] {
  let left = count
  return members.filter((member) => left > 0 && (isControlPlane(member, pool) || left-- > 0))
}
