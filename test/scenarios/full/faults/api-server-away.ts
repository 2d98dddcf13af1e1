import type { World } from '../world.ts'

/** Nobody reaches the API server for a while; now and then controllers begin when it is back, and know nothing of what came before. */
export function apiServerAway(world: World): void {
  const seconds = world.random.pick([20, 100, 300])
  const isForgotten = world.random.chance(0.5)
  if (isForgotten) world.startControllers()
  const until = world.clock.elapsed() + seconds * 1000
  for (const trouble of world.troubles()) trouble.hungUntil = until
  world.tell(`the API server is away for ${seconds} s${isForgotten ? '; controllers begin anew' : ''}`)
}
