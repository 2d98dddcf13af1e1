/** Machines that OpenRC, runit and sysvinit run: the agent's adapters keep the same contract, and its changes are made and taken back. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { agentFiles } from '../managers/agent-script.ts'
import { machineFiles } from '../managers/files.ts'
import { type Init, inits } from '../managers/layers.ts'
import { bootInit, type InitMachine } from '../managers/machine.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'managers', nodes: [], run: managersHold }]

/** All three at once: they wait more than they work. */
async function managersHold({ slot }: Cluster, { part }: Report): Promise<void> {
  await Promise.all(inits.map((init) => managerHolds(init, { slot, part })))
}

async function managerHolds(init: Init, { slot, part }: Pick<Cluster, 'slot'> & Pick<Report, 'part'>): Promise<void> {
  const { manager } = init
  const agent = await agentFiles(init, await bundleAgent(slot.dir))
  const machine = await part(`${manager}: booted`, () => bootInit(slot, init, [...machineFiles(init), ...agent]))
  const inside = async (program: string, ...args: readonly string[]) => {
    const command = ['/opt/nodewave/node', `/checkout/test/e2e/managers/${program}`, ...args]
    const { code, stdout, stderr } = await machine.exec(command, { allowFailure: true, timeoutMs: LONGEST })
    check(`${program} holds on ${manager}`, code === 0, `${stdout}\n${stderr}`.slice(-3000))
  }
  await part(`${manager}: contract`, () => inside('contract.ts', manager))
  await part(`${manager}: changes made and taken back`, () => inside('change.ts'))
  await part(`${manager}: the agent's own service`, () => inside('deployed.ts'))
  await part(`${manager}: asked to reboot → down`, () => goesDown(machine, manager))
}

/** Not waited for: whoever enters a machine is stopped with what it runs there, and not continued. */
async function goesDown(machine: InitMachine, manager: string): Promise<void> {
  const log = '/var/log/reboot.log'
  if (manager === 'openrc') await machine.exec(['sh', '-c', 'rc-update add slow default && rc-service slow start'])
  const program = `/opt/nodewave/node /checkout/test/e2e/managers/reboot.ts >${log} 2>&1 </dev/null &`
  await machine.exec(['setsid', 'sh', '-c', program])
  await waitUntil(() => !machine.isUp(), { for: `"${manager}" to go down` })
  const said = await readFile(join(machine.root, log), 'utf8')
  check(`${manager} says that the machine stops`, said.includes('stopping'), said.slice(-200))
}

/** Milliseconds: it ends what hangs, and measures nothing. */
const LONGEST = 400_000
