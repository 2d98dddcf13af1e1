import type { AgentStatus } from '../../src/protocol/agent-status.ts'
import type { RebootOrder } from '../../src/protocol/reboot-order.ts'
import { isApplied, isFailure } from '../../src/rollout/model/agent-report.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import { LONGEST_AGE, LONGEST_SOAK } from './ages.ts'
import { templateOf } from './memory-key.ts'
import { fingerprintOf } from './snapshot.ts'
import { bootId, isReady, type NodeState, type PoolState } from './state.ts'

const MINUTE = 60_000

export interface Surroundings {
  readonly now: Instant
  readonly pools: readonly PoolState[]
  /** Machines reboot: when one came back is read after its content has completed, too. */
  readonly reboots: boolean
  /** Pools share a budget: it is read which of them was served last. */
  readonly sharesBudget: boolean
}

interface Ages extends Surroundings {
  readonly age: (at: Instant) => number
  /** Of those that are read for their names only. */
  readonly moment: (at: Instant) => number
}

/** Those from which timeouts count. */
export function exactInstants(node: NodeState): Instant[] {
  const { assigned, seenAs } = node
  const ofNode = assigned?.at === undefined || hasEnded(node) ? [] : [assigned.at]
  return seenAs?.assigned?.at === undefined ? ofNode : [...ofNode, seenAs.assigned.at]
}

/** Those of which it is read only what came before what: when a node got what it serves with. */
export function orderedInstants(node: NodeState, around: Surroundings): Instant[] {
  return node.assigned?.at !== undefined && hasEnded(node) && isOrderRead(node.assigned.at, around) ? [node.assigned.at] : []
}

/** When a reboot was asked for: it is read whether that is what a status or an order names. */
export function requestInstants({ rebootRequest }: NodeState): Instant[] {
  return rebootRequest?.at === undefined ? [] : [Date.parse(rebootRequest.at)]
}

/** Of nodes that have ended their work it is read which got it first while a rollout is under way that began before. */
function isOrderRead(at: Instant, { pools, sharesBudget }: Surroundings): boolean {
  return pools.some(({ memory }) => templateOf(memory).began <= at && (sharesBudget || memory.history[0]?.result !== 'Completed'))
}

/** Its agent has ended the work, and it was not down before that: no deadline counts from the assignment. */
function hasEnded(node: NodeState): boolean {
  const report = reportOf(node)
  if (report === undefined || !(isApplied(report) || isFailure(report))) return false
  return isReady(node) || node.readySince >= (node.assigned?.at ?? 0)
}

/** Of what an agent says about an earlier assignment it is read what its node runs, and whether it has ended that work, and how badly. */
function reportOf({ assigned, status }: NodeState): AgentStatus | undefined {
  return assigned?.at !== undefined && Date.parse(status?.assignedAt ?? '') === assigned.at ? status : undefined
}

export function nodeKey(node: NodeState, around: Ages): string {
  const { name, active, assigned, status, wasSound } = node
  const isCounted = wasSound && countsForExposure(node, around)
  const flags = [node.up, node.ruined, node.silent, node.unschedulable, node.held, isCounted, wasNeverReady(node)].map(Number)
  const task = assigned
    ? `${assigned.digest},${revisionKey(node, around)},${assigned.grant}${assigned.nodeWas ?? ''},${assignedKey(node, around)}`
    : ''
  const ages = `${creationKey(node, around)},${sinceKeys(node, around)}`
  const last = status ? `${status.active}${isApplied(status) || isFailure(status)}${status.phase === 'Failed'}` : ''
  return `${name}.${node.pool},${flags.join('')},${active},${ages};${task};${last};${seenKey(node, around)}${rebootKey(node, around)}`
}

/** When it got that: how long ago or in which order, if that is read, and in any case which rollouts had begun. */
function assignedKey(node: NodeState, around: Ages): string {
  const at = node.assigned?.at ?? 0
  const age = !hasEnded(node) || isOrderRead(at, around) ? around.age(at) : ''
  return `${age} ${marksOf(at, around)}`
}

/** Whether it was before or after what each pool remembers the instant of. */
function marksOf(at: Instant, { pools }: Surroundings): string {
  const marks = pools.map(({ memory }) => templateOf(memory))
  return marks.map(({ began, gone = at, retried = at }) => [at >= began, at >= gone, at >= retried].map(Number).join('')).join()
}

