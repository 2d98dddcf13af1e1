import { overdueFrom } from '../model/after-outage.ts'
import { isAtWork } from '../model/agent-report.ts'
import { isCountingNothing, type RolloutClock, withoutBreaks } from '../model/deadlines.ts'
import type { Instant } from '../model/instant.ts'
import { stamp } from '../model/instant.ts'
import type { Member } from '../model/pool-state.ts'
import { listNames } from '../model/text.ts'

/** Why time that agents were to report in begins again. */
export const TIME_BEGAN_AGAIN = 'the controller has just started, the clock of one was off, or the API server was away'
export const NO_TIME_COUNTED = '; no time is counted now: the API server is away, or the clock of the controller jumps'

/** Work that would be late by the clocks alone, and is not: what gives it more time may do so again and again. */
export function describeLateWork(ongoing: readonly Member[], clock: RolloutClock): string {
  const { now } = clock
  const late = ongoing.filter((member) => endOf(member, withoutBreaks(clock)) <= now && now < endOf(member, clock))
  if (late.length === 0) return ''
  if (isCountingNothing(clock)) return NO_TIME_COUNTED
  const names = listNames(late.map(({ node }) => node.name).sort())
  return `; waits for ${names} until ${stamp(Math.max(...late.map((member) => endOf(member, clock))))}: ${TIME_BEGAN_AGAIN}`
}

function endOf({ node, report }: Member, clock: RolloutClock): Instant {
  const { assigned } = node
  return assigned === undefined || !isAtWork(node, report)
    ? Number.POSITIVE_INFINITY
    : overdueFrom({ node, report }, assigned, clock)
}
