import type { Member } from './pool-state.ts'
import { scattered } from './scattered.ts'

/**
 * Broken first, then those at work that ask for a greater grant, last those whose drain was given up once; between them wave by wave,
 * zone by zone, and scattered.
 */
export function inOrder(pool: string, members: readonly Member[]): readonly Member[] {
  if (members.length === 0) return members
  const zones = new Map([...new Set(members.map(({ node }) => node.zone))].sort().map((zone, index) => [zone, index]))
  const waves = 1 + members.reduce((most, { wave = 0 }) => Math.max(most, wave), 0)
  const classOf = (member: Member): number =>
    (urgencyOf(member) * waves + (member.broken ? 0 : (member.wave ?? 0))) * zones.size + (zones.get(member.node.zone) ?? 0)
  return scattered(members, { scope: pool, nameOf: ({ node }) => node.name, classOf })
}

function urgencyOf(member: Member): number {
  return (member.broken ? 0 : 4) + (member.assigned ? 0 : 2) + (wasSkipped(member) ? 1 : 0)
}

function wasSkipped({ node }: Member): boolean {
  return node.mark?.state === 'Skipped'
}
