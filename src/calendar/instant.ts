/** Milliseconds since the epoch. */
export type Instant = number

/** Half-open: `to` is the first instant outside. */
export interface Span {
  readonly from: Instant
  readonly to: Instant
}

export const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE
