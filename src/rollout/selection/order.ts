import type { Member } from '../model/pool-state.ts'
import { stableHash } from '../model/stable-hash.ts'

/**
 * Broken first, then those at work that ask for a greater grant, last those whose drain was given up once; between them wave by wave, zone by zone, and by a stable hash of pool
 * and name: the same order on every pass and replica.
 */
export function inOrder(pool: string, members: readonly Member[]): readonly Member[] {
  const keyed = members.map((member) => ({ member, hash: stableHash(pool, member.node.name) }))
  keyed.sort((a, b) => byUrgency(a.member, b.member) || a.hash - b.hash || compare(a.member.node.name, b.member.node.name))
  return keyed.map(({ member }) => member)
}

function byUrgency(a: Member, b: Member): number {
  return (
    Number(b.broken) - Number(a.broken) ||
    Number(b.assigned) - Number(a.assigned) ||
    Number(wasSkipped(a)) - Number(wasSkipped(b)) ||
    (a.broken ? 0 : (a.wave ?? 0) - (b.wave ?? 0)) ||
    compare(a.node.zone, b.node.zone)
  )
}

function wasSkipped({ node }: Member): boolean {
  return node.mark?.state === 'Skipped'
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
