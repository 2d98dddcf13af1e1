import { byText } from '../../protocol/by-text.ts'
import type { RevisionRef } from '../../protocol/node-pool.ts'
import { rollbackAsked, rollbackChoices } from '../controls/rollback.ts'
import { describeDrain, isBlocked, underwayIn } from '../drain/blockage.ts'
import { isSettled } from '../exposure/wave-progress.ts'
import { isAgentDone } from '../model/evidence.ts'
import { isRenderFailure } from '../model/node-progress.ts'
import type { Assignment } from '../model/node-view.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isRejected } from '../model/remembered-revision.ts'
import { isSuperseded } from '../model/rollout.ts'
import type { Memory, NodeTarget } from '../model/snapshot.ts'
import { describeFailures, listNames, shortName } from '../model/text.ts'
import { isToDrain } from '../selection/eligible-nodes.ts'
import type { Selection } from '../selection/select.ts'
import { isRollbackLost } from '../target/target.ts'
import type { Explanation } from './explanation.ts'
import { nodesDown } from './nodes-down.ts'
import {
  endRollbackCommand,
  rebootCommand,
  retryCommand,
  retryNodesCommand,
  rollbackCommand,
  takeBackCommand,
} from './remedies.ts'

/** What a person has to do something about, the most urgent first. Other nodes may well go on meanwhile. */
export function stallOf(poolState: PoolState, selection: Selection): Explanation | undefined {
  return (
    invalidRepository(poolState) ??
    untrustedCommit(poolState) ??
    unpromotedCommit(poolState) ??
    lostRollback(poolState) ??
    rejection(poolState) ??
    askedRollback(poolState, selection) ??
    claimedTwice(poolState) ??
    blockedDrain(poolState) ??
    toldByBlocker(poolState, selection, 'FleetStopped') ??
    refusedWrites(poolState) ??
    failedNodes(poolState, 'RenderFailed') ??
    toldByBlocker(poolState, selection, 'NodesFailed') ??
    failedNodes(poolState, 'NodesFailed') ??
    blocker(poolState, selection) ??
    nodesDown(poolState) ??
    unmanagedNodes(poolState)
  )
}

function invalidRepository({ pool }: PoolState): Explanation | undefined {
  return pool.repositoryProblem === undefined ? undefined : { reason: 'InvalidRepository', message: pool.repositoryProblem }
}

function untrustedCommit({ pool }: PoolState): Explanation | undefined {
  return pool.untrustedCommit === undefined ? undefined : { reason: 'UntrustedCommit', message: pool.untrustedCommit }
}

function unpromotedCommit({ pool }: PoolState): Explanation | undefined {
  return pool.unpromotedCommit === undefined ? undefined : { reason: 'CommitNeedsPromotion', message: pool.unpromotedCommit }
}

function claimedTwice({ pool: { contested = [] } }: PoolState): Explanation | undefined {
  const [first] = contested
  if (first === undefined) return undefined
  return { reason: 'NodeClaimedTwice', message: contested.length === 1 ? first : `${first}; and ${contested.length - 1} more` }
}

/** The newest commit failed here. By its content, so it may be another commit than the one that was tried. */
function rejection(poolState: PoolState): Explanation | undefined {
  const { pool, rollout, notable } = poolState
  const { memory, target, state } = rollout
  const refused = isRejected(memory, pool.head) ? pool.head : state === 'Halted' ? target : undefined
  if (!refused) return undefined
  const [reason, outcome] =
    state === 'Halted'
      ? (['Halted', whatIsTouched(poolState)] as const)
      : (['RolledBack', `the pool stays with ${shortName(target)}${heldElsewhere(notable)}`] as const)
  const remedy = `push a fix or a revert${otherRemedies(pool, rollout, refused)}`
  const next = rollout.commitBlocker ? `${rollout.commitBlocker.message}; ` : ''
  return { reason, message: `${whyRefused(refused, memory)}; ${outcome}; ${next}${remedy}` }
}

/** During a rollback a retry begins nothing, nor does one of what is not the newest commit. Where the pool is halted, the way back needs no commit. */
function otherRemedies(pool: PoolState['pool'], { memory, state }: PoolState['rollout'], refused: RevisionRef): string {
  const retry = retryCommand(pool.name, refused, memory)
  if (memory.rollback && memory.rollback.to.fingerprint !== refused.fingerprint)
    return `; to try it again: ${endRollbackCommand(pool.name)}, and then: ${retry}`
  const choices = rollbackChoices(memory, pool.kept ?? pool.known)
  const back = state === 'Halted' && !memory.rollback && rollbackAsked('', { memory, choices })
  const isNext = memory.rollback !== undefined || isRejected(memory, pool.head)
  if (!back) return isNext ? `, or: ${retry}` : ''
  return `; to go back now: ${rollbackCommand(pool.name, back)}${isNext ? `; to try it again: ${retry}` : ''}`
}

function whatIsTouched(poolState: PoolState): string {
  const { rollout, notable } = poolState
  if (!rollout.stable || !isSuperseded(rollout)) return 'no node changes'
  const waiting = notable.filter((member) => member.exposure.because === 'Repair' && isToDrain(member, poolState))
  const names = listNames(waiting.map(({ node }) => node.name).sort())
  const isSpared = names === '' ? '' : `, but not those that need a drain first (${names})`
  return `broken nodes are repaired with ${shortName(rollout.stable)}${isSpared}, no other node changes`
}

