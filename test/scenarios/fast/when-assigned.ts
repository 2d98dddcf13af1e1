/** How nodes really were when they were assigned something, whatever clocks have stamped. */
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { Assignment, NodeView } from '../../../src/rollout/model/node-view.ts'
import { contentOf, type Labels } from './content.ts'
import { stampOf } from './stamp.ts'

const assignedWhenUnsound = new WeakSet<Assignment>()
/** Of these: that did not serve, whether or not they were Ready. */
const assignedUnserving = new WeakSet<Assignment>()

/** To Ready nodes whose agents had not said anything of the assignment before for longer than they may, by every clock. */
const assignedWhenSilent = new WeakSet<Assignment>()
/** The same by some clock: that of a controller may have been set meanwhile. */
const assignedWhenSeemingSilent = new WeakSet<Assignment>()

/** When it arrived, whatever clock has stamped it. */
const arrivedAt = new WeakMap<Assignment, Instant>()

/** To nodes that served, and had ended what they were assigned before. */
const assignedWhenFit = new WeakSet<Assignment>()

/** What really was. */
export function wasFitWhenAssigned(assigned: Assignment): boolean {
  return assignedWhenFit.has(assigned)
}

/** The same content, which the node was assigned before its labels changed. */
const formerOf = new WeakMap<Assignment, Assignment>()

const labelsWhenAssigned = new WeakMap<Assignment, readonly Labels[]>()

/** All that the node had when it was assigned this content, also before its labels changed. */
export function labelsFor(assigned: Assignment | undefined): readonly Labels[] {
  return (assigned && labelsWhenAssigned.get(assigned)) ?? []
}

/** The first assignment of this content in a run: labels that change do not change how the node was when it got that. */
export function firstOf(assigned: Assignment, isOfRun: (former: Assignment) => boolean): Assignment {
  const former = formerOf.get(assigned)
  return former && isOfRun(former) ? firstOf(former, isOfRun) : assigned
}

function isRelabelled(before: Assignment, { digest, pool }: Assignment): boolean {
  if (before.pool !== pool || contentOf(before.digest) !== contentOf(digest)) return false
  return before.digest !== digest || formerOf.has(before)
}

/** What really was, whatever clocks have stamped. */
export function wasUnsoundWhenAssigned(assigned: Assignment): boolean {
  return assignedWhenUnsound.has(assigned)
}

/** An agent that has reported since is not silent any more. */
export function wasSilentWhenAssigned(assigned: Assignment): boolean {
  return assignedWhenSilent.has(assigned)
}

/** As a controller may have counted. */
export function seemedSilentWhenAssigned(assigned: Assignment): boolean {
  return assignedWhenSeemingSilent.has(assigned)
}

/** Its agent could not restore it, or no pod runs on it. */
export function doesNotServe({ assigned, status, proof }: Pick<NodeView, 'assigned' | 'status' | 'proof'>): boolean {
  if (assigned === undefined || status?.assigned !== assigned.digest) return false
  if (status.phase !== 'Applied') return status.phase === 'Failed'
  return proof?.state === 'Failed' && proof.digest === assigned.digest && proof.assignedAt === assigned.at
}

/** It holds what it is assigned, and pods run. */
export function isHealed({ assigned, status, proof }: Pick<NodeView, 'assigned' | 'status' | 'proof'>): boolean {
  if (assigned === undefined || status?.assigned !== assigned.digest || status.phase !== 'Applied') return false
  return proof?.digest !== assigned.digest || proof.assignedAt !== assigned.at || proof.state === 'Passed'
}

/** As far as its agent could tell. */
function isAtWork({ assigned, status }: Pick<NodeView, 'assigned' | 'status'>): boolean {
  if (assigned === undefined) return false
  return status?.assignedAt !== stampOf(assigned) || status.phase === 'Fetching' || status.phase === 'Applying'
}

interface Assigning {
  /** As it is before the assignment. */
  readonly node: Pick<NodeView, 'assigned' | 'status' | 'proof' | 'ready'>
  readonly labels: Labels
  /** How long an agent may be silent, in milliseconds. */
  readonly patience: number
  readonly now: Instant
}

export function noteAssignment(assigned: Assignment, { node, labels, patience, now }: Assigning): void {
  arrivedAt.set(assigned, now)
  noteSilence(assigned, { node, patience })
  const isUnserving = isUnservingFor(assigned, node)
  if (isUnserving) assignedUnserving.add(assigned)
  if (isUnserving || !node.ready) assignedWhenUnsound.add(assigned)
  else if (!isAtWork(node)) assignedWhenFit.add(assigned)
  const before = node.assigned
  if (before && isRelabelled(before, assigned)) formerOf.set(assigned, before)
  labelsWhenAssigned.set(assigned, [labels, ...(formerOf.has(assigned) ? labelsFor(before) : [])])
}

/** Nothing but content that holds makes it sound; what it gets once more does not make it unsound. */
function isUnservingFor(next: Assignment, node: Assigning['node']): boolean {
  if (node.assigned && assignedUnserving.has(node.assigned) && !isHealed(node)) return true
  return isOther(next, node) && doesNotServe(node)
}

/** Not what it has, nor the same for other labels. */
function isOther(next: Assignment, { assigned }: Assigning['node']): boolean {
  return assigned?.digest !== next.digest && !(assigned && isRelabelled(assigned, next))
}

/** Once silent it stays so until it reports. */
function noteSilence(next: Assignment, { node, patience }: Pick<Assigning, 'node' | 'patience'>): void {
  const { assigned, ready, status } = node
  if (!ready || assigned === undefined || status?.assignedAt === stampOf(assigned)) return
  const passed = (arrivedAt.get(next) ?? 0) - (arrivedAt.get(assigned) ?? 0)
  const counted = (next.at ?? 0) - (assigned.at ?? 0)
  const isLong = (silence: number): boolean => isOther(next, node) && silence >= patience
  if (assignedWhenSilent.has(assigned) || isLong(Math.min(passed, counted))) assignedWhenSilent.add(next)
  if (assignedWhenSeemingSilent.has(assigned) || isLong(Math.max(passed, counted))) assignedWhenSeemingSilent.add(next)
}
