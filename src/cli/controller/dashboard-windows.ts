import { DAY, type Instant, MINUTE, type Span } from '../../calendar/instant.ts'
import type { Window } from '../../calendar/window.ts'
import { openSpans } from '../../calendar/windows.ts'
import type { PoolConclusion, WindowSpan } from '../../dashboard/fleet-view.ts'
import { windowText, windowView } from '../plan/window-view.ts'

/** Of the timeline. */
const [BEFORE, AFTER] = [DAY, 7 * DAY]
const HOUR = 60 * MINUTE
/** A schedule may open every minute. */
const MOST_SPANS = 50

const remembered = new WeakMap<readonly Window[], { readonly hour: Instant; readonly spans: readonly WindowSpan[] }>()

/** Windows of a pool as the page shows them: the same within an hour, so that nothing is sent for time that passes. */
export function dashboardWindows(windows: readonly Window[], now: Instant): Pick<PoolConclusion, 'window' | 'windows'> {
  const view = windowView(windows, now)
  return view === undefined ? {} : { window: windowText(view), windows: spansAround(windows, now) }
}

function spansAround(windows: readonly Window[], now: Instant): readonly WindowSpan[] {
  const hour = now - (now % HOUR)
  const last = remembered.get(windows)
  if (last?.hour === hour) return last.spans
  const spans = spansWithin(windows, { from: hour - BEFORE, to: hour + AFTER })
  remembered.set(windows, { hour, spans })
  return spans
}

function spansWithin(windows: readonly Window[], { from, to }: Span): readonly WindowSpan[] {
  const spans: WindowSpan[] = []
  for (const span of openSpans(windows, from)) {
    if (span.from >= to || spans.length === MOST_SPANS) break
    spans.push({ from: textOf(span.from), to: textOf(Math.min(span.to, to)) })
  }
  return spans
}

function textOf(instant: Instant): string {
  return new Date(instant).toISOString()
}
