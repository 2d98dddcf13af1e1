import type { Picture } from './picture.ts'
import type { Instant } from './snapshot.ts'
import type { Taking } from './take.ts'

/** The next instant at which time alone changes something: the end of a soak, of a timeout, of a restraint. */
export function wakeAt({ members, run, now }: Picture, { restraint }: Taking): Instant | undefined {
  let earliest: Instant | undefined
  for (const { until } of [...members.map(({ standing }) => standing), restraint ?? {}, run.withheld ?? {}])
    if (until !== undefined && until > now) earliest = Math.min(earliest ?? until, until)
  return earliest
}