/** Where a pool has a target, nobody asks a node which commit brought its content, and to which pool. */
function revisionKey({ assigned }: NodeState, { pools }: Surroundings): string {
  return pools.every(({ memory }) => memory.target !== undefined) ? '' : `${assigned?.revision},${assigned?.pool}`
}

/** What claims count: it serves, or served, and a rollout that has not completed gave it what it is assigned. */
function countsForExposure({ assigned }: NodeState, { pools }: Surroundings): boolean {
  return pools.some(({ memory }) => {
    const { target, stable } = memory
    const isOfTarget = assigned !== undefined && target?.fingerprint === fingerprintOf(assigned.digest)
    return isOfTarget && target.fingerprint !== stable?.fingerprint && (assigned.at ?? 0) >= templateOf(memory).began
  })
}

/** A node that was assigned nothing yet is young for a while; of others it is read only whether a rollout found them there. */
function creationKey({ assigned, createdAt }: NodeState, { now, pools }: Surroundings): string {
  const began = pools.map(({ memory }) => templateOf(memory).began)
  if (assigned) return `${began.map((at) => Number(createdAt > at))}`
  return `${began.map((at) => Math.sign(createdAt - at))},${Math.min(LONGEST_AGE, now - createdAt)}`
}

/** Since when it is not Ready, and since when its agent says what it says. */
function sinceKeys(node: NodeState, around: Ages): string {
  const report = reportOf(node)
  const said = report ? `${report.phase},${report.error?.reason ?? ''},${report.assigned},${soakKey(node, report, around)}` : ''
  return `${isReady(node) ? '' : downKey(node, around)}${lateKey(node)},${said}`
}

/**
 * Of one that was down when it was assigned: how long after that it was Ready, while its agent is at work; of one whose agent was silent: how long
 * after that the agent began. It may have been too late.
 */
function lateKey(node: NodeState): string {
  const { readySince, assigned } = node
  if (assigned?.at === undefined || hasEnded(node)) return ''
  const began = assigned.nodeWas === 'Silent' ? Date.parse(reportOf(node)?.since ?? '') : readySince
  if ((assigned.nodeWas !== 'Down' && assigned.nodeWas !== 'Silent') || Number.isNaN(began)) return ''
  return `${Math.min(LONGEST_AGE, Math.max(0, began - assigned.at))}`
}

function downKey({ readySince, assigned }: NodeState, { now }: Ages): string {
  return `${Math.min(LONGEST_AGE, now - readySince)}${Math.sign(readySince - (assigned?.at ?? 0))}`
}

/** How long it has been well with its content, where that is read: its agent said so, and it may have been down for a moment since. */
function soakKey(node: NodeState, report: AgentStatus, { now, reboots }: Ages): string {
  if (!reboots && report.phase !== 'Applied') return ''
  const { readySince } = node
  const since = Date.parse(report.since)
  if (!isReady(node)) return `${Math.min(LONGEST_SOAK, (hasEnded(node) ? readySince : now) - since)}`
  return [since, ...(readySince > since ? [readySince] : [])].map((at) => Math.min(LONGEST_SOAK, now - at)).join()
}

function seenKey({ seenAs }: NodeState, around: Ages): string {
  if (!seenAs) return ''
  const { ready, unschedulable, assigned } = seenAs
  const at = assigned?.at ?? 0
  return `${ready},${unschedulable},${assigned?.digest},${assigned?.revision},${around.age(at)} ${marksOf(at, around)}`
}

/** Boots are only the same as that of a request or an order, or others; and so are their instants. */
function rebootKey(node: NodeState, { moment }: Ages): string {
  const { assigned, rebootRequest, rebooting, seenAs } = node
  const [order, seen] = [assigned?.reboot, seenAs?.assigned?.reboot]
  if (!order && !seen && !rebootRequest && !rebooting) return ''
  const keyOfOrder = (each: RebootOrder | undefined): string =>
    each ? `${each.boot === bootId(node)}${each.at !== undefined && each.at === rebootRequest?.at}` : ''
  const asked = rebootRequest ? `${rebootRequest.boot === bootId(node)}${requestInstants(node).map(moment)}` : ''
  return `;${rebooting},${keyOfOrder(order)},${keyOfOrder(seen)},${asked}`
}

/** It registered, and has not been Ready since. */
function wasNeverReady(node: NodeState): boolean {
  return !isReady(node) && node.readySince <= node.createdAt + MINUTE
}
