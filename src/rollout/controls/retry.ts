import { denotes } from '../model/remembered-revision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { shortName } from '../model/text.ts'
import type { ControlEffect, ControlRequest } from './control-effect.ts'

/** Lets a rejected commit try again because a person said so. */
export function retryRejected({ memory, head }: PoolSnapshot, { value }: ControlRequest): ControlEffect {
  const asked = [head, ...memory.rejected].filter((ref) => denotes(value, ref)).map((ref) => ref.fingerprint)
  const [again] = memory.rejected.filter((entry) => asked.includes(entry.fingerprint))
  if (!again) return { action: 'Retry', refused: true, message: 'no failed commit of this pool has this name' }
  const rejected = memory.rejected.filter((entry) => !asked.includes(entry.fingerprint))
  const isNext = again.fingerprint === head.fingerprint || again.fingerprint === memory.rollback?.to.fingerprint
  const message = `${shortName(again)} ${isNext ? 'is retried' : 'no longer counts as failed, but it is not the newest commit'}`
  return { action: 'Retry', message, memory: { ...memory, rejected } }
}
