import type { World } from '../world.ts'

export function adminPausesFleet(world: World): void {
  world.fleetControls = world.fleetControls.paused === undefined ? { paused: 'holidays' } : {}
  world.tell(`fleet paused: ${world.fleetControls.paused}`)
}
