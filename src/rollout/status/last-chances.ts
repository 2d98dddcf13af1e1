import { chanceEnds } from '../model/evidence.ts'
import { stamp } from '../model/instant.ts'
import type { PoolState } from '../model/pool-state.ts'
import { listNames } from '../model/text.ts'
import { awaitedBeforeRejection } from '../progress/failures.ts'

/** Nodes that were not sound when they were assigned, and that alone keep the target from being rejected. */
export function describeLastChances(poolState: PoolState): string {
  if (poolState.rollout.state !== 'InProgress') return ''
  const awaited = awaitedBeforeRejection(poolState)
  if (awaited.length === 0) return ''
  const names = listNames(awaited.map(({ node }) => node.name).sort())
  const ends = awaited.map((member) => chanceEnds(member, poolState.clock) ?? poolState.now)
  return `; only ${names} can still try it, not sound before the assignment: waits until ${stamp(Math.max(...ends))}`
}
