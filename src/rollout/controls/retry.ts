import type { HistoryEntry, RevisionRef } from '../../protocol/node-pool.ts'
import { stamp } from '../model/instant.ts'
import { denotes } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import { withLaterFailures } from '../model/target-failures.ts'
import { shortName } from '../model/text.ts'
import type { ControlEffect, ControlRequest } from './control-effect.ts'

/** Lets a rejected commit try again because a person said so. */
export function retryRejected({ memory, head }: PoolSnapshot, { value, now }: ControlRequest): ControlEffect {
  const asked = [head, ...memory.rejected].filter((ref) => denotes(value, ref)).map((ref) => ref.fingerprint)
  const [again] = memory.rejected.filter((entry) => asked.includes(entry.fingerprint))
  const completed = again ? undefined : retryCompleted(memory, { value, now })
  if (completed) return completed
  if (!again) return { action: 'Retry', refused: true, message: 'no failed commit of this pool has this name' }
  const rejected = memory.rejected.filter((entry) => !asked.includes(entry.fingerprint))
  const isNext = again.fingerprint === head.fingerprint || again.fingerprint === memory.rollback?.to.fingerprint
  const message = `${shortName(again)} ${isNext ? 'is retried' : 'no longer counts as failed, but it is not the newest commit'}`
  return { action: 'Retry', message, memory: { ...memory, rejected } }
}

/** Nodes that failed after the rollout had completed, or within its limit, try once more; those that were replaced count no more. */
function retryCompleted(memory: Memory, { value, now }: ControlRequest): ControlEffect | undefined {
  const [run, ...older] = memory.history
  if (run?.result !== 'Completed' || run.laterFailures === undefined) return undefined
  if (!isNamed(value, { run, target: memory.target })) return undefined
  const { nodes, replaced = 0 } = run.laterFailures
  const again = nodes.length === 0 ? [] : [`nodes that failed get ${shortName(run)} once more`]
  const gone =
    replaced === 0 ? [] : [`machines that failed after ${shortName(run)} had completed, and were replaced, no longer count`]
  const history = withLaterFailures([{ ...run, retriedAt: stamp(now) }, ...older], { nodes: [] })
  return { action: 'Retry', message: [...again, ...gone].join('; '), memory: { ...memory, history } }
}

/** A commit that renders the same may have come since. */
function isNamed(
  value: string,
  { run, target }: { readonly run: HistoryEntry; readonly target: RevisionRef | undefined },
): boolean {
  return denotes(value, run) || (target?.fingerprint === run.fingerprint && denotes(value, target))
}
