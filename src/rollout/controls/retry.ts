import type { HistoryEntry, RevisionRef } from '../../protocol/node-pool.ts'
import { reportOf } from '../model/agent-report.ts'
import { isAgentDone, isHealed } from '../model/evidence.ts'
import { stamp } from '../model/instant.ts'
import { isRenderFailure } from '../model/node-progress.ts'
import type { NodeView } from '../model/node-view.ts'
import { denotes } from '../model/remembered-revision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { withLaterFailures } from '../model/target-failures.ts'
import { shortName } from '../model/text.ts'
import { afterStamps } from '../model/wanted-assignment.ts'
import type { ControlEffect, ControlRequest } from './control-effect.ts'

/** Lets a rejected commit try again because a person said so. */
export function retryRejected({ memory, head, nodes, policy }: PoolSnapshot, { value, now }: ControlRequest): ControlEffect {
  const asked = [head, ...memory.rejected].filter((ref) => denotes(value, ref)).map((ref) => ref.fingerprint)
  const [again] = memory.rejected.filter((entry) => asked.includes(entry.fingerprint))
  const ofNodes = again ? undefined : retryOnNodes({ memory, nodes, policy }, { value, now })
  if (ofNodes) return ofNodes
  if (!again) return { action: 'Retry', refused: true, message: 'no failed commit of this pool has this name' }
  const rejected = memory.rejected.filter((entry) => !asked.includes(entry.fingerprint))
  return {
    action: 'Retry',
    message: `${shortName(again)} ${whatFollows(again, { memory, head })}`,
    memory: { ...memory, rejected },
  }
}

function whatFollows(
  { fingerprint }: RevisionRef,
  { memory: { rollback }, head }: Pick<PoolSnapshot, 'memory' | 'head'>,
): string {
  if (fingerprint === (rollback?.to ?? head).fingerprint) return 'is retried'
  if (fingerprint === head.fingerprint) return 'no longer counts as failed; it is tried again when the rollback ends'
  return 'no longer counts as failed, but it is not the newest commit'
}

/**
 * Nodes that failed in the rollout, within its limit, or after it had completed, or that it does not count, try once more; those that were
 * replaced since it completed count no more.
 */
function retryOnNodes(
  pool: Pick<PoolSnapshot, 'memory' | 'nodes' | 'policy'>,
  { value, now }: ControlRequest,
): ControlEffect | undefined {
  const { memory } = pool
  const [entry, ...older] = memory.history
  const { failed, replaced, done } = triedIn(pool)
  if (!entry || failed + replaced + done === 0 || !isNamed(value, { entry, target: memory.target })) return undefined
  if (failed + replaced === 0)
    return {
      action: 'Retry',
      refused: true,
      message: `the nodes that failed have ${shortName(entry)}; repair them: they need no retry`,
    }
  const again = failed === 0 ? [] : [`nodes that failed get ${shortName(entry)} once more`]
  const gone =
    replaced === 0 ? [] : [`machines that failed after ${shortName(entry)} had completed, and were replaced, no longer count`]
  const assigned = pool.nodes.map((node) => node.assigned?.at)
  const retriedAt = afterStamps(assigned, { now, longest: pool.policy.applyTimeout })
  const history = withLaterFailures([{ ...entry, retriedAt: stamp(retriedAt) }, ...older], { nodes: [] })
  return { action: 'Retry', message: [...again, ...gone].join('; '), memory: { ...memory, history } }
}

/** How many nodes, and machines that are gone, the rollout on top failed on without failing itself. */
function triedIn({ memory: { history, failed }, nodes }: Pick<PoolSnapshot, 'memory' | 'nodes'>): Tried {
  const [entry] = history
  if (entry?.result !== 'Running' && entry?.result !== 'Completed') return { failed: 0, replaced: 0, done: 0 }
  const { nodes: later = [], replaced = 0 } = entry.laterFailures ?? {}
  const names = new Set([...later, ...failed.filter((each) => !isRenderFailure(each)).map(({ node }) => node)])
  const ofContent = nodes.filter(({ name, assigned }) => names.has(name) && assigned?.reboot === undefined)
  const done = ofContent.filter((node) => isAgentDone({ node, report: reportOf(node) })).length
  return { failed: ofContent.length - done + nodes.filter(isUncounted).length, replaced, done }
}

interface Tried {
  /** They get the content once more. */
  readonly failed: number
  /** Machines that are gone. */
  readonly replaced: number
  /** They have it: what is wrong with them is to be repaired. */
  readonly done: number
}

/** It did not serve before its assignment either, or its agent was silent: however that ends, it fails no commit. */
function isUncounted(node: NodeView): boolean {
  const was = node.assigned?.nodeWas
  return (was === 'Unsound' || was === 'Silent') && !isHealed({ node, report: reportOf(node) })
}

/** A commit that renders the same may have come since. */
function isNamed(
  value: string,
  { entry, target }: { readonly entry: HistoryEntry; readonly target: RevisionRef | undefined },
): boolean {
  return denotes(value, entry) || (target?.fingerprint === entry.fingerprint && denotes(value, target))
}
