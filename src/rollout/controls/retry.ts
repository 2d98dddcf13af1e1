import type { HistoryEntry, RevisionRef } from '../../protocol/node-pool.ts'
import { denotes } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import { withLaterFailures } from '../model/target-failures.ts'
import { shortName } from '../model/text.ts'
import type { ControlEffect, ControlRequest } from './control-effect.ts'

/** Lets a rejected commit try again because a person said so. */
export function retryRejected({ memory, head }: PoolSnapshot, { value }: ControlRequest): ControlEffect {
  const asked = [head, ...memory.rejected].filter((ref) => denotes(value, ref)).map((ref) => ref.fingerprint)
  const [again] = memory.rejected.filter((entry) => asked.includes(entry.fingerprint))
  const completed = again ? undefined : retryCompleted(memory, value)
  if (completed) return completed
  if (!again) return { action: 'Retry', refused: true, message: 'no failed commit of this pool has this name' }
  const rejected = memory.rejected.filter((entry) => !asked.includes(entry.fingerprint))
  const isNext = again.fingerprint === head.fingerprint || again.fingerprint === memory.rollback?.to.fingerprint
  const message = `${shortName(again)} ${isNext ? 'is retried' : 'no longer counts as failed, but it is not the newest commit'}`
  return { action: 'Retry', message, memory: { ...memory, rejected } }
}

/** What it failed on has been replaced: nothing else shows that the content is good. */
function retryCompleted(memory: Memory, value: string): ControlEffect | undefined {
  const [run] = memory.history
  if (run?.laterFailures?.replaced === undefined || !isNamed(value, { run, target: memory.target })) return undefined
  const message = `machines that failed after ${shortName(run)} had completed, and were replaced, no longer count`
  return { action: 'Retry', message, memory: { ...memory, history: withLaterFailures(memory.history, { nodes: [] }) } }
}

/** A commit that renders the same may have come since. */
function isNamed(
  value: string,
  { run, target }: { readonly run: HistoryEntry; readonly target: RevisionRef | undefined },
): boolean {
  return denotes(value, run) || (target?.fingerprint === run.fingerprint && denotes(value, target))
}
