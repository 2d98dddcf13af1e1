/** Kubelet versions: `1.36.3`, `1.37.0-rc.1`; the leading `v` that tags have is not part of a version here. */
export const VERSION = /^\d{1,4}\.\d{1,4}\.\d{1,4}(?:[-+_.][0-9A-Za-z][0-9A-Za-z.+_-]{0,60})?$/

const LABEL_NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?'
export const DNS_SUBDOMAIN = '[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?'
export const LABEL_KEY = new RegExp(`^(?:${DNS_SUBDOMAIN}/)?${LABEL_NAME}$`)
export const LABEL_VALUE = new RegExp(`^(?:${LABEL_NAME})?$`)

const MILLISECONDS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

/** @param text as the pattern of `duration` lets through. @returns milliseconds. */
export function parseDuration(text: string): number {
  let total = 0
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|h|m|s)/g))
    total += Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS]
  return total
}

/** @param value a count, or a percentage as the pattern of `share` lets through. */
export function parseShare(value: number | string): { readonly count: number } | { readonly percent: number } {
  return typeof value === 'number' ? { count: value } : { percent: Number(value.slice(0, -1)) }
}

/** The first and the last day, as midnights in UTC: `2026-12-24`, or `2026-12-24/2027-01-02`. */
export function parseDateRange(text: string): { readonly first: number; readonly last: number } {
  const [first = '', last = first] = text.split('/')
  return { first: Date.parse(`${first}T00:00:00Z`), last: Date.parse(`${last}T00:00:00Z`) }
}

/** Both are days of the calendar, and the first is not after the last. */
export function isDateRange(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}(?:\/\d{4}-\d{2}-\d{2})?$/.test(text)) return false
  const { first, last } = parseDateRange(text)
  return first <= last && text.split('/').every(isDay)
}

/** JavaScript takes 31 April for 1 May. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
