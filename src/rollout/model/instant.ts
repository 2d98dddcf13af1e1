/** Milliseconds since the epoch, as the API server's and the agents' RFC 3339 stamps read. */
export type Instant = number

export function stamp(instant: Instant): string {
  return new Date(instant).toISOString()
}

/** Further ahead than what it is of may take, or no date: a clock that has been put back since has made it. One a little ahead counts for what it says. */
export function isFromAhead(at: Instant, { now, longest }: { readonly now: Instant; readonly longest: number }): boolean {
  return !(at - now < longest)
}
