import { reportedAgainAt } from '../model/after-outage.ts'
import { isCountingNothing } from '../model/deadlines.ts'
import { type Instant, stamp } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { listNames } from '../model/text.ts'

/** Nodes that went down with what they were assigned, and may come back before that counts. An end that moves on with the time is not named. */
export function describeNotReady({ notAtRest, clock, now }: PoolState): string {
  const awaited = notAtRest.filter(isAwaitedToBeReady)
  if (awaited.length === 0 || isCountingNothing(clock) || awaited.some(({ node }) => node.readySince > now)) return ''
  const until = Math.max(...awaited.map(({ progress }) => progress.until ?? now))
  const names = listNames(awaited.map(({ node }) => node.name).sort())
  return `; ${names} ${awaited.length === 1 ? 'is' : 'are'} not Ready: waits until ${stamp(until)}${describeListed(until, clock)}`
}

function isAwaitedToBeReady({ assigned, progress }: Member): boolean {
  return assigned && progress.phase === 'Unreachable' && progress.pending
}

function describeListed(until: Instant, clock: PoolState['clock']): string {
  if (clock.listedAt === undefined || until !== reportedAgainAt(clock)) return ''
  return `, since all nodes were listed again at ${stamp(clock.listedAt)}, and statuses may be old`
}
