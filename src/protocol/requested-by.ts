import { foreignText } from './foreign-text.ts'

/** Who wrote a control or took it back, and when; as they say themselves. */
export interface RequestedBy {
  readonly who: string
  /** RFC 3339 */
  readonly at: string
}

const LONGEST = 300
const STAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/

/** `ada@example.com 2026-11-21T08:00:00Z` */
export function formatRequestedBy({ who, at }: RequestedBy): string {
  return `${who} ${at}`
}

/** @returns undefined when there is none, or when it does not end with a date. */
export function parseRequestedBy(annotation: string | undefined): RequestedBy | undefined {
  if (annotation === undefined || annotation.length > LONGEST) return undefined
  const text = annotation.trim()
  const gap = text.lastIndexOf(' ')
  const [who, at] = [text.slice(0, Math.max(0, gap)).trim(), text.slice(gap + 1)]
  return who !== '' && STAMP.test(at) && !Number.isNaN(Date.parse(at)) ? { who: foreignText(who, LONGEST), at } : undefined
}
