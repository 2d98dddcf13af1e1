import type { AgentPorts } from '../ports.ts'

/** Milliseconds. A machine whose start never comes to an end, for one unit that hangs, has to do as it is. */
export const LONGEST_START = 120_000
const POLL = 1000

/** The machine goes down: what stops or cannot be started now says nothing, and is observed again when it is up. */
export class MachineGoesDown extends Error {
  override readonly name = 'MachineGoesDown'

  constructor() {
    super('leave the change as it is: the machine is going down; it is taken up again when it has started')
  }
}

type MachinePorts = Pick<AgentPorts, 'services' | 'clock'>

/** @throws {MachineGoesDown} */
export async function refuseWhenGoingDown({ services }: MachinePorts): Promise<void> {
  if ((await services.machine()) === 'stopping') throw new MachineGoesDown()
}

/** While a machine starts, its kubelet may die for want of a container runtime that is not there yet; that is no fault of the kubelet's. */
export async function awaitStart({ services, clock }: MachinePorts): Promise<void> {
  const until = clock.elapsed() + LONGEST_START
  while ((await services.machine()) === 'starting' && clock.elapsed() < until) await clock.sleep(POLL)
}