/** Nothing else is what the person asked for. */
function lostRollback({ pool, rollout }: PoolState): Explanation | undefined {
  const { rollback } = rollout.memory
  if (!rollback || !isRollbackLost(rollout.memory, rollout.target)) return undefined
  return {
    reason: 'Halted',
    message: `${shortName(rollback.to)} can no longer be rendered; no node changes; ${endOfRollback(pool)}`,
  }
}

/** A person has the pool elsewhere than the repository does. */
function askedRollback({ pool, rollout, notable }: PoolState, { blocker }: Selection): Explanation | undefined {
  const { rollback } = rollout.memory
  if (!rollback) return undefined
  const isDone = rollout.state === 'Completed'
  const by = rollback.who === undefined ? '' : ` by ${rollback.who}`
  const what = `${isDone ? 'rolled' : 'rolls'} back to ${shortName(rollback.to)}${by} at ${rollback.at}`
  // What ends the pause comes first: the same command ends the rollback afterwards.
  if (!isDone && blocker?.reason === 'Paused') return { reason: 'Paused', message: `${what}; ${blocker.message}` }
  return { reason: 'RolledBack', message: `${what}${heldElsewhere(notable)}; ${endOfRollback(pool)}` }
}

/** Nobody takes them back: they run what was rolled back from, or something older. */
function heldElsewhere(members: readonly Member[]): string {
  const names = members
    .filter(({ node, wanted, progress }) => progress.phase === 'Held' && node.assigned && !isAssigned(node.assigned, wanted))
    .map(({ node }) => node.name)
  return names.length === 0 ? '' : `; held on other content: ${listNames(names.sort())}`
}

function isAssigned({ digest }: Assignment, wanted: NodeTarget): boolean {
  return wanted.kind === 'problem' || wanted.digest === digest
}

function endOfRollback({ name }: PoolState['pool']): string {
  return `push another commit, or: ${endRollbackCommand(name)}`
}

function whyRefused(refused: RevisionRef, { rejected, history }: Memory): string {
  const tried = rejected.find(({ fingerprint }) => fingerprint === refused.fingerprint)
  const same = tried && tried.revision !== refused.revision ? ` renders the same as ${shortName(tried)}, which` : ''
  const told = history.find(({ fingerprint, message }) => fingerprint === refused.fingerprint && message !== undefined)
  return `${shortName(refused)}${same} failed${told ? ` on ${told.message}` : ''}`
}

/** They run what somebody wrote, and no commit reaches them. */
function unmanagedNodes({ notable }: PoolState): Explanation | undefined {
  const names = notable.filter(({ progress }) => progress.phase === 'Unmanaged').map(({ node }) => node.name)
  const [first] = names.sort()
  if (first === undefined) return undefined
  return {
    reason: 'UnmanagedNodes',
    message: `assigned by hand: ${listNames(names)}; take a node back with: ${takeBackCommand(first)}`,
  }
}

/** Other drains go on, and so does this one, as soon as it can. */
function blockedDrain({ notable, now }: PoolState): Explanation | undefined {
  const [first, ...others] = underwayIn(notable).filter(({ drain }) => isBlocked(drain, now))
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : `; and ${others.length} more`
  return { reason: 'DrainBlocked', message: `${describeDrain(first.node.name, first.drain)}${more}` }
}

/** Other nodes go on, and these are tried again every few minutes. */
function refusedWrites({ pool: { refusedWrites: refused = [] } }: PoolState): Explanation | undefined {
  const [first] = refused
  if (first === undefined) return undefined
  const nodes = listNames(refused.map(({ node }) => node).sort())
  const remedy = 'correct what refuses it, such as a webhook, a quota or missing rights; it is tried again every few minutes'
  return { reason: 'WriteRefused', message: `the API server refuses to write for ${nodes}: ${first.message}; ${remedy}` }
}

function failedNodes({ pool, rollout, notable }: PoolState, kind: 'RenderFailed' | 'NodesFailed'): Explanation | undefined {
  const failed = notable
    .filter(({ progress }) => progress.failure && isRenderFailure(progress.failure) === (kind === 'RenderFailed'))
    .sort(byText(({ node }) => node.name))
  if (failed.length === 0) return undefined
  const again = kind === 'NodesFailed' ? `; repair what is to blame${tryAgain(failed, { pool, rollout })}` : ''
  return { reason: kind, message: `${describeFailures(failed)}${again}` }
}

/** A retry is of content: who failed at a reboot is asked for that once more, and who has the content needs neither. */
function tryAgain(failed: readonly Member[], { pool, rollout }: Pick<PoolState, 'pool' | 'rollout'>): string {
  const atReboot = failed.filter(({ node }) => node.assigned?.reboot !== undefined).map(({ node }) => node.name)
  const atContent = failed.filter((member) => member.node.assigned?.reboot === undefined && !isAgentDone(member))
  const ofContent = atContent.length > 0 ? [retryNodesCommand(pool.name, rollout.target)] : []
  const commands = [...ofContent, ...(atReboot.length > 0 ? [rebootCommand(atReboot)] : [])]
  return commands.length > 0 ? `, then: ${commands.join(', and: ')}` : '; nodes that are well again need no retry'
}

/** The failures of single nodes are its cause, and stand in its message. */
function toldByBlocker(
  poolState: PoolState,
  selection: Selection,
  reason: 'FleetStopped' | 'NodesFailed',
): Explanation | undefined {
  const found = blocker(poolState, selection)
  return found?.reason === reason ? found : undefined
}

/** Only while it keeps something from happening. */
function blocker(poolState: PoolState, { blocker }: Selection): Explanation | undefined {
  const { commitBlocker } = poolState.rollout
  if (commitBlocker?.stalls) return commitBlocker
  return blocker?.stalls && !isSettled(poolState) ? blocker : undefined
}
