import { compareTexts } from '../../protocol/by-text.ts'
import type { Remaining, Underway } from '../model/drain.ts'
import type { Instant } from '../model/instant.ts'
import { stamp } from '../model/instant.ts'
import type { PodView } from '../model/node-view.ts'
import type { Member } from '../model/pool-state.ts'

/** A node whose drain goes on. */
export interface Draining {
  readonly node: { readonly name: string }
  readonly drain: Underway
}

/** The longest first. */
export function underwayIn(members: readonly Member[]): Draining[] {
  return members
    .flatMap(({ node, drain }) => (drain?.kind === 'Underway' ? [{ node, drain }] : []))
    .sort((a, b) => a.drain.since - b.drain.since || compareTexts(a.node.name, b.node.name))
}

/** Milliseconds; what takes longer is worth a word of its own. A word for each node that is drained in passing would be a write for each. */
const SLOW = 10_000

/** When the drain begins to be slow. */
export function slowFrom({ since }: Underway): Instant {
  return since + SLOW
}

export function isSlow(drain: Underway, now: Instant): boolean {
  return now >= slowFrom(drain)
}

/** Only a person can bring the drain on: it has taken too long, or it waits for what no time will bring. */
export function isBlocked(drain: Underway, now: Instant): boolean {
  return now >= drain.deadline || needsConsent(drain) || (drain.remaining ?? []).some(({ pod }) => isOverlapped(pod))
}

/** One such pod, and none on the node is evicted: a drain that cannot end should not disturb either. */
export function needsConsent({ remaining = [] }: Underway): boolean {
  return remaining.some(({ verdict }) => verdict.kind === 'Consent')
}

/** `"n1", drained since 2026-11-21T08:00:00.000Z: pod "shop/a" is kept by …; and 2 more pods`: the pod that a person should look at first. */
export function describeDrain(node: string, drain: Underway): string {
  return `"${node}", drained since ${stamp(drain.since)}: ${whatIsLeft(drain)}`
}

function whatIsLeft({ remaining, trouble }: Underway): string {
  if (remaining === undefined) return trouble === undefined ? 'its pods are not known yet' : `its pods cannot be read: ${trouble}`
  const [first, ...others] = remaining.toSorted((a, b) => weight(b) - weight(a) || compareTexts(nameOf(a.pod), nameOf(b.pod)))
  if (first === undefined) return 'no pod remains'
  const more = others.length === 0 ? '' : `; and ${others.length} more ${others.length === 1 ? 'pod' : 'pods'}`
  return `pod "${nameOf(first.pod)}" ${reasonOf(first)}${more}`
}

function weight({ pod, verdict }: Remaining): number {
  if (verdict.kind === 'Consent') return 3
  return pod.refusal === undefined ? 0 : isOverlapped(pod) ? 2 : 1
}

function reasonOf({ pod, verdict }: Remaining): string {
  if (verdict.kind === 'Consent') return CONSENT[verdict.allow]
  if (verdict.kind === 'Await') return 'is still terminating'
  return pod.refusal === undefined ? 'is to be evicted' : refusalOf(pod.refusal)
}

const CONSENT = {
  deleteEmptyDirData:
    'has an emptyDir volume, whose data would be lost; allow this with drain: {deleteEmptyDirData: true}, or delete the pod',
  force: 'has no controller that replaces it; allow this with drain: {force: true}, or delete the pod',
} as const

function refusalOf({ budgets, message }: NonNullable<PodView['refusal']>): string {
  const [budget, ...others] = budgets
  if (budget === undefined) return `cannot be evicted: ${message}`
  if (others.length > 0) {
    const names = budgets.map(({ name }) => `"${name}"`).join(' and ')
    return `is covered by the PodDisruptionBudgets ${names}, and the eviction API refuses pods with more than one; remove all but one`
  }
  const { name, desiredHealthy, currentHealthy } = budget
  return `is protected by PodDisruptionBudget "${name}", which needs ${desiredHealthy} healthy pods and has ${currentHealthy}`
}

function isOverlapped({ refusal }: PodView): boolean {
  return refusal !== undefined && refusal.budgets.length > 1
}

function nameOf({ namespace, name }: PodView): string {
  return `${namespace}/${name}`
}
