import { skippedAt } from './cordon.ts'
import type { Instant } from './instant.ts'
import type { Member } from './pool-state.ts'
import { byClass } from './scattered.ts'

/**
 * Broken first, then those at work that ask for a greater grant; between them wave by wave, zone by zone, and scattered. Last come those
 * whose drain was given up, in the order in which it was: else two of them could keep all others from their turn.
 * @param members of a pool, as it has them: scattered
 */
export function inOrder(members: readonly Member[]): readonly Member[] {
  if (members.length === 0) return members
  const zones = new Map([...zonesOf(members)].sort().map((zone, index) => [zone, index]))
  let waves = 1
  for (const { wave = 0 } of members) waves = Math.max(waves, wave + 1)
  const last = LEAST_URGENT * waves * zones.size
  return byClass(
    byClass(members, (member) => givenUpAt(member) ?? 0),
    (member) => {
      if (givenUpAt(member) !== undefined) return last
      const wave = member.broken ? 0 : (member.wave ?? 0)
      return (urgencyOf(member) * waves + wave) * zones.size + (zones.get(member.node.zone) ?? 0)
    },
  )
}

function zonesOf(members: readonly Member[]): ReadonlySet<string> {
  const zones = new Set<string>()
  for (const { node } of members) zones.add(node.zone)
  return zones
}

const LEAST_URGENT = 4

function urgencyOf(member: Member): number {
  return (member.broken ? 0 : 2) + (member.assigned ? 0 : 1)
}

/** When its drain was given up, so that it comes last. What repairs a node that is not Ready does not wait for a drain. */
export function givenUpAt({ node, wanted, target, broken }: Member): Instant | undefined {
  return broken && !node.ready ? undefined : (skippedAt(node, wanted) ?? skippedAt(node, target))
}
