import { Random } from '../random.ts'
import type { Told } from '../tell-stories.ts'
import { drawClockRules, drawLateRules, drawPoolRules } from './commits.ts'
import { CLOCK_FAULTS, FAULTS, type Fault, LATE_FAULTS, RESTORED_FAULTS } from './faults.ts'
import { watchOver } from './invariants.ts'
import { settle } from './settle.ts'
import { openShop } from './shop.ts'
import { startPods } from './start-pods.ts'
import { type Setting, World } from './world.ts'

const SECOND = 1000

/** A story with the real controller and the real agents; what happens in it takes the time that it takes. */
export function tellFull(seed: number, steps: number): Promise<Told> {
  return tell({ random: new Random(seed), outcomes: ['good', 'good', 'crash', 'invalid'] }, steps)
}

/** Commits also cut nodes off, and Kubernetes sees nodes that are silent. */
export function tellCut(seed: number, steps: number): Promise<Told> {
  return tell({ random: new Random(seed), outcomes: ['good', 'good', 'cuts', 'cuts', 'crash'] }, steps)
}

/** And watches, writes and answers come late, while everything else is alive. */
export function tellLate(seed: number, steps: number): Promise<Told> {
  return tell(
    { random: new Random(seed), outcomes: ['good', 'good', 'cuts', 'withers', 'withers', 'crash'], isLate: true },
    steps,
  )
}

/** And etcd is restored from backups. */
export function tellRestored(seed: number, steps: number): Promise<Told> {
  const outcomes = ['good', 'good', 'good', 'crash', 'invalid'] as const
  return tell({ random: new Random(seed), outcomes }, steps, RESTORED_FAULTS)
}

/** And clocks of controllers differ by minutes. */
export function tellClocks(seed: number, steps: number): Promise<Told> {
  const outcomes = ['good', 'good', 'good', 'crash'] as const
  return tell({ random: new Random(seed), outcomes, hasClocks: true }, steps, CLOCK_FAULTS)
}

async function tell(setting: Setting, steps: number, ofKind: readonly Fault[] = FAULTS): Promise<Told> {
  const { random, isLate = false, hasClocks = false } = setting
  const [draw, faults] = isLate ? [drawLateRules, LATE_FAULTS] : [hasClocks ? drawClockRules : drawPoolRules, ofKind]
  const pools = ['gpu', 'workers'].slice(random.below(2)).map((name) => draw(name, random))
  const world = await World.create(setting, pools)
  try {
    await begin(world)
    for (let i = 0; i < steps && world.broken.length === 0; i++) {
      await random.pick(faults)(world)
      await world.clock.advance(random.pick([0, 1, 5, 5, 20, 20, 90]) * SECOND)
      world.reviveTheDead()
      await world.showNodes()
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

async function begin(world: World): Promise<void> {
  watchOver(world)
  for (const { name } of world.pools) for (let i = world.random.below(4); i >= 0; i--) await world.join(`${name}-${i}`, name)
  world.shopSize = world.machines.size
  await openShop(world)
  if (world.isLate) startPods(world)
  world.startControllers()
  world.push(new Map(world.pools.map((pool) => [pool, { name: 'first', outcome: 'good' }])))
}
