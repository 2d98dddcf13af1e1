import { Random } from '../random.ts'
import type { Told } from '../tell-stories.ts'
import { happen } from './happen.ts'
import { describeRules, drawRules } from './rules.ts'
import { settle } from './settle.ts'
import { World } from './world.ts'

/** So many events befall a fleet before its faults cease. */
export const STEPS = 150

/** One story of a drawn fleet: the same seed, the same story. @param steps how many events; fewer are the same story's beginning */
export function tellFast(seed: number, steps: number): Told {
  const random = new Random(seed)
  const world = new World(drawRules(random))
  for (const pool of world.pools.keys())
    for (let i = random.below(10); i >= 0; i--) world.join(`${pool}-${i}`, { pool, zone: `zone-${i % 3}` })
  world.push(Object.fromEntries([...world.pools.keys()].map((pool) => [pool, 'first'])))
  try {
    for (let i = 0; i < steps; i++) happen(world, random)
    settle(world, random)
    return { ok: true }
  } catch (error) {
    return { ok: false, error, lines: [describeRules(world.rules), ...world.told] }
  }
}
