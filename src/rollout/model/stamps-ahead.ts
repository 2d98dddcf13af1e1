import { reportedAt } from './agent-report.ts'
import type { Reported } from './availability.ts'
import { BLINK, REFUSAL_STANDS } from './deadlines.ts'
import type { Instant } from './instant.ts'
import type { PoolContext } from './pool-state.ts'

/** Some stamp is by a clock that is ahead: what is measured from it may be another in each pass. */
export function hasStampAhead(subject: Reported, now: Instant): boolean {
  return stampsOf(subject).some((at) => at !== undefined && at > now)
}

/** When a stamp that is ahead comes to mean something else: as soon as it is near enough to count for what it says, and when it is past. */
export function stampsChangeAt(subject: Reported, { pool, now }: Pick<PoolContext, 'pool' | 'now'>): readonly Instant[] {
  const { applyTimeout, drain } = pool.policy
  return stampsOf(subject).flatMap((at) => {
    if (at === undefined || at <= now) return []
    return [at, ...[applyTimeout, drain.timeout, REFUSAL_STANDS, BLINK].map((longest) => at - longest + 1)]
  })
}

function stampsOf({ node, report }: Reported): readonly (Instant | undefined)[] {
  return [node.assigned?.at, node.readySince, node.mark?.at, reportedAt(report), node.proof?.endedAt]
}
