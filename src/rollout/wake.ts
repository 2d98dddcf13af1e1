import { closingTime } from './blockers/closed-window.ts'
import { isSettled } from './exposure/wave-progress.ts'
import { nextGate } from './gates/gates.ts'
import type { Instant } from './model/instant.ts'
import type { Picture } from './model/pool-state.ts'
import type { Taking } from './selection/select-nodes.ts'

/** The next instant at which time alone changes something: the end of a soak, of a timeout, of a restraint, of an open window, the next question to a gate. */
export function wakeAt(picture: Picture, { restraint }: Taking): Instant | undefined {
  const { members, run, now } = picture
  const mayBegin = run.state !== 'Halted' && !isSettled(picture)
  const restrained = [...(isSettled(picture) ? [] : [restraint?.until]), ...(mayBegin ? [closingTime(picture)] : [])]
  let earliest: Instant | undefined
  for (const until of [
    ...members.map(({ standing }) => standing.until),
    ...restrained,
    run.withheld?.until,
    ...nextGate(picture),
  ])
    if (until !== undefined && until > now) earliest = Math.min(earliest ?? until, until)
  return earliest
}
