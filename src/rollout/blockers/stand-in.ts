import type { Blocker } from '../model/blocker.ts'
import { isCountingNothing } from '../model/deadlines.ts'
import { chanceEnds, hasSpentItsTime } from '../model/evidence.ts'
import { type Instant, stamp } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { listNames, NO_TIME_COUNTED, TIME_BEGAN_AGAIN } from '../model/text.ts'

/** It is in the place of a node whose time is over, and whose agent may have ended the work well when nobody could hear of it. */
export function standIn(state: PoolState): (member: Member) => Blocker | undefined {
  const { standIns, members, clock } = state
  if (standIns.size === 0) return () => undefined
  const unheard = members.filter((member) => member.isExposed && hasSpentItsTime(member, clock))
  const ends = unheard.flatMap(({ node, report }) => {
    const until = chanceEnds({ node, report }, clock)
    return until === undefined ? [] : [{ name: node.name, until }]
  })
  const until = Math.max(...ends.map((end) => end.until))
  const names = listNames(ends.map(({ name }) => name).sort())
  const message = `no other node takes the place of ${names} yet${describeUntil(until, state)}`
  return ({ node }) => (standIns.has(node.name) ? { reason: 'RollingOut', message, stalls: false, until } : undefined)
}

function describeUntil(until: Instant, { clock }: PoolState): string {
  return isCountingNothing(clock) ? NO_TIME_COUNTED : `: waits until ${stamp(until)}; ${TIME_BEGAN_AGAIN}`
}
