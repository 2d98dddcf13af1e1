import { byText } from '../../protocol/by-text.ts'
import { describeDrain, isBlocked, underwayIn } from '../drain/blockage.ts'
import { isSettled } from '../exposure/wave-progress.ts'
import { isAgentDone } from '../model/evidence.ts'
import { isRenderFailure } from '../model/node-progress.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { describeFailures, listNames } from '../model/text.ts'
import type { Selection } from '../selection/select.ts'
import { askedRollback, lostRollback } from './asked-rollback.ts'
import type { Explanation } from './explanation.ts'
import { nodesDown } from './nodes-down.ts'
import { describeRefusedClear } from './refused-clear.ts'
import { rejection } from './rejection.ts'
import { rebootCommand, retryNodesCommand, takeBackCommand } from './remedies.ts'

/** What a person has to do something about, the most urgent first. Other nodes may well go on meanwhile. */
export function stallOf(poolState: PoolState, selection: Selection): Explanation | undefined {
  const first = notAtNewest(poolState, selection)
  const second = first ? besides(first, poolState, selection) : undefined
  if (first && second) return { reason: first.reason, message: `${first.message}; also: ${second.message}` }
  return first ?? keepsNodes(poolState, selection)
}

/** Why the pool is not on its way to the newest commit of the repository. */
function notAtNewest(poolState: PoolState, selection: Selection): Explanation | undefined {
  return (
    invalidRepository(poolState) ??
    untrustedCommit(poolState) ??
    unpromotedCommit(poolState) ??
    lostRollback(poolState) ??
    rejection(poolState) ??
    askedRollback(poolState, selection)
  )
}

/** The way back may stall, too. A pause is added to every message; at what a halted pool failed stands in its message. */
function besides(first: Explanation, poolState: PoolState, selection: Selection): Explanation | undefined {
  const isHalted = poolState.rollout.state === 'Halted'
  const found = isHalted ? (claimedTwice(poolState) ?? refusedWrites(poolState)) : keepsNodes(poolState, selection)
  return first.reason === 'Paused' || found?.reason === 'Paused' ? undefined : found
}

/** What keeps nodes from the content that the pool is brought to. */
function keepsNodes(poolState: PoolState, selection: Selection): Explanation | undefined {
  return (
    claimedTwice(poolState) ??
    blockedDrain(poolState) ??
    toldByBlocker(poolState, selection, 'FleetStopped') ??
    refusedWrites(poolState) ??
    failedNodes(poolState, 'RenderFailed') ??
    toldByBlocker(poolState, selection, 'NodesFailed') ??
    failedNodes(poolState, 'NodesFailed') ??
    blocker(poolState, selection) ??
    nodesDown(poolState) ??
    refusedClear(poolState) ??
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

/** They run what somebody wrote, and no commit reaches them. */
function unmanagedNodes({ notAtRest }: PoolState): Explanation | undefined {
  const names = notAtRest.filter(({ progress }) => progress.phase === 'Unmanaged').map(({ node }) => node.name)
  const [first] = names.sort()
  if (first === undefined) return undefined
  return {
    reason: 'UnmanagedNodes',
    message: `assigned by hand: ${listNames(names)}; take a node back with: ${takeBackCommand(first)}`,
  }
}

/** Other drains go on, and so does this one, as soon as it can. */
function blockedDrain({ notAtRest, now }: PoolState): Explanation | undefined {
  const [first, ...others] = underwayIn(notAtRest).filter(({ drain }) => isBlocked(drain, now))
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

/** Nodes go on, and whoever asks the pool for the same again gets no answer. */
function refusedClear({ pool }: PoolState): Explanation | undefined {
  const message = describeRefusedClear(pool)
  return message === undefined ? undefined : { reason: 'WriteRefused', message }
}

function failedNodes({ pool, rollout, notAtRest }: PoolState, kind: 'RenderFailed' | 'NodesFailed'): Explanation | undefined {
  const failed = notAtRest
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
  const ofContent = atContent.length > 0 ? [retryNodesCommand(pool.name, rollout.target, rollout.memory)] : []
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
