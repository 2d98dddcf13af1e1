import type { Outcome } from '../state/state.ts'

/** Milliseconds. A start is found by counting back from the present, which is a little different each time. */
const JITTER = 1000

/**
 * The outcome with the start of the kubelet by the present clock. One that was ahead, as on a machine that has just booted, would leave a start in
 * the future when it is put back: every heartbeat would look older than it.
 * @param startedAt wall clock in milliseconds; absent: not known
 */
export function withKubeletStart(outcome: Outcome, startedAt: number | undefined): Outcome {
  const { kubeletStartedAt } = outcome
  if (kubeletStartedAt === undefined || startedAt === undefined) return outcome
  if (Date.parse(kubeletStartedAt) - startedAt < JITTER) return outcome
  return { ...outcome, kubeletStartedAt: new Date(startedAt).toISOString() }
}
