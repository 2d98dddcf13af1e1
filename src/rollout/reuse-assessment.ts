import { isSameData } from '../protocol/same-data.ts'
import type { AssessedPool } from './assessed-pool.ts'
import { type FactsContext, factsOf, type NodeFacts, targetFor } from './exposure/node-facts.ts'
import type { OpenWaves } from './exposure/waves.ts'
import type { Instant } from './model/instant.ts'
import type { NodeView } from './model/node-view.ts'
import type { Member, PoolContext } from './model/pool-state.ts'
import type { Rollout } from './model/rollout.ts'
import { type Indices, scatteredIndices } from './model/scattered.ts'
import type { Memory, PoolSnapshot, Revision } from './model/snapshot.ts'
import { commitsOf } from './target/history.ts'

/** How the nodes of a pool are scattered: as before, while they have the same names. */
export function scatteredOrder({ name, nodes }: PoolSnapshot, last: AssessedPool | undefined): Indices {
  const before = last?.pool.nodes
  const isSame =
    before?.length === nodes.length && nodes.every((node, index) => node === before[index] || node.name === before[index]?.name)
  if (last && isSame && last.pool.name === name) return last.order
  return scatteredIndices(
    name,
    nodes.map((node) => node.name),
  )
}

/** Finds the facts about the node at an index, where nothing that they are made of has changed since the last assessment. */
export function reusableFacts(
  context: FactsContext,
  last: AssessedPool | undefined,
): (node: NodeView, index: number) => NodeFacts {
  if (!last || !isSameBasis(context, last)) return (node) => factsOf(node, context)
  const { now } = context.clock
  const { target, stable } = context.rollout
  const isTargetKept = keepsTargets(target, last.rollout.target)
  const isStableKept = keepsTargets(stable, last.rollout.stable)
  return (node, index) => {
    const known = last.facts[index]
    if (known?.node !== node || !(now === last.now || now < known.validUntil)) return factsOf(node, context)
    const isSameTarget = isTargetKept || targetFor(node, target) === known.target
    return isSameTarget && (isStableKept || (stable && targetFor(node, stable)) === known.stable) ? known : factsOf(node, context)
  }
}

/** Of nodes that are the same. */
function keepsTargets(revision: Revision | undefined, last: Revision | undefined): boolean {
  return revision?.wanted === last?.wanted || (revision?.basis !== undefined && revision.basis === last?.basis)
}

/** The same for all nodes of the pool. A clock that went back, or that is not relied on yet, makes every instant another one. */
function isSameBasis({ rollout, clock, policy, isDivided }: FactsContext, last: AssessedPool): boolean {
  const { now, steadySince = last.now, watchedSince = last.now, listedAt = last.now } = clock
  return (
    now >= last.now &&
    Math.max(steadySince, watchedSince, listedAt) <= last.now &&
    policy === last.pool.policy &&
    isDivided === last.open < last.waves.length &&
    clock.rolloutStart === last.clock.rolloutStart &&
    clock.steadySince === last.clock.steadySince &&
    clock.watchedSince === last.clock.watchedSince &&
    clock.listedAt === last.clock.listedAt &&
    clock.soakedAt === last.clock.soakedAt &&
    clock.retriedAt === last.clock.retriedAt &&
    rollout.triedSince === last.rollout.triedSince &&
    (rollout.state === 'Halted') === (last.rollout.state === 'Halted') &&
    (rollout.state === 'Blocked') === (last.rollout.state === 'Blocked') &&
    (rollout.stable === undefined) === (last.rollout.stable === undefined) &&
    isSameRollout(rollout, last.rollout)
  )
}

/** A commit that renders the same goes on with the rollout under a name of its own. */
function isSameRollout({ target, memory, completed }: Rollout, last: Rollout): boolean {
  const isCommit = target.revision === last.target.revision && isSameData(commitsOnTop(memory), commitsOnTop(last.memory))
  return isCommit && isSameData(completed, last.completed)
}

function commitsOnTop({ history: [entry] }: Memory): readonly string[] {
  return entry === undefined ? [] : commitsOf(entry)
}

export interface MembersContext extends PoolContext, OpenWaves {
  readonly lastResort: ReadonlySet<string>
}

/** @returns undefined: the node is to be assessed */
type KnownMember = (fact: NodeFacts, wave: number | undefined, index: number) => Member | undefined

/** Finds the member as it was assessed last, where nothing that it is made of has changed since. */
export function reusableMembers(context: MembersContext, last: AssessedPool | undefined): KnownMember {
  if (!last || !isSameRule(context, last)) return () => undefined
  const { now } = context
  return (fact, wave, index) => {
    const member = last.members[index]
    if (member === undefined || last.facts[index] !== fact || member.wave !== wave || !isSameTurn(wave, context, last))
      return undefined
    if (now >= fact.validUntil || now >= progressEnds(member) || member.node.pressures !== undefined) return undefined
    const soaks = wave !== undefined && wave >= last.open && (last.waves[wave]?.soak ?? 0) > 0
    return soaks && isUnsteady(member, last.now) ? undefined : member
  }
}

/** What a node may get is decided as before. */
function isSameRule({ pool, rollout, lastResort }: MembersContext, last: AssessedPool): boolean {
  const before = last.rollout
  return (
    pool.policy === last.pool.policy &&
    pool.ceiling === last.pool.ceiling &&
    rollout.proven === before.proven &&
    rollout.target.revision === before.target.revision &&
    rollout.stable?.revision === before.stable?.revision &&
    (rollout.commitBlocker === undefined) === (before.commitBlocker === undefined) &&
    lastResort.size + last.lastResort.size === 0
  )
}

/** Whether its wave is open, has passed or is still to come decides, and not which other one opens. */
function isSameTurn(wave: number | undefined, now: OpenWaves, before: OpenWaves): boolean {
  if (now.open === before.open) return true
  if (now.open < 0 || before.open < 0 || isPast(now) || isPast(before) || wave === undefined) return false
  return wave > Math.max(now.open, before.open) || wave < Math.min(now.open, before.open)
}

function isPast({ waves, open }: OpenWaves): boolean {
  return open >= waves.length
}

/** When time, or what a pod shows, may change how far a node in service is. */
function progressEnds({ progress, proof }: Member): Instant {
  const isOpen = proof !== undefined && (proof.kind === 'Underway' || !proof.isNoted)
  return isOpen ? Number.NEGATIVE_INFINITY : (progress.until ?? Number.POSITIVE_INFINITY)
}

/** In a soak: stamps from which it is counted, of other clocks, may be ahead. */
function isUnsteady({ report, proof }: Member, now: Instant): boolean {
  if (proof !== undefined && proof.kind !== 'Underway' && proof.at > now) return true
  return report !== undefined && !(Date.parse(report.since) <= now)
}
