import { setTimeout as wait } from 'node:timers/promises'
import { monotonic } from '../../kube/timers.ts'
import type { Clock } from '../ports.ts'

/** The clock of this machine: `elapsed` is monotonic and never jumps, `now` may. */
export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: monotonic,
  // Of two instants of which the one is over by now the difference is negative, and Node would warn of that.
  sleep: async (milliseconds, signal) => {
    await wait(Math.max(0, milliseconds), undefined, signal === undefined ? {} : { signal }).catch(ignoreAbort)
  },
}

/** An aborted wait has done its work: it ended. */
function ignoreAbort(error: Error): void {
  if (error.name !== 'AbortError') throw error
}
