import type { IncomingMessage } from 'node:http'
import type { KubeError } from './kube-api.ts'
import { unreachable } from './status-error.ts'
import { pause, type Timers } from './timers.ts'

/** Milliseconds of silence after which another watch is asked, and again after each as long. */
const ASK_AFTER = 15_000
/** An event of both watches may arrive here a little later. */
const GRACE = 2_000
/** The default reason would be another exception, with its stack, for each chunk. */
const HEARD = 'heard'

export interface Silence {
  /** Milliseconds after which a silent watch counts as stalled. */
  readonly stallAfter: number
  /** Whether it is worth a request to find out sooner. Absent: never. */
  readonly isAwaited?: (() => boolean) | undefined
  /** Whether another watch from the same version on tells of a change. A rejection is no answer. */
  readonly hasMissed: (signal: AbortSignal) => Promise<boolean>
}

/**
 * Fails when the next chunk does not come in time, when another watch shows what this one should have shown, or when nobody answers the
 * kernel's probes. The clock stands still while the consumer is at work.
 */
export async function* guarded(
  response: IncomingMessage,
  timers: Timers,
  { what, ...silence }: Silence & { readonly what: string },
): AsyncGenerator<Buffer> {
  const { stallAfter } = silence
  const chunks = response[Symbol.asyncIterator]()
  for (;;) {
    const since = timers.elapsed()
    const stalled = (why: string): KubeError => unreachable(what, { reason: 'Stalled', why, silentFor: timers.elapsed() - since })
    const heard = new AbortController()
    const cancel = timers.after(stallAfter, () => response.destroy(stalled(`no data for ${stallAfter} ms`)))
    void findMissed(timers, silence, heard.signal).then(
      (missed) => missed && response.destroy(stalled('another watch tells of changes that this one does not')),
    )
    const next = await chunks
      .next()
      .catch((cause) => {
        throw isUnanswered(cause) ? stalled('no answer to keep-alive probes') : cause
      })
      .finally(() => {
        cancel()
        heard.abort(HEARD)
      })
    if (next.done) return
    yield next.value
  }
}

/** Resolves with true as soon as it is known that the watch has missed a change, with false when it is heard again. */
async function findMissed(timers: Timers, { isAwaited, hasMissed }: Silence, heard: AbortSignal): Promise<boolean> {
  while (isAwaited && !heard.aborted) {
    await pause(timers, ASK_AFTER, heard)
    if (heard.aborted || !isAwaited() || !(await hasMissed(heard).catch(() => false))) continue
    await pause(timers, GRACE, heard)
    return !heard.aborted
  }
  return false
}

/** What a socket says of a peer that acknowledges nothing any more. */
function isUnanswered(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ETIMEDOUT'
}
