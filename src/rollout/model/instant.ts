/** Milliseconds since the epoch, as the API server's and the agents' RFC 3339 stamps read. */
export type Instant = number

export function stamp(instant: Instant): string {
  return new Date(instant).toISOString()
}
