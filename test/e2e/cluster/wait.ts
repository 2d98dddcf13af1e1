/** Waiting, with an end and a reason. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  /** What is waited for; it stands in the error. */
  readonly for: string
  readonly timeoutMs: number
  readonly everyMs?: number
}

/** Ask until the answer is neither undefined nor false; a question that throws counts as "not yet". */
export async function waitUntil<T>(
  question: () => Promise<T | undefined | false> | T | undefined | false,
  options: WaitOptions,
): Promise<T> {
  const end = performance.now() + options.timeoutMs
  let last: unknown
  for (;;) {
    try {
      const answer = await question()
      if (answer !== undefined && answer !== false) return answer as T
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > end) {
      const why = last instanceof Error ? `: ${last.message}` : ''
      throw new Error(`wait for ${options.for}: not within ${options.timeoutMs / 1000} s${why}`, { cause: last })
    }
    await sleep(options.everyMs ?? 50)
  }
}
