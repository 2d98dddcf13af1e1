import { byText } from '../../protocol/by-text.ts'
import { isBlocked } from '../drain/blockage.ts'
import { isEligible } from '../exposure/eligible.ts'
import { lateFrom } from '../model/after-outage.ts'
import { isAtWork } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isForeignCordon } from '../model/cordon.ts'
import type { Instant } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { hasFailedProof, isBeingProved } from '../model/proof.ts'

/** A node that spends a place in the budgets, and that no work of ours makes available again. */
export interface BudgetHolder {
  readonly node: string
  readonly why: string
  /** It may get something now: what keeps it from that keeps the place in the budgets, too. */
  readonly isEligible: boolean
}

/**
 * By name. Nodes that work or an uncordon brings back are not among them: each node of a rollout would be another message, and
 * another write of the status.
 */
export function budgetHolders(state: PoolState): readonly BudgetHolder[] {
  return state.notAtRest
    .filter(({ node, report }) => isUnavailable(node, report))
    .filter((member) => !isExpectedBack(member, state))
    .map((member) => ({ node: member.node.name, why: whyHeld(member), isEligible: isEligible(member) }))
    .sort(byText(({ node }) => node))
}

function isExpectedBack(member: Member, { clock, now }: PoolState): boolean {
  const { node, report, drain, progress, exposure } = member
  if (drain?.kind === 'Underway') return !isBlocked(drain, now)
  // As a last resort it is changed only where nothing else comes back.
  if (drain?.kind === 'Done') return exposure.because !== 'LastResort'
  const isUncordoned = drain?.kind === 'Over' || drain?.kind === 'GivenUp' || drain?.kind === 'CalledOff'
  if (isUncordoned && node.ready) return true
  if (progress.phase === 'Failed') return false
  if (isBeingProved(node, report) && node.ready) return true
  if (node.staleReady && progress.phase === 'Applying') return true
  if (!isAtWork(node, report)) return false
  const ends = workEnds(member, { clock })
  return ends === undefined || now < ends
}

/** When work under way is overdue, also work for content that is not wanted any more. */
export function workEnds({ node, report }: Member, { clock }: Pick<PoolState, 'clock'>): Instant | undefined {
  const { assigned } = node
  return assigned?.at === undefined || !isAtWork(node, report) ? undefined : lateFrom(assigned, clock)
}

function whyHeld({ node, report, drain, progress }: Member): string {
  if (drain?.kind === 'Underway') return 'its drain is blocked'
  if (progress.failure) return progress.failure.message
  if (node.leaving) return 'being deleted'
  if (isForeignCordon(node)) return `cordoned by somebody else; run: kubectl uncordon ${node.name}`
  if (!node.ready) return 'not Ready'
  if (node.staleReady) return 'its kubelet has not reported since it was restarted'
  if (hasFailedProof(node, report)) return 'no pod can run on it'
  return isAtWork(node, report) ? 'its agent has not finished in time' : 'the agent could not restore it'
}
