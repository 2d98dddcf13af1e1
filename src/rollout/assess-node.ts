import { drainOf } from './drain/drain.ts'
import { progressUnder } from './drain/drain-progress.ts'
import type { DrainContext } from './drain/needs-drain.ts'
import { isBlinking } from './exposure/condition.ts'
import { type ExposureContext, exposureOf } from './exposure/exposure.ts'
import type { NodeFacts } from './exposure/node-facts.ts'
import type { OpenWaves } from './exposure/waves.ts'
import { asksToBegin, isApplied } from './model/agent-report.ts'
import type { Candidate } from './model/candidate.ts'
import type { RolloutClock } from './model/deadlines.ts'
import { hadNoTime, isEvidence } from './model/evidence.ts'
import type { Exposure } from './model/exposure.ts'
import type { NodeProgress } from './model/node-progress.ts'
import type { NodeView } from './model/node-view.ts'
import type { Member } from './model/pool-state.ts'
import { failedBeforeRepair, progressOf } from './model/progress-of.ts'
import { dueReboot } from './model/reboot.ts'
import type { Rollout } from './model/rollout.ts'
import type { NodeTarget } from './model/snapshot.ts'
import { hasWantedAssignment } from './model/wanted-assignment.ts'
import { judgeProof } from './proof/judge-proof.ts'
import { selectedAt } from './selection/last-selected.ts'

/** The wave of a node, if it counts in one, and whether it may take the place of a member that cannot be paid for. */
export type Place = Pick<ExposureContext, 'wave' | 'isLastResort'>

export interface MemberContext extends DrainContext, OpenWaves {
  readonly clock: RolloutClock
}

/** Every object here is made once a node and pass: literals of one shape cost a fraction of spreads. */
export function assessNode(facts: NodeFacts, { wave, isLastResort }: Place, context: MemberContext): Member {
  const { waves, open, rollout, clock, now } = context
  const { node, report, joins, changes, isExposed, wasTried } = facts
  const exposure = exposureOf(facts, { rollout, waves, open, wave, isLastResort })
  const content = contentOf(facts, { exposure, rollout, clock })
  const { revision, wanted } = content
  const { policy, proofs, ceiling } = context.pool
  const soak = wave !== undefined && wave >= open ? (waves[wave]?.soak ?? 0) : 0
  const proof = node.proof && judgeProof(node, { policy: policy.proof, proofs, report, clock })
  const failedAs = rollout.memory.failed.length > 0 ? reasonsOf(node, rollout) : undefined
  const proving = { ...clock, report, wanted, joins, soak, proof, changes, failedAs, isToReboot: false }
  const isFailed = exposure.because === 'Repair' && isExposed && isEvidence(facts, clock) && !hadNoTime(facts, clock)
  const onContent = isFailed ? failedBeforeRepair(node, { ...proving, wanted: facts.target }) : progressOf(node, proving)
  // Not amid a rollout: a machine that does not come back says nothing about the commit.
  const mayReboot = rollout.state === 'Completed' && content.assigned && hasContent({ node, report, progress: onContent })
  const reboot = mayReboot ? dueReboot(node, { policy, ceiling, now }) : undefined
  const assigned = content.assigned && reboot === undefined
  const progress = reboot === undefined ? onContent : beforeReboot(progressOf(node, { ...proving, isToReboot: true }), onContent)
  const broken = isBroken(facts, clock)
  const member: Draft = {
    node,
    report,
    revision,
    wanted,
    target: facts.target,
    assigned,
    exposure,
    progress,
    broken,
    wave,
    proof,
    changes,
    isExposed,
    wasTried,
    reboot,
    selectedAt: selectedAt(node, context),
    drain: undefined,
    isAtRest: false,
  }
  member.drain = drainOf(member, context)
  if (!member.drain) member.isAtRest = isAtRest(facts, member)
  // A drain for its repair does not hide what it failed at.
  else if (!isFailed) member.progress = progressUnder(member.drain, { progress, ready: node.ready, assigned, now })
  return member
}

function reasonsOf({ name }: NodeView, { memory }: Rollout): readonly string[] {
  return memory.failed.filter(({ node }) => node === name).map(({ reason }) => reason)
}

/** What its cordon means is found out from the rest of it. */
type Draft = { -readonly [Part in keyof Member]: Member[Part] }

/** Whatever is looked for among members for a reason of its own is not found in one of these. */
function isAtRest({ validUntil }: NodeFacts, { node, report, progress, broken, reboot }: Candidate): boolean {
  const { phase, until, failure } = progress
  const isWaiting = (phase === 'Waiting' || phase === 'Current') && until === undefined && failure === undefined
  if (!isWaiting || broken || reboot !== undefined || validUntil !== Number.POSITIVE_INFINITY) return false
  if (node.status?.reboot || node.assigned?.reboot || (node.proof && node.proof.state !== 'Passed')) return false
  return node.assigned === undefined || report?.phase === 'Applied'
}

/** A reboot assigns the content once more: what failed on a node needs a retry. One that failed at a reboot had it before. */
function hasContent({ node, report, progress }: Pick<Candidate, 'node' | 'report' | 'progress'>): boolean {
  return node.assigned?.reboot !== undefined || (isApplied(report) && progress.phase !== 'Failed')
}

/** Whether its content holds decides whether it is rebooted. */
function beforeReboot(waiting: NodeProgress, { until }: NodeProgress): NodeProgress {
  return until === undefined ? waiting : { ...waiting, until: Math.min(until, waiting.until ?? until) }
}

interface Content {
  readonly revision: string
  readonly wanted: NodeTarget
  readonly assigned: boolean
}

/** What the node is to become: the stable content where the rule says so, else the target, now or later. */
function contentOf(
  { node, report, target, assigned, joins, stable: wanted }: NodeFacts,
  { exposure, rollout, clock }: { readonly exposure: Exposure; readonly rollout: Rollout; readonly clock: RolloutClock },
): Content {
  const { stable } = rollout
  if (!stable || !wanted || !(joins || exposure.content === 'stable'))
    return { revision: rollout.target.revision, wanted: target, assigned }
  return { revision: stable.revision, wanted, assigned: hasWantedAssignment(node, { report, wanted }, clock) }
}

/** A rollout that did not end has got at it, and it is not well: a drain does not wait for it. */
function isBroken({ node, report, condition, isOnProven }: NodeFacts, clock: RolloutClock): boolean {
  if (condition === 'Broken') return true
  if (node.assigned === undefined || node.ready || isOnProven || isBlinking({ node, report }, clock)) return false
  // It was sound, and its agent has changed nothing yet.
  return node.assigned.nodeWas !== undefined || !asksToBegin(node, report)
}
