import { Random } from '../random.ts'
import type { Told } from '../tell-stories.ts'
import { drawBehindRules, drawClockRules, drawLateRules, drawPoolRules, type PoolRules } from './commits.ts'
import { BEHIND_FAULTS, CLOCK_FAULTS, FAULTS, type Fault, LATE_FAULTS, RESTORED_FAULTS } from './faults.ts'
import { watchOver } from './invariants.ts'
import { settle } from './settle.ts'
import { openShop } from './shop.ts'
import { startPods } from './start-pods.ts'
import { type Setting, World } from './world.ts'

const SECOND = 1000

interface Kind extends Omit<Setting, 'random'> {
  /** Default: what befalls any fleet. */
  readonly faults?: readonly Fault[]
  /** Default: short soaks, and no proofs. */
  readonly draw?: (name: string, random: Random) => PoolRules
}

/** A story with the real controller and the real agents; what happens in it takes the time that it takes. */
export function tellFull(seed: number, steps: number): Promise<Told> {
  return tell({ outcomes: ['good', 'good', 'crash', 'invalid'] }, { random: new Random(seed), steps })
}

/** Commits also cut nodes off, and Kubernetes sees nodes that are silent. */
export function tellCut(seed: number, steps: number): Promise<Told> {
  return tell({ outcomes: ['good', 'good', 'cuts', 'cuts', 'crash'] }, { random: new Random(seed), steps })
}

/** And watches, writes and answers come late, while everything else is alive. */
export function tellLate(seed: number, steps: number): Promise<Told> {
  const outcomes = ['good', 'good', 'cuts', 'withers', 'withers', 'crash'] as const
  const kind = { outcomes, isLate: true, draw: drawLateRules, faults: LATE_FAULTS }
  return tell(kind, { random: new Random(seed), steps })
}

/** And etcd is restored from backups. */
export function tellRestored(seed: number, steps: number): Promise<Told> {
  const outcomes = ['good', 'good', 'good', 'crash', 'invalid'] as const
  return tell({ outcomes, faults: RESTORED_FAULTS }, { random: new Random(seed), steps })
}

/** And clocks of controllers differ by minutes. */
export function tellClocks(seed: number, steps: number): Promise<Told> {
  const outcomes = ['good', 'good', 'good', 'crash'] as const
  const kind = { outcomes, hasClocks: true, sparesNodes: true, draw: drawClockRules, faults: CLOCK_FAULTS }
  return tell(kind, { random: new Random(seed), steps })
}

/** And watches are behind, while what is read again is as it is; pools depend on each other. */
export function tellBehind(seed: number, steps: number): Promise<Told> {
  const outcomes = ['good', 'good', 'crash', 'withers'] as const
  const kind = { outcomes, isLate: true, sparesNodes: true, draw: drawBehindRules, faults: BEHIND_FAULTS }
  return tell(kind, { random: new Random(seed), steps })
}

interface Telling {
  readonly random: Random
  readonly steps: number
}

async function tell({ faults = FAULTS, draw = drawPoolRules, ...setting }: Kind, { random, steps }: Telling): Promise<Told> {
  const pools = ['gpu', 'workers'].slice(random.below(2)).map((name) => draw(name, random))
  const world = await World.create({ ...setting, random }, pools)
  try {
    await begin(world)
    for (let i = 0; i < steps && world.broken.length === 0; i++) {
      await random.pick(faults)(world)
      await world.clock.advance(random.pick([0, 1, 5, 5, 20, 20, 90]) * SECOND)
      world.reviveTheDead()
      await world.showNodes()
      expectFewFutile(world)
    }
    if (world.broken.length === 0) await settle(world)
    if (world.broken.length > 0) throw new Error(world.broken.join('\n'))
    return { ok: true }
  } catch (error) {
    return { ok: false, error, lines: [...pools.map((pool) => JSON.stringify(pool)), ...world.told] }
  } finally {
    world.end()
  }
}

/** In one step; the longest takes 400 seconds. */
const MOST_FUTILE = 60

/** Who asks for what is not there, again and again, wears an API server out. */
function expectFewFutile(world: World): void {
  for (const trouble of world.controllerTroubles) {
    if (trouble.futile > MOST_FUTILE)
      world.broken.push(`${trouble.futile} requests of a controller were answered with 404 or 409`)
    trouble.futile = 0
  }
}

async function begin(world: World): Promise<void> {
  watchOver(world)
  for (const { name } of world.pools) for (let i = world.random.below(4); i >= 0; i--) await world.join(`${name}-${i}`, name)
  world.shopSize = world.machines.size
  await openShop(world)
  if (world.isLate) startPods(world)
  world.startControllers()
  world.push(new Map(world.pools.map((pool) => [pool, { name: 'first', outcome: 'good' }])))
}
