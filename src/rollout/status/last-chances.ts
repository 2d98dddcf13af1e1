import { awaitedBeforeRejection } from '../exposure/failed-where-tried.ts'
import { isCountingNothing } from '../model/deadlines.ts'
import { chanceEnds } from '../model/evidence.ts'
import { stamp } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { listNames } from '../model/text.ts'

/** Nodes that were not sound when they were assigned, and that alone keep the target from being rejected. */
export function describeLastChances(poolState: PoolState): string {
  if (poolState.rollout.state !== 'InProgress') return ''
  const awaited = awaitedBeforeRejection(poolState)
  if (awaited.length === 0) return ''
  const names = listNames(awaited.map(({ node }) => node.name).sort())
  return `; only ${names} can still try it, not sound before the assignment${describeEnd(awaited, poolState)}`
}

/** No end that moves on with the time, which would be another message in each pass: after a stamp that is ahead, or while no time is counted. */
function describeEnd(awaited: readonly Member[], { clock, now }: PoolState): string {
  if (isCountingNothing(clock) || awaited.some(({ node }) => (node.assigned?.at ?? now) > now)) return ''
  return `: waits until ${stamp(Math.max(...awaited.map((member) => chanceEnds(member, clock) ?? now)))}`
}
