import { alreadyRuns } from '../model/agent-report.ts'
import type { Blocker } from '../model/blocker.ts'
import { isUnderDrain } from '../model/cordon.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { resolveShare } from '../model/share.ts'
import { failuresOf } from '../model/target-failures.ts'
import { describeFailures, retryOfNodes, shortName } from '../model/text.ts'

/**
 * After a rollout, nodes still get new content: templates read changed labels, nodes come back, others are added
 * to the pool. No wave protects these nodes, so the limit of failures does.
 */
export function failedAfterCompletion(state: PoolState): (member: Member) => Blocker | undefined {
  if (state.rollout.state !== 'Completed') return () => undefined
  const failed = failuresOf(state)
  const replaced = state.rollout.memory.history[0]?.laterFailures?.replaced ?? 0
  const ofFailed = isMoreThanBorne(failed.length, state) ? describeFailed(failed, state) : undefined
  const ofBoth = isMoreThanBorne(failed.length + replaced, state) ? describeReplaced(replaced, { failed, state }) : undefined
  const ofNewMachine = isMoreThanBorne(replaced, state)
    ? oneAtATime(state, describeReplaced(replaced, { failed: [], state }))
    : noOne
  return (member) => {
    if (member.exposure.because === 'Joining') return ofNewMachine(member)
    if (!isNewChange(member)) return undefined
    const isOfNew = isOfNewMachine(member, state)
    if (isUnderDrain(member.node)) return isOfNew ? ofNewMachine(member) : undefined
    return ofFailed ?? (isOfNew ? ofNewMachine(member) : ofBoth)
  }
}

const noOne = (): undefined => undefined

/** What the rollout itself has borne stops nobody afterwards: those that were down meanwhile still get its content. */
function isMoreThanBorne(failures: number, { pool, rollout }: PoolState): boolean {
  const borne = Math.max(resolveShare(pool.policy.maxFailures, pool.nodes.length), rollout.memory.history[0]?.failures ?? 0)
  return failures > borne
}

function describeFailed(failed: readonly Member[], { pool, rollout }: PoolState): Blocker {
  const cause = `failed after ${shortName(rollout.target)} had completed, more than maxFailures tolerates`
  const retry = retryOfNodes(pool.name, rollout.target, rollout.memory)
  const remedy = `change back what changed for the failed nodes, push a fix, hold them, or: nodewave ${retry}`
  const message = `${describeFailures(failed)}; ${failed.length} ${cause}: no other node gets new content; ${remedy}`
  return { reason: 'NodesFailed', message, stalls: true }
}

function describeReplaced(
  replaced: number,
  { failed, state: { pool, rollout } }: { readonly failed: readonly Member[]; readonly state: PoolState },
): Blocker {
  const machines = replaced === 1 ? '1 machine that was replaced since' : `${replaced} machines that were replaced since`
  const present = failed.length > 0 ? `${describeFailures(failed)}; ${failed.length} and ` : ''
  const cause = `failed after ${shortName(rollout.target)} had completed, more than maxFailures tolerates`
  const effect = 'new nodes get it one at a time until it works on one, and no other node gets new content'
  const retry = retryOfNodes(pool.name, rollout.target, rollout.memory)
  const message = `${present}${machines} ${cause}: ${effect}; push a fix, or: nodewave ${retry}`
  return { reason: 'NodesFailed', message, stalls: true }
}

/** What has begun ends, what a failure broke is repaired, and a host that has the content is not changed by it. */
function isNewChange({ node, wanted, exposure, assigned, broken, reboot }: Member): boolean {
  if (exposure.because !== 'Completed' || assigned || broken || reboot !== undefined) return false
  return wanted.kind === 'config' && !alreadyRuns(wanted.digest, node.status)
}

/** It waited for its turn until it was young no more. */
function isOfNewMachine({ node }: Member, { rollout }: PoolState): boolean {
  return node.assigned === undefined && node.createdAt > rollout.startedAt
}

/**
 * Each new machine would else get what broke the last one. One at a time still finds out when the content works again: the first that is
 * asked about may go on, while no other one is at it.
 */
function oneAtATime(state: PoolState, blocker: Blocker): (member: Member) => Blocker | undefined {
  let tried: Member | undefined = state.notAtRest.find((member) => isTrying(member, state))
  return (member) => {
    tried ??= member
    return tried === member ? undefined : blocker
  }
}

/** It has begun with the content or is drained for it, and may still fail, or show that it works. */
function isTrying({ node, assigned, exposure, progress }: Member, { rollout }: PoolState): boolean {
  if (node.createdAt <= rollout.startedAt || progress.phase === 'Failed') return false
  if (!assigned) return exposure.content !== 'none' && isUnderDrain(node)
  return progress.pending || progress.until !== undefined
}
