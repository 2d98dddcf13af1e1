import type { World } from '../world.ts'

/** The controller's watches break, come late, or tell everything twice. */
export function watchFails(world: World): void {
  const trouble = world.controllerTrouble
  const kind = world.random.pick(['break', 'late', 'twice'] as const)
  if (kind === 'break') trouble.breaks += 1
  if (kind === 'late') trouble.late = world.random.pick([0, 50, 2_000])
  if (kind === 'twice') trouble.twice = !trouble.twice
  world.tell(`the controller's watches: ${kind} ${trouble.late} ${trouble.twice}`)
}
