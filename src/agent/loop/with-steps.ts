import { randomUUID } from 'node:crypto'
import type { StatePaths } from '../paths.ts'
import { stepIn } from '../policy/enforce-policy.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import type { AgentPorts } from '../ports.ts'
import { type StepSpec, step } from '../resources/step.ts'
import type { Step } from '../transaction/plan.ts'
import type { Prospect } from '../transaction/prospect.ts'

/** Seconds. */
const DEFAULT_TIMEOUT = 60

interface Options {
  readonly policy: HostPolicy
  /** The machine is to reboot, whatever the plan says. */
  readonly reboots: boolean
  readonly paths: StatePaths
  readonly ports: AgentPorts
}

/**
 * The same with the commands that the configuration names before and after the change. A plan that changes nothing stays as it is.
 * @throws {AgentError} StepUnknown, when the host's policy has lost such a command meanwhile
 */
export async function withSteps(prospect: Prospect, { policy, reboots, paths, ports }: Options): Promise<Prospect> {
  const { plan, steps: { before = [], after = [] } = {} } = prospect
  const directory = `${paths.backups}/steps-${randomUUID()}`
  const specs = (when: StepSpec['when'], names: readonly string[]): StepSpec[] =>
    names.map((name, index) => ({ ...commandOf(name, policy), name, when, mark: `${directory}/${when}-${index}` }))
  if (plan.steps.length === 0 && !reboots) return prospect
  const [first, last] = [specs('before', before), specs('after', after)]
  return { ...prospect, plan: { ...plan, steps: [...(await bind(first, ports)), ...plan.steps, ...(await bind(last, ports))] } }
}

async function bind(specs: readonly StepSpec[], ports: AgentPorts): Promise<Step[]> {
  const findings = await Promise.all(specs.map((spec) => step.of(spec).observe(ports)))
  return findings.flatMap(({ change }) => (change ? [{ change, disruption: 'none', repairDisruption: 'none' }] : []))
}

function commandOf(name: string, policy: HostPolicy): Pick<StepSpec, 'command' | 'undo' | 'timeoutSeconds'> {
  const { timeoutSeconds = DEFAULT_TIMEOUT, ...found } = stepIn(policy, name)
  return { ...found, timeoutSeconds }
}
