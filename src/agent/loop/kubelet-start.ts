import type { Outcome } from '../state/state.ts'

interface StartByClock {
  /** Wall clock in milliseconds; absent: not known. */
  readonly startedAt: number | undefined
  readonly now: number
}

/**
 * The outcome with the start of the kubelet by the present clock. One that was ahead, as on a machine that has just booted, leaves a start in the
 * future when it is put back: every heartbeat would look older than it. A start that has passed stays as it is: it is found by counting back from the
 * present, which is a little different each time.
 */
export function withKubeletStart(outcome: Outcome, { startedAt, now }: StartByClock): Outcome {
  const { kubeletStartedAt } = outcome
  if (kubeletStartedAt === undefined || startedAt === undefined) return outcome
  if (Date.parse(kubeletStartedAt) <= now) return outcome
  return { ...outcome, kubeletStartedAt: new Date(startedAt).toISOString() }
}
