/** Machines that OpenRC, runit and sysvinit run: the agent's adapters keep the same contract, and its changes are made and taken back. */
import type { Cluster } from '../cluster/cluster.ts'
import { machineFiles } from '../managers/files.ts'
import { type Init, inits } from '../managers/layers.ts'
import { bootInit } from '../managers/machine.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'managers', nodes: [], run: managersHold }]

/** All three at once: they wait more than they work. */
async function managersHold({ slot }: Cluster, { part }: Report): Promise<void> {
  await Promise.all(inits.map((init) => managerHolds(init, { slot, part })))
}

async function managerHolds(init: Init, { slot, part }: Pick<Cluster, 'slot'> & Pick<Report, 'part'>): Promise<void> {
  const { manager } = init
  const machine = await part(`${manager}: booted`, () => bootInit(slot, init, machineFiles(init)))
  const inside = async (program: string, ...args: readonly string[]) => {
    const command = ['/opt/nodewave/node', `/checkout/test/e2e/managers/${program}`, ...args]
    const { code, stdout, stderr } = await machine.exec(command, { allowFailure: true, timeoutMs: LONGEST })
    check(`${program} holds on ${manager}`, code === 0, `${stdout}\n${stderr}`.slice(-3000))
  }
  await part(`${manager}: contract`, () => inside('contract.ts', manager))
  await part(`${manager}: changes made and taken back`, () => inside('change.ts'))
}

/** Milliseconds: it ends what hangs, and measures nothing. */
const LONGEST = 400_000
