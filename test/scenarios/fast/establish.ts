import type { RolloutPolicy } from '../../../src/rollout/model/policy.ts'
import { checkDecision, checkWorld } from './invariants.ts'
import type { World } from './world.ts'

const HOUR = 3_600_000
/** Assigned, done, and said to be. */
const MOST_ROUNDS = 6

/** A second commit completes, and the way back to the first one: people fled from it. */
export function establishReturn(world: World): void {
  establish(world)
  for (const content of ['second', 'first']) {
    world.push(Object.fromEntries([...world.pools.keys()].map((pool) => [pool, content])))
    establish(world)
  }
}

/** The newest commit completes on every node, by rules that let it; then the rules become what they are. Most fleets are not new. */
export function establish(world: World): void {
  const { fleetPolicy, rules } = world
  const drawn = [...rules.pools]
  world.fleetPolicy = {}
  for (const [name, policy] of drawn) rules.pools.set(name, unhindered(policy))
  for (let round = 0; !isEstablished(world); round++) {
    if (round === MOST_ROUNDS) throw new Error('the newest commit never completes')
    runRound(world)
  }
  world.fleetPolicy = fleetPolicy
  for (const [name, policy] of drawn) rules.pools.set(name, policy)
  world.now += HOUR
  world.tell('the newest commit has completed')
}

function unhindered({ gates: _, proof: __, ...policy }: RolloutPolicy): RolloutPolicy {
  const drain = { ...policy.drain, mode: 'Never' } as const
  return { ...policy, drain, waves: [], windows: [], dependsOn: [], maxUnavailable: { percent: 100 } }
}

function isEstablished({ pools, head }: World): boolean {
  return [...pools.values()].every(({ memory }) => memory.stable?.revision === head.revision)
}

function runRound(world: World): void {
  world.takes = []
  world.controller.hear()
  checkDecision(world.controller.pass())
  checkWorld(world)
  for (const node of world.nodes.values()) for (let i = 0; i < 3; i++) world.step(node)
  world.now += 1_000
}
