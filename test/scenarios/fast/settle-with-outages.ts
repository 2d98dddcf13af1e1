import { expect } from 'vitest'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { Random } from '../random.ts'
import { fingerprintOf } from './content.ts'
import type { Observed } from './controller.ts'
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
  const gated = new Map(world.rules.pools)
  expectEveryoneAt('last', world, random, goOnWithoutGate)
  for (const [pool, policy] of gated) world.rules.pools.set(pool, policy)
  pushBreaking('bad', world)
  expectStopped('bad', world, random)
  if (random.chance(0.5)) retryAll(world, random)
  else restAt('worse', world, random)
  pushToAll(world, { content: 'next', effect: 'good', random })
  expectEveryoneAt('next', world, random)
}

/**
 * A gate fails for another reason than what is tried: a tool has taken away its record, so that what an older commit breaks on nodes of later
 * waves counts against every other one; or the stable content broke something on a node that got it after the record. As the documentation
 * says, a commit takes the gate away, and people retry.
 */
function goOnWithoutGate({ decisions }: Observed, world: World): boolean {
  const failed = [...decisions].filter(([, { status }]) => lacksRecord(status, world) || isBrokenByStable(status, world))
  for (const [name] of failed) {
    const [pool, policy] = [world.pools.get(name), world.rules.pools.get(name)]
    if (!pool || !policy) continue
    world.rules.pools.set(name, { ...policy, gates: policy.gates?.filter(({ check }) => check.kind !== 'workloads') ?? [] })
    retry(pool, world, true)
    world.tell(`${name} goes on without a gate of workloads`)
  }
  return failed.length > 0
}

function lacksRecord(status: Decision['status'], { apps }: World): boolean {
  return apps?.isMeddled === true && failureOf(status).includes(' unknown before')
}

function isBrokenByStable(status: Decision['status'], { apps }: World): boolean {
  const failure = failureOf(status)
  const named = [...(apps?.damages.values() ?? [])].filter(({ app }) => failure.includes(`${app} lacks`))
  return named.length > 0 && named.every(({ content }) => fingerprintOf(content) === status.stable?.fingerprint)
}

/** What a gate of workloads has said that has failed. */
function failureOf({ conditions: [ready] }: Decision['status']): string {
  return /failed on gate "apps" after .*/.exec(ready?.message ?? '')?.[0] ?? ''
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
