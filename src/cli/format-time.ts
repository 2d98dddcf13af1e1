/** `2026-11-21 08:00`, in UTC; as it stands when it is no date. */
export function formatTime(stamp: string): string {
  const at = Date.parse(stamp)
  return Number.isNaN(at) ? stamp.slice(0, 16) : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

export interface DurationStyle {
  /** The greatest ones that count. Default: 2. */
  readonly units?: number
  /** Default: none. */
  readonly separator?: string
}

/** `2m10s`, `3h5m`; `0s` for less than a second. */
export function formatDuration(milliseconds: number, { units = 2, separator = '' }: DurationStyle = {}): string {
  let left = Math.max(0, milliseconds)
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? '' : `${count}${unit}`
  })
  const first = parts.findIndex((part) => part !== '')
  const shown = first === -1 ? ['0s'] : parts.slice(first, first + units).filter((part) => part !== '')
  return shown.join(separator)
}

/** At most so many characters. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
