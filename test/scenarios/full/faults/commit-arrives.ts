import type { Content, PoolRules } from '../commits.ts'
import type { World } from '../world.ts'

/** New contents, good or bad, or old ones again, for some of the pools. */
export function commitArrives(world: World): void {
  const { random, commits } = world
  const last = [...commits.values()].at(-1) ?? new Map<PoolRules, Content>()
  const outcome = random.pick(world.outcomes)
  const fresh: Content = { name: `c${commits.size}-${outcome}`, outcome }
  const contents = new Map([...last].map(([pool, before]) => [pool, random.chance(0.6) ? fresh : before]))
  const old = random.pick([...commits.values()])
  world.push(random.chance(0.25) ? old : contents)
}
