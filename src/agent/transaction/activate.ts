import { KUBELET_UNIT } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'
import { isRunning, staysRunning } from '../service-state.ts'
import { startUnit, stopUnit } from '../unit-orders.ts'
import type { TransactionHead } from './journal.ts'

type ServicePorts = Pick<AgentPorts, 'services' | 'clock'>

/**
 * Makes the files count. The kubelet is started whatever state it is in, another unit when it runs, or is among `required`. One that has
 * failed gets another chance with the new files, and may fail again. One whose definition is gone could not be started again: it is stopped.
 */
export async function activate(
  { reload, restarts, required = [], stopped = [], alongside = [] }: TransactionHead['activation'],
  ports: ServicePorts,
): Promise<void> {
  const { services } = ports
  if (reload) await services.reload()
  for (const unit of [...stopped, ...restarts]) {
    if (unit === KUBELET_UNIT || required.includes(unit)) await startUnit(unit, 'restart', ports)
    else await renew(unit, { ran: stopped.includes(unit), ports })
  }
  const others = await services.showAll(alongside)
  for (const { unit, service } of others) if (service.exists && !isRunning(service.active)) await startUnit(unit, 'start', ports)
}

/** The way back is complete without it where nothing was left, so a failure takes nothing back. */
export async function dropLeftovers(
  units: readonly string[],
  { services, log }: Pick<AgentPorts, 'services' | 'log'>,
): Promise<void> {
  await services
    .dropLeftovers?.(units)
    .catch((error: unknown) => log.warn('what restarted units left may still be there', { error: String(error) }))
}

/** What triggers a unit is stopped after it, and may have started it again by then. */
export async function stopAgain(units: readonly string[], ports: ServicePorts): Promise<void> {
  for (const { unit, service } of await ports.services.showAll(units)) if (isRunning(service.active)) await stopUnit(unit, ports)
}

/** @param about.ran it ran before a step stopped it */
async function renew(unit: string, { ran, ports }: { readonly ran: boolean; readonly ports: ServicePorts }): Promise<void> {
  const { services } = ports
  const state = await services.show(unit)
  const { active, isGone } = state
  // What is stopped is not failed either: monitoring would go on to name it.
  if (isGone) return active === 'inactive' ? undefined : stopUnit(unit, ports)
  // A job reads the new file when it is started next.
  if (ran || staysRunning(state)) await startUnit(unit, 'restart', ports)
  else if (active === 'failed') await services.restart(unit).catch(() => {})
}
