import { DAY } from '../../calendar/instant.ts'
import type { Window } from '../../calendar/window.ts'
import { HORIZON, openSpans } from '../../calendar/windows.ts'
import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import type { RolloutSpec, WindowSpec } from '../schema/rollout.ts'
import type { Path } from '../source.ts'
import { windowOf } from '../window-of.ts'

/** Of a window by schedule, in milliseconds. */
const LONGEST = 31 * DAY
/** Schedules repeat from year to year; this one has every day that there is. What is valid must not depend on today. */
const A_LEAP_YEAR = Date.parse('2024-01-01T00:00:00Z')

type WithRollout = Loaded<{ readonly rollout?: RolloutSpec }>

/** Windows must say when they are open, and be neither always nor never: then they are not what was meant. */
export function checkWindows({ documents: { Fleet, NodePool } }: Draft): Problem[] {
  return [...Fleet.values(), ...NodePool.values()].flatMap((document: WithRollout) => {
    const { windows = [] } = document.spec.rollout ?? {}
    const problems = windows.flatMap((window, index) => windowProblems(document, { window, path: ['rollout', 'windows', index] }))
    return problems.length > 0 || windows.length < 2 ? problems : togetherProblems(document, windows)
  })
}

function windowProblems(
  document: WithRollout,
  { window, path }: { readonly window: WindowSpec; readonly path: Path },
): Problem[] {
  const { schedule, duration, dates } = window
  if ((dates !== undefined) === (schedule !== undefined || duration !== undefined))
    return [errorAt(document, path, { reason: 'Conflict', message: 'expected either "schedule" and "duration", or "dates"' })]
  if (dates) return []
  if (schedule === undefined || duration === undefined) {
    const message = `expected "${schedule === undefined ? 'schedule' : 'duration'}", too`
    return [errorAt(document, path, { reason: 'MissingField', message })]
  }
  if (duration === 0 || duration > LONGEST)
    return [invalid(document, { path: [...path, 'duration'], message: 'expected more than 0 and at most 744h' })]
  return neverChanges(document, { window, path })
}

function neverChanges(document: WithRollout, { window, path }: { readonly window: WindowSpec; readonly path: Path }): Problem[] {
  const first = firstOpening([{ ...windowOf(window), action: 'allow' }])
  if (!first)
    return [invalid(document, { path: [...path, 'schedule'], message: 'the window never opens, not even in a leap year' })]
  if (first.from > A_LEAP_YEAR || first.to < A_LEAP_YEAR + HORIZON) return []
  return [
    invalid(document, {
      path: [...path, 'duration'],
      message: 'the window never closes: it opens again before the duration is over',
      remedy: 'use a shorter duration; to stop a pool, pause it',
    }),
  ]
}

/** Dates come once, so they are not judged by what is usual: a freeze ends, and an exception may be all that is allowed. */
function togetherProblems(document: WithRollout, specs: readonly WindowSpec[]): Problem[] {
  const windows = specs.map(windowOf)
  if (windows.some((window) => 'dates' in window && window.action === 'allow')) return []
  if (firstOpening(windows.filter((window) => !('dates' in window)))) return []
  const message = 'no rollout can ever start: another window denies every time that a window allows'
  return [invalid(document, { path: ['rollout', 'windows'], message })]
}

function firstOpening(windows: readonly Window[]) {
  return openSpans(windows, A_LEAP_YEAR).next().value ?? undefined
}

function invalid(
  document: WithRollout,
  { path, ...told }: { readonly path: Path; readonly message: string; readonly remedy?: string },
): Problem {
  return errorAt(document, path, { reason: 'InvalidValue', ...told })
}
