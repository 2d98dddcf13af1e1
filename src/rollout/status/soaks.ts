import { awaitsNewsUntil } from '../exposure/wave-progress.ts'
import { isCountingNothing, type RolloutClock } from '../model/deadlines.ts'
import { stamp } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { soakStamps } from '../model/progress-when-assigned.ts'
import { NO_TIME_COUNTED, TIME_BEGAN_AGAIN } from './late-work.ts'

/**
 * What time alone brings to an end; undefined: nothing. The end is a time and no countdown, so the message changes only when the end does; one
 * that moves on with the time is not named.
 */
export function describeEnd(poolState: PoolState, ongoing: readonly Member[]): string | undefined {
  const heardAt = awaitsNewsUntil(poolState)
  const soaking = ongoing.filter(({ progress }) => progress.phase === 'Soaking')
  if (heardAt === undefined && soaking.length === 0) return undefined
  if (isCountingNothing(poolState.clock)) return NO_TIME_COUNTED
  if (heardAt === undefined) return describeSoak(soaking, poolState.clock)
  return `; waits until ${stamp(heardAt)} for reports of agents: ${TIME_BEGAN_AGAIN}`
}

/**
 * The end of the last node that soaks. After the clock was put back, work that was assigned in what is the future now counts from now, and
 * its end moves on with the time.
 */
function describeSoak(soaking: readonly Member[], clock: RolloutClock): string {
  if (soaking.some(({ node }) => (node.assigned?.at ?? clock.now) > clock.now)) return ''
  const until = Math.max(...soaking.map(({ progress }) => progress.until ?? 0))
  return `; soaks until ${stamp(until)}${describeSoakAgain(soaking)}${describeBreak(soaking, clock)}`
}

/** A node that blinks again and again keeps its wave from ever ending. */
function describeSoakAgain(soaking: readonly Member[]): string {
  const again = soaking.filter(({ node, report }) => node.readySince > Date.parse(report?.since ?? '') + SECOND)
  const [last] = again.toSorted((a, b) => b.node.readySince - a.node.readySince)
  return last ? `; "${last.node.name}" soaks again since ${stamp(last.node.readySince)}: it was not Ready before` : ''
}

/** Kubernetes stamps conditions in whole seconds. */
const SECOND = 1000

/** So does an API server that goes away again and again, and a clock that two programs set. */
function describeBreak(soaking: readonly Member[], { steadySince }: RolloutClock): string {
  if (steadySince === undefined || !soaking.some((member) => Math.max(...soakStamps(member)) < steadySince)) return ''
  return `; counts since ${stamp(steadySince)}: the API server was away, or the clock of a controller was off`
}
