import type { Instant } from '../../calendar/instant.ts'
import type { Window } from '../../calendar/window.ts'
import { windowState } from '../../calendar/windows.ts'

/** Whether a pool may begin now, and when that changes. */
export interface WindowView {
  readonly open: boolean
  /** RFC 3339; absent: not within the next 400 days. */
  readonly until?: string
}

/** @returns undefined without windows */
export function windowView(windows: readonly Window[], now: Instant): WindowView | undefined {
  if (windows.length === 0) return undefined
  const { open, until } = windowState(windows, now)
  return { open, ...(until !== undefined && { until: new Date(until).toISOString() }) }
}

/** `opens Tue 2026-11-24 22:00 UTC` */
export function windowText({ open, until }: WindowView): string {
  if (until === undefined) return open ? 'open' : 'never opens'
  const time = `${new Date(until).toUTCString().slice(0, 3)} ${until.slice(0, 16).replace('T', ' ')} UTC`
  return open ? `open until ${time}` : `opens ${time}`
}
