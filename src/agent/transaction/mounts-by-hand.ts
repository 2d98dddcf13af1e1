import { AgentError } from '../agent-error.ts'
import { unitFile } from '../paths.ts'
import type { ServiceManager } from '../ports.ts'
import { isRunning } from '../service-state.ts'
import type { Managed } from '../state/managed.ts'
import type { Plan } from './plan.ts'

/**
 * What was mounted by a command has a unit without a file as long as it is mounted.
 * @param options.already what nodewave manages: a file of its own that somebody has removed comes back
 * @throws {AgentError} MountedByHand
 */
export async function refuseMountsByHand(
  { steps, activation }: Plan,
  { already, services }: { readonly already: Managed; readonly services: Pick<ServiceManager, 'showAll'> },
): Promise<void> {
  const disturbed = [...activation.restarts, ...steps.flatMap(({ change }) => change.effects.stops ?? [])]
  const mounts = disturbed.filter((unit) => unit.endsWith('.mount') && !isOurs(unit, already))
  const found = (await services.showAll(mounts)).find(({ service }) => service.isGone && isRunning(service.active))
  if (found === undefined) return
  throw new AgentError(
    `change "${found.unit}": it is mounted, and neither a unit file nor /etc/fstab says how, so an undo could not mount it again; unmount it, or take the unit out of the commit`,
    { kind: 'validate', reason: 'MountedByHand' },
  )
}

function isOurs(unit: string, { claims }: Managed): boolean {
  const file = unitFile(unit)
  return claims.some(({ key }) => key === unit || key === file || key.startsWith(`${file}.d/`))
}
