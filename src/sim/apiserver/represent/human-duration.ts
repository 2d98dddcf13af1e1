const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `5s`, `3m20s`, `7h`, `2d3h`, `400d`: two or three significant figures, as kubectl shows ages. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND)
  const minutes = Math.trunc(milliseconds / MINUTE)
  const hours = Math.trunc(milliseconds / HOUR)
  const days = Math.trunc(milliseconds / DAY)
  if (seconds < -1) return '<invalid>'
  if (seconds < 60 * 2) return `${Math.max(0, seconds)}s`
  if (minutes < 10) return `${minutes}m${part(seconds % 60, 's')}`
  if (minutes < 60 * 3) return `${minutes}m`
  if (hours < 8) return `${hours}h${part(minutes % 60, 'm')}`
  if (hours < 48) return `${hours}h`
  if (hours < 24 * 8) return `${days}d${part(hours % 24, 'h')}`
  if (hours < 24 * 365 * 2) return `${days}d`
  if (hours < 24 * 365 * 8) return `${Math.trunc(days / 365)}y${part(days % 365, 'd')}`
  return `${Math.trunc(days / 365)}y`
}

function part(value: number, unit: string): string {
  return value === 0 ? '' : `${value}${unit}`
}

/** Since an RFC 3339 stamp; `<unknown>` when there is none. */
export function humanAge(stamp: string | undefined, now: number): string {
  return stamp ? humanDuration(now - Date.parse(stamp)) : '<unknown>'
}
