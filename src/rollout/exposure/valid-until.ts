import { lateFrom, silentFrom } from '../model/after-outage.ts'
import { isInFlight, isReplayed } from '../model/agent-report.ts'
import type { Reported } from '../model/availability.ts'
import { deadlineOf, type RolloutClock, refusalEnds, silenceEnds, withoutBreaks } from '../model/deadlines.ts'
import { chanceEnds } from '../model/evidence.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import { waitsAfterReboot } from '../model/reboot.ts'
import { hasStampAhead } from '../model/stamps-ahead.ts'

/**
 * Until when time alone changes nothing about a node, whatever it is to become. Most nodes wait for nothing. Of those that are down or
 * cordoned, or bear a stamp from the future, every instant may change something: for them it is now.
 */
export function validUntil({ node, report }: Reported, clock: RolloutClock): Instant {
  const { now } = clock
  if (!isQuiet(node, now) || hasStampAhead({ node, report }, now)) return now
  const { assigned } = node
  if (assigned === undefined) return later(node.createdAt + clock.applyTimeout, now)
  // A retry, and who has lost its place, go by the clocks alone.
  const unbroken = withoutBreaks(clock)
  if (isInFlight(node, report)) {
    const counted = [deadlineOf, silentFrom, lateFrom].map((endsAt) => endsAt(assigned, clock))
    const byClocks = [deadlineOf, silenceEnds].map((endsAt) => endsAt(assigned, unbroken))
    return Math.min(...[...counted, ...byClocks].map((endsAt) => later(endsAt, now)))
  }
  const refusal = isReplayed(report) ? later(refusalEnds(assigned, clock), now) : Number.POSITIVE_INFINITY
  return Math.min(refusal, orNever(waitsAfterReboot(node, clock)), orNever(chanceEnds({ node, report }, unbroken)))
}

/** In service, and nobody asks for its reboot. */
function isQuiet(node: NodeView, now: Instant): boolean {
  const { ready, unschedulable, mark, rebootRequest, createdAt, assigned } = node
  if (!ready || unschedulable || mark !== undefined || rebootRequest !== undefined) return false
  return createdAt <= now && (assigned === undefined || assigned.at !== undefined)
}

function orNever(instant: Instant | undefined): Instant {
  return instant ?? Number.POSITIVE_INFINITY
}

function later(instant: Instant, now: Instant): Instant {
  return instant > now ? instant : Number.POSITIVE_INFINITY
}
