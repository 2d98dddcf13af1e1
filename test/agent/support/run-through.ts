import type { Death, DiskFault } from '../../../src/sim/host/faults.ts'
import type { Machine } from './machine.ts'

const MINUTE = 60_000

/** What befalls a machine at its work. */
export interface Mishap {
  /** The agent dies after this effect on the host. */
  readonly death?: Death
  /** Instead of the death the disk fails from that effect on, for ten minutes. */
  readonly disk?: DiskFault | undefined
  /** With the agent, the whole machine. */
  readonly isPowerCut?: boolean
}

/** Starts an agent, and another one when it dies, until the work has ended. @returns the effects of the first on the host */
export async function runThrough(
  machine: Machine,
  ended: () => boolean,
  { death, disk, isPowerCut = false }: Mishap,
): Promise<number> {
  const { faults } = machine.host
  const onEffect = (count: number): void => {
    if (count === death?.afterEffect) faults.disk = disk
  }
  const agent = machine.start(disk === undefined ? death : { onEffect })
  await machine.clock.runUntil(() => agent.dead || faults.disk !== undefined || ended())
  if (faults.disk !== undefined) await machine.clock.advance(10 * MINUTE)
  faults.disk = undefined
  if (agent.dead) {
    machine.kill()
    if (isPowerCut) machine.host.powerOff()
    if (isPowerCut) machine.host.powerOn()
    machine.start()
  }
  await machine.clock.runUntil(ended)
  return agent.effects
}
