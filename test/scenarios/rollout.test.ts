import { expect, test } from 'vitest'
import type { Decision } from '../../src/rollout/decision.ts'
import type { RolloutPolicy } from '../../src/rollout/snapshot.ts'
import { checkDecision } from './invariants.ts'
import { Random } from './random.ts'
import type { Effect } from './sim-node.ts'
import { happen } from './trouble.ts'
import { World } from './world.ts'

const SEEDS = Number(process.env.SEEDS ?? 1_500)
const minute = 60_000
const BAD: readonly Effect[] = ['crash', 'ruin', 'hang', 'wilt']

test('a pool keeps its rules through any story, and ends with every node at the last good commit', () => {
  for (const seed of seeds()) story(seed)
  // Seconds on a quiet machine; it never waits for anything but the processor.
}, 120_000)

/** `SEED=17 npx vitest run test/scenarios` tells one story again; `SEEDS=50000` tells more. */
function seeds(): number[] {
  const SEED = process.env.SEED
  return SEED === undefined ? Array.from({ length: SEEDS }, (_, seed) => seed) : [Number(SEED)]
}

function story(seed: number): void {
  const random = new Random(seed)
  const world = new World(aPolicy(random))
  const size = 1 + random.below(12)
  for (let i = 0; i < size; i++) world.join(`n${i}`, `zone-${i % 3}`)
  world.push('first')
  try {
    for (let i = 0; i < 150; i++) happen(world, random)
    settle(world, random)
  } catch (cause) {
    throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}\n${world.told.join('\n')}`, { cause })
  }
}

function aPolicy(random: Random): RolloutPolicy {
  const wave = { manual: false }
  const canary = { ...wave, name: 'canary', nodes: { count: 1 }, soak: 2 * minute }
  const early = { ...wave, name: 'early', nodes: { percent: 30 }, soak: minute }
  return {
    waves: random.pick([[], [canary], [canary, early], [early]]),
    maxUnavailable: random.pick([{ count: 1 }, { count: 3 }, { percent: 25 }, { percent: 100 }]),
    maxFailures: random.pick([{ count: 0 }, { count: 0 }, { count: 1 }, { percent: 20 }]),
    onFailure: random.pick(['Halt', 'Rollback']),
    drain: { mode: 'Auto' },
    applyTimeout: 10 * minute,
  }
}

/** The faults cease. A good commit must reach everybody, a bad one must be stopped, and its revert must reach everybody again. */
function settle(world: World, random: Random): void {
  world.recover()
  world.push('last', 'good')
  expectEveryoneAt('last', world, random)
  const effect = random.pick(BAD)
  world.push('bad', effect)
  const stopped = rest(world, random)
  const isRejected = stopped.status.rejected.some(({ fingerprint }) => fingerprint === 'of bad')
  if (isRejected && world.policy.onFailure === 'Rollback') expect(contents(world)).toEqual(world.nodes.map(() => 'last'))
  if (effect !== 'wilt') expect(stopped.status.conditions[2]).toMatchObject({ type: 'Stalled', status: 'True' })
  world.push('last')
  expectEveryoneAt('last', world, random)
}

function expectEveryoneAt(content: string, world: World, random: Random): void {
  const { status } = rest(world, random)
  expect(contents(world)).toEqual(world.nodes.map(() => content))
  expect(status.conditions[0]).toMatchObject({ type: 'Ready', status: 'True', reason: 'Completed' })
}

function rest(world: World, random: Random): Decision {
  world.tell(`rest at "${world.commits.at(-1)?.revision}"`)
  return world.quiesce(random, checkDecision)
}

function contents({ nodes }: World): string[] {
  return nodes.map((node) => node.active)
}
