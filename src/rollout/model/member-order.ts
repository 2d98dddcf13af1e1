import type { Member } from './pool-state.ts'
import { byClass } from './scattered.ts'

/**
 * Broken first, then those at work that ask for a greater grant, last those whose drain was given up once; between them wave by wave,
 * zone by zone, and scattered.
 * @param members of a pool, as it has them: scattered
 */
export function inOrder(members: readonly Member[]): readonly Member[] {
  if (members.length === 0) return members
  const zones = new Map([...zonesOf(members)].sort().map((zone, index) => [zone, index]))
  let waves = 1
  for (const { wave = 0 } of members) waves = Math.max(waves, wave + 1)
  return byClass(
    members,
    (member) =>
      (urgencyOf(member) * waves + (member.broken ? 0 : (member.wave ?? 0))) * zones.size + (zones.get(member.node.zone) ?? 0),
  )
}

function zonesOf(members: readonly Member[]): ReadonlySet<string> {
  const zones = new Set<string>()
  for (const { node } of members) zones.add(node.zone)
  return zones
}

function urgencyOf(member: Member): number {
  return (member.broken ? 0 : 4) + (member.assigned ? 0 : 2) + (wasSkipped(member) ? 1 : 0)
}

function wasSkipped({ node }: Member): boolean {
  return node.mark?.state === 'Skipped'
}
