import { KUBELET_UNIT } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'
import type { UpcomingFiles } from '../resources/kind.ts'
import { unit } from '../resources/unit.ts'
import { definitionsOf } from '../service-managers.ts'
import { type Plan, withStopped } from '../transaction/plan.ts'

/**
 * The same plan, in which a unit that runs and loses its last file is stopped before: without the file, neither its own command to stop it
 * nor what it leaves running is known any more. A unit that has to run is left to fail.
 */
export async function withLostUnitsStopped(plan: Plan, ports: AgentPorts): Promise<Plan> {
  const { restarts, required } = plan.activation
  const upcoming = new Map(plan.steps.flatMap(({ change }) => [...(change.effects.writes ?? [])]))
  const stops = []
  for (const name of restarts) {
    if (name === KUBELET_UNIT || required.includes(name) || !(await losesFile(name, { upcoming, ports }))) continue
    const { change } = await unit.of({ name, running: false }).observe(ports)
    if (change !== undefined) stops.push(change)
  }
  return stops.length === 0 ? plan : withStopped(plan, stops)
}

/** It may have another file where nobody looks: then it is started again when the service manager still knows it. */
async function losesFile(
  name: string,
  { upcoming, ports: { files, services } }: { readonly upcoming: UpcomingFiles; readonly ports: AgentPorts },
): Promise<boolean> {
  const paths = definitionsOf(services.name, name)
  if (!paths.some((path) => upcoming.has(path) && upcoming.get(path) === undefined)) return false
  for (const path of paths) {
    const isThere = upcoming.has(path) ? upcoming.get(path) !== undefined : (await files.stat(path)) !== undefined
    if (isThere) return false
  }
  return true
}
