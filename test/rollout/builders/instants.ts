import type { Instant } from '../../../src/rollout/model/instant.ts'

export const noon: Instant = Date.parse('2026-11-21T12:00:00.000Z')
export const minute = 60_000
export const hour = 60 * minute

export function stamp(instant: Instant): string {
  return new Date(instant).toISOString()
}
