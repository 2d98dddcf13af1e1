/** Waiting, with an end and a reason. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Milliseconds after which what has not come will not come. It measures nothing: it ends a run in which something is broken, and must
 * be more than the busiest machine ever needs. What has to be fast is timed, and the time checked.
 */
const PATIENCE = 180_000

export interface WaitOptions {
  /** What is waited for; it stands in the error. */
  readonly for: string
  readonly everyMs?: number
  /** Less patience, for what can be done without. */
  readonly timeoutMs?: number
}

/** Ask until the answer is neither undefined nor false; a question that throws counts as "not yet". */
export async function waitUntil<T>(
  question: () => Promise<T | undefined | false> | T | undefined | false,
  { for: what, everyMs = 50, timeoutMs = PATIENCE }: WaitOptions,
): Promise<T> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const late = performance.now() > end
    const { answer, error } = await ask(question)
    if (answer !== undefined && answer !== false) return answer
    if (late) {
      const why = error instanceof Error ? `: ${error.message}` : ''
      throw new Error(`wait for ${what}: not within ${timeoutMs / 1000} s${why}`, { cause: error })
    }
    await sleep(everyMs)
  }
}

async function ask<T>(question: () => Promise<T> | T): Promise<{ readonly answer?: T; readonly error?: unknown }> {
  try {
    return { answer: await question() }
  } catch (error) {
    return { error }
  }
}
