import type { Picture } from './picture.ts'
import type { Instant } from './snapshot.ts'

/** The next instant at which time alone changes something: the end of a soak or of a timeout. */
export function wakeAt({ members, now }: Picture): Instant | undefined {
  let earliest: Instant | undefined
  for (const { standing } of members)
    if (standing.until !== undefined && standing.until > now) earliest = Math.min(earliest ?? standing.until, standing.until)
  return earliest
}
