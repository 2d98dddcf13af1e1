import { AgentError } from './agent-error.ts'
import { reasonIn } from './kubelet/kubelet-words.ts'
import { type AgentPorts, ServiceCallKilled } from './ports.ts'

type OrderPorts = Pick<AgentPorts, 'services' | 'clock'>

/** Started, or started again. @throws {AgentError} UnitNotStarted, with the unit's own words. */
export function startUnit(unit: string, verb: 'start' | 'restart', ports: OrderPorts): Promise<void> {
  return withWords(unit, { reason: 'UnitNotStarted', did: 'did not start', order: () => ports.services[verb](unit), ports })
}

/** @throws {AgentError} UnitNotStopped, with the unit's own words: what is mounted may be in use. */
export function stopUnit(unit: string, ports: OrderPorts): Promise<void> {
  return withWords(unit, { reason: 'UnitNotStopped', did: 'did not stop', order: () => stop(unit, ports), ports })
}

/** One that has ended meanwhile, and has no file, cannot be stopped, and is. */
async function stop(unit: string, { services }: OrderPorts): Promise<void> {
  try {
    await services.stop(unit)
  } catch (error) {
    if (error instanceof ServiceCallKilled) throw error
    const { isGone, active } = await services.show(unit)
    if (!isGone || active !== 'inactive') throw error
  }
}

interface Order {
  readonly reason: string
  readonly did: string
  readonly order: () => Promise<void>
  readonly ports: OrderPorts
}

async function withWords(unit: string, { reason, did, order, ports: { services, clock } }: Order): Promise<void> {
  const since = clock.now()
  try {
    await order()
  } catch (cause) {
    if (cause instanceof ServiceCallKilled) throw cause
    const words = reasonIn(await services.lastWords(unit, since - 1000).catch(() => []))
    // One that exists and does not start has something against the files that it reads.
    if (words === undefined || !(await services.show(unit)).exists) throw cause
    throw new AgentError(`${unit} ${did}: ${words}`, { kind: 'validate', reason, cause })
  }
}
