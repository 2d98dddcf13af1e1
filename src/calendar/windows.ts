import { DAY, type Instant, type Span } from './instant.ts'
import { spansOf, type Window } from './window.ts'

/** How far ahead an opening is looked for, and how many changes on the way. */
export const HORIZON = 400 * DAY
const STEPS = 10_000

export interface WindowState {
  readonly open: boolean
  /** When that changes; absent: not within the horizon. */
  readonly until?: Instant
}

const remembered = new WeakMap<
  readonly Window[],
  { readonly since: Instant; readonly to: Instant; readonly state: WindowState }
>()

/** Whether something may begin now. The answer is kept for as long as it holds: the search is not made on every call. */
export function windowState(windows: readonly Window[], now: Instant): WindowState {
  const last = remembered.get(windows)
  if (last && last.since <= now && now < last.to) return last.state
  const state = stateAt(windows, now)
  remembered.set(windows, { since: now, to: state.until ?? now + DAY, state })
  return state
}

function stateAt(windows: readonly Window[], now: Instant): WindowState {
  const { value: next } = openSpans(windows, now).next()
  if (!next) return { open: false }
  if (next.from > now) return { open: false, until: next.from }
  return next.to < now + HORIZON ? { open: true, until: next.to } : { open: true }
}

/**
 * When something may begin: while an allow window is open, or at any time when there is none, and no deny window. In order, from
 * `from` on, within the horizon.
 */
export function* openSpans(windows: readonly Window[], from: Instant): Generator<Span> {
  const end = from + HORIZON
  const cursors = (action: Window['action']) =>
    windows.filter((window) => window.action === action).map((window) => new Cursor(window, { from, end }))
  const [allow, deny] = [cursors('allow'), cursors('deny')]
  let current: Span | undefined
  for (let at = from, step = 0; at < end && step < STEPS; step++) {
    const { open, until } = lookThrough({ allow, deny }, at)
    const to = Math.min(until, end)
    if (open) current = { from: current?.from ?? at, to }
    else if (current) {
      yield current
      current = undefined
    }
    at = to
  }
  if (current) yield current
}

interface Look {
  readonly open: boolean
  /** Nothing changes before. */
  readonly until: Instant
}

function lookThrough(
  { allow, deny }: { readonly allow: readonly Cursor[]; readonly deny: readonly Cursor[] },
  at: Instant,
): Look {
  const denied = deny.map((cursor) => cursor.at(at))
  const denying = denied.filter(({ open }) => open)
  if (denying.length > 0) return { open: false, until: Math.max(...denying.map(({ until }) => until)) }
  const allowed = allow.map((cursor) => cursor.at(at))
  const allowing = allowed.filter(({ open }) => open)
  if (allow.length > 0 && allowing.length === 0) return { open: false, until: Math.min(...allowed.map(({ until }) => until)) }
  const closes = allow.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...allowing.map(({ until }) => until))
  return { open: true, until: Math.min(closes, ...denied.map(({ until }) => until)) }
}

/** Goes through the openings of one window, forwards only. */
class Cursor {
  readonly #spans: Generator<Span>
  #span: Span | undefined

  constructor(window: Window, range: { readonly from: Instant; readonly end: Instant }) {
    this.#spans = spansOf(window, range)
    this.#advance()
  }

  at(instant: Instant): Look {
    while (this.#span && this.#span.to <= instant) this.#advance()
    if (!this.#span) return { open: false, until: Number.POSITIVE_INFINITY }
    const { from, to } = this.#span
    return from <= instant ? { open: true, until: to } : { open: false, until: from }
  }

  #advance(): void {
    const { value } = this.#spans.next()
    this.#span = value ?? undefined
  }
}
