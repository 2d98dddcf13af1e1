import { AgentError } from '../agent-error.ts'
import { reasonIn } from '../kubelet/kubelet-words.ts'
import { KUBELET_UNIT } from '../paths.ts'
import { type AgentPorts, ServiceCallKilled } from '../ports.ts'
import { isRunning } from '../service-state.ts'
import type { Activation } from './plan.ts'

type ServicePorts = Pick<AgentPorts, 'services' | 'clock'>

/**
 * Makes the files count. The kubelet is started whatever state it is in, another unit when it runs, or is among `running`: then it has to.
 * One that has failed gets another chance with the new files, and may fail again.
 */
export async function activate(
  { reload, restarts, running = [] }: Activation & { readonly running?: readonly string[] },
  ports: ServicePorts,
): Promise<void> {
  const { services } = ports
  if (reload) await services.reload()
  for (const unit of restarts) {
    const { active } = await services.show(unit)
    if (unit === KUBELET_UNIT || running.includes(unit) || isRunning(active)) await restart(unit, ports)
    else if (active === 'failed') await services.restart(unit).catch(() => {})
  }
}

async function restart(unit: string, { services, clock }: ServicePorts): Promise<void> {
  const since = clock.now()
  try {
    await services.restart(unit)
  } catch (cause) {
    if (cause instanceof ServiceCallKilled) throw cause
    const reason = reasonIn(await services.lastWords(unit, since - 1000).catch(() => []))
    // One that exists and does not start has something against the files that it reads.
    if (reason === undefined || !(await services.show(unit)).exists) throw cause
    throw new AgentError(`${unit} did not start: ${reason}`, { kind: 'validate', reason: 'UnitNotStarted', cause })
  }
}
