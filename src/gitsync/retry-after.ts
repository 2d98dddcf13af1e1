/** Milliseconds; a server that says more is asked again by then all the same. */
const LONGEST = 3_600_000

/** What a `Retry-After` header says, in milliseconds from `now`; undefined when it says nothing that can be read. */
export function retryAfterOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST)
}
