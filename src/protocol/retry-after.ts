/** Milliseconds; a server that says more is asked again by then all the same. */
const LONGEST = 3_600_000
const DAY = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/**
 * What a `Retry-After` header says, seconds or a date, in milliseconds from `now`; undefined when it says nothing that can be read.
 * @param shortest the least wait, also where the header says 0. Default: 0
 */
export function retryAfterOf(header: string | null | undefined, now: number, shortest = 0): number | undefined {
  const text = header?.trim() ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now
  return boundedWait(wait, shortest)
}

/** @returns undefined for what is no number */
export function boundedWait(milliseconds: number, shortest = 0): number | undefined {
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(shortest, milliseconds), LONGEST)
}

/** Of the three forms, the oldest one names no zone. */
function dateOf(text: string): number {
  return DAY.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN
}
