import type { Memory, PoolSnapshot } from './snapshot.ts'
import { denotes } from './target.ts'

/**
 * Lets a rejected commit try again because a person said so. The annotation counts once: it is remembered until the shell has
 * removed it, or a commit that fails again would be retried for ever.
 */
export function heedRetry({ memory, controls, head }: PoolSnapshot): Memory {
  const { retried: last, ...rest } = memory
  const { retry } = controls
  if (retry === undefined) return rest
  if (retry === last) return memory
  const asked = [head, ...memory.rejected].filter((ref) => denotes(retry, ref)).map((ref) => ref.fingerprint)
  return { ...rest, retried: retry, rejected: memory.rejected.filter((entry) => !asked.includes(entry.fingerprint)) }
}
