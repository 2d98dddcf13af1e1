import type { Drain, Underway } from '../model/drain.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeProgress } from '../model/node-progress.ts'
import { slowFrom } from './blockage.ts'

interface DrainedProgress {
  /** Without a drain. */
  readonly progress: NodeProgress
  readonly ready: boolean
  readonly assigned: boolean
  readonly now: Instant
}

/** Where a node stands whose cordon says more about it than its assignment does. */
export function progressUnder(drain: Drain, { progress, ready, assigned, now }: DrainedProgress): NodeProgress {
  switch (drain.kind) {
    case 'Over':
      return progress
    case 'Done':
      return { phase: 'Draining', pending: true }
    case 'GivenUp':
    case 'CalledOff':
      return { phase: 'Skipped', pending: false }
    case 'Aside':
      // Its agent has the content, and asks for the drain: its wave waits for it.
      if (drain.because === 'Down' && assigned) return progress
      return {
        phase: ready ? 'Skipped' : 'Unreachable',
        pending: false,
        ...(drain.until !== undefined && { until: drain.until }),
      }
    case 'Underway': {
      const until = nextStep(drain, { progress, now })
      return { phase: drain.remaining ? 'Draining' : 'Cordoned', pending: true, ...(until !== undefined && { until }) }
    }
  }
}

/** The deadline, when the drain begins to be slow, when its node is past draining or fails, or when a refused pod may be asked again. */
function nextStep(
  drain: Underway,
  { progress, now }: { readonly progress: NodeProgress; readonly now: Instant },
): Instant | undefined {
  const { deadline, pastAt = now, remaining = [] } = drain
  const refusals = remaining.flatMap(({ pod }) => pod.refusal?.until ?? [])
  const instants = [slowFrom(drain), deadline, pastAt, progress.until ?? now, ...refusals].filter((instant) => instant > now)
  return instants.length === 0 ? undefined : Math.min(...instants)
}
