import { expect } from 'vitest'
import type { Random } from '../random.ts'
import { retry } from './faults/retry-follows.ts'
import { expectEveryoneAt, pushToAll, recover, rest } from './settle.ts'
import type { World } from './world.ts'

/**
 * The faults cease. A good commit must reach everybody. One that breaks workloads must stop in the first wave, also when it is retried.
 * Another one that repairs nothing may come in its place. The next good one must reach everybody again.
 */
export function settleWithOutages(world: World, random: Random): void {
  recover(world)
  // What a node ends to do for an older commit after the record was made, and breaks by that, would count against the next one.
  rest(world, random)
  pushToAll(world, { content: 'last', effect: 'good', random })
  expectEveryoneAt('last', world, random)
  pushBreaking('bad', world)
  expectStopped('bad', world, random)
  if (random.chance(0.5)) retryAll(world, random)
  else restAt('worse', world, random)
  pushToAll(world, { content: 'next', effect: 'good', random })
  expectEveryoneAt('next', world, random)
}

function retryAll(world: World, random: Random): void {
  for (const pool of world.pools.values()) retry(pool, world, true)
  expectStopped('bad', world, random)
}

/** Where nodes of later waves have what came before it, its gates know only what is so by then. */
function restAt(content: string, world: World, random: Random): void {
  pushBreaking(content, world)
  rest(world, random)
}

function pushBreaking(content: string, world: World): void {
  for (const pool of world.pools.keys()) breakAll(nameFor(content, pool), pool, world)
  world.push(Object.fromEntries([...world.pools.keys()].map((pool) => [pool, nameFor(content, pool)])))
  for (const pool of world.pools.values()) world.control(pool, { promoted: world.head.revision })
}

/** Contents that break something are named for their pool. */
function nameFor(content: string, pool: string): string {
  return `${pool[0]}-${content}`
}

function breakAll(content: string, pool: string, world: World): void {
  const nodes = new Set(world.membersOf(pool).map(({ name }) => name))
  world.apps?.breaks.set(content, { kind: 'DaemonSet', nodes, lasts: false })
}

function expectStopped(content: string, world: World, random: Random): void {
  const { last } = rest(world, random)
  for (const [pool, { status }] of last.decisions) {
    const [run] = status.history
    if (run?.fingerprint !== `of ${nameFor(content, pool)}`) continue
    expect(run.result === 'Completed' && world.membersOf(pool).length > 0).toBe(false)
    expect(status.wave?.index ?? 0).toBeLessThanOrEqual(1)
  }
}
