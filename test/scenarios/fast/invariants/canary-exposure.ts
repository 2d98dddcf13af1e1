import type { AgentStatus } from '../../../../src/protocol/agent-status.ts'
import type { HistoryEntry } from '../../../../src/protocol/node-pool.ts'
import type { Assignment, NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { WavePolicy } from '../../../../src/rollout/model/policy.ts'
import { contentOf, digestFor } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { doesNotServe, firstOf, isHealed, seemedSilentWhenAssigned, wasUnsoundWhenAssigned } from '../when-assigned.ts'
import { type Decided, decidedPools, hasEnded, isBlocked, isJoining, stepsOf } from './steps.ts'

/** Of unsound nodes as many may be tried as the wave has places, and no more of sound ones than that are ever exposed. */
export const canaryExposure: Invariant = {
  claim: 'the canary wave alone sees what is not proven, and nobody does before the first wave opens',
  ofDecision: (observed) => decidedPools(observed).every(keepsToTheCanary),
}

function keepsToTheCanary(decided: Decided): boolean {
  const { pool, decision } = decided
  const { status } = decision
  const [top] = status.history
  const content = status.target?.fingerprint.slice('of '.length)
  const added = stepsOf(decided).filter(({ digest }) => contentOf(digest) === content)
  if (top?.result !== 'Running' || added.length === 0) return true
  if (status.wave === undefined) return added.every(({ node }) => isYoung(node)) && hasCompletedBefore(status)
  const canary = pool.policy.waves[0]
  if (!canary || 'percent' in canary.nodes || status.wave.name !== canary.name) return true
  const exposed = pool.nodes.filter((node) => isExposed(node, { content, run: top, pool: pool.name }))
  // A greater grant for what a node has already exposes nobody else.
  const others = added.filter(({ node }) => !exposed.includes(node))
  if (names(canary, decided)) return others.every(({ node }) => isSelected(node, canary))
  const places = 'count' in canary.nodes ? canary.nodes.count : 1
  return keepsToPlaces(places, { exposed, others: others.map(({ node }) => node), run: top })
}

interface Exposure {
  readonly exposed: readonly NodeView[]
  /** That get the target now. */
  readonly others: readonly NodeView[]
  readonly run: HistoryEntry
}

/** Of nodes that were not sound, and have not been Ready since, as many more may be tried. */
export function keepsToPlaces(places: number, { exposed, others, run }: Exposure): boolean {
  const sound = others.filter(isSound).length
  const tried = exposed.filter((node) => !wasSound(node, run))
  const waiting = tried.filter((node) => !hasComeBack(node)).length
  const isOfSound = isWithin(exposed.length - tried.length, sound, places)
  const isOfOthers = isWithin(waiting, others.length - sound, places)
  return isOfSound && isOfOthers && isWithin(exposed.length, others.length, 2 * places)
}

/** The target healed it, or it was down when it was assigned, and has been Ready since: it speaks for or against the target, and takes a place like any other. */
function hasComeBack(node: NodeView): boolean {
  const { assigned, ready, readySince } = node
  if (isHealed(node)) return true
  return assigned?.nodeWas === 'Down' && (ready || readySince > (assigned.at ?? 0) + 1000)
}

/**
 * Who joins a pool without members gets what the pool was sent back to: it proved itself there, and was not gone back from. Where the history is
 * lost, what the status calls stable has.
 */
function hasCompletedBefore({ history, target, stable }: Decided['decision']['status']): boolean {
  const completed = history.filter(({ result, fingerprint }) => result === 'Completed' && fingerprint === target?.fingerprint)
  if (completed.length === 0) return stable !== undefined && stable.fingerprint === target?.fingerprint
  return completed.some(({ abandoned }) => !abandoned)
}

/** A selector that names no node takes one. One that had nodes, and lost them, waits for others. */
function names(canary: WavePolicy, decided: Decided): boolean {
  const { nodes } = decided.pool
  const hadNodes = decided.decision.status.wave?.sizes?.some((size) => size.name === canary.name && size.nodes > 0)
  if ('count' in canary.nodes) return false
  return hadNodes || nodes.some((node) => isSelected(node, canary) && !isJoining(node, decided))
}

function isSelected({ labels }: NodeView, { nodes }: WavePolicy): boolean {
  return 'matchLabels' in nodes && Object.entries(nodes.matchLabels).every(([name, value]) => labels[name] === value)
}

/** It has never been assigned anything. */
function isYoung({ assigned }: NodeView): boolean {
  return assigned === undefined
}

function isWithin(before: number, added: number, places: number): boolean {
  return added === 0 || before + added <= places
}

/** One that is about to be deleted is out of the rollout. Of another pool it is what it has that counts, and not what it was rendered from. */
export function isExposed(
  { assigned, leaving, labels }: NodeView,
  { content, run, pool }: { readonly content: string | undefined; readonly run: HistoryEntry; readonly pool: string },
): boolean {
  if (assigned === undefined || leaving || contentOf(assigned.digest) !== content) return false
  if (assigned.digest === digestFor(content, labels)) return (assigned.at ?? 0) >= Date.parse(run.startedAt)
  return assigned.pool === pool && isOfRun(assigned, run)
}

/**
 * When it was assigned what it has: Ready, and its agent at work on nothing else, as far as can still be seen. Where the clock of the
 * controller was behind, its stamp says that the outage came later than it did.
 */
export function wasSound(node: NodeView, run: HistoryEntry): boolean {
  const { assigned: latest, status } = node
  const assigned = latest && firstInRun(latest, run)
  if (assigned !== undefined && wasUnsoundWhenAssigned(assigned)) return false
  if (latest !== undefined && !wasUnsoundWhenAssigned(latest) && seemsDownBefore(node, latest)) return false
  if (assigned !== undefined && isSilent(assigned, status)) return false
  const isStuck = status !== undefined && !['Applied', 'RolledBack', 'Failed'].includes(status.phase)
  return !(assigned && seemsDownBefore(node, assigned)) && !(isStuck && !speaksOf(status, assigned))
}

/** Its agent had been silent for too long before, as the assignment says, and says nothing of this one either. */
function isSilent(assigned: Assignment, status: AgentStatus | undefined): boolean {
  if (assigned.nodeWas !== 'Silent' || !seemedSilentWhenAssigned(assigned)) return false
  return status === undefined || !speaksOf(status, assigned)
}

/** Or of what the node got in its place when its labels had changed. Two assignments may be of one instant. */
export function speaksOf({ digest = '', assignedAt = '' }: AgentStatus, assigned: Assignment | undefined): boolean {
  return contentOf(digest) === contentOf(assigned?.digest ?? '') && Date.parse(assignedAt) >= (assigned?.at ?? 0)
}

/**
 * By stamps that may be of two clocks, one of which is ahead: they count where the assignment says that the node was not as it should be. It may
 * have been well for a moment when that arrived.
 */
export function seemsDownBefore({ ready, readySince }: NodeView, { at = 0, nodeWas = 'Disturbed' }: Assignment): boolean {
  return nodeWas !== 'Disturbed' && !ready && readySince + 1000 <= at
}

export function firstInRun(assigned: Assignment, run: HistoryEntry): Assignment {
  return firstOf(assigned, (former) => isOfRun(former, run))
}

/** Of a run that is found again by its nodes, earlier names of its commit are not known. */
function isOfRun({ at = 0, revision }: Assignment, { startedAt, revision: latest, commits = [] }: HistoryEntry): boolean {
  return at >= Date.parse(startedAt) && [latest, ...commits].includes(revision)
}

/** Before it is assigned anything. An agent that waits for a greater grant disturbs nothing. */
export function isSound(node: NodeView): boolean {
  return node.ready && !doesNotServe(node) && (node.assigned === undefined || hasEnded(node) || isBlocked(node))
}
