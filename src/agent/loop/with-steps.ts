import { randomUUID } from 'node:crypto'
import { AgentError } from '../agent-error.ts'
import { HOST_POLICY, type StatePaths } from '../paths.ts'
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
 * The same with the commands that the configuration names before and after the change. A plan without
 * steps stays without them.
 * @throws {AgentError} StepUnknown, when the host's policy has no such command; also where nothing is to be changed now
 */
export async function withSteps(prospect: Prospect, { policy, reboots, paths, ports }: Options): Promise<Prospect> {
  const { plan, steps: { before = [], after = [] } = {} } = prospect
  const directory = `${paths.backups}/steps-${randomUUID()}`
  const specs = (when: StepSpec['when'], names: readonly string[]): StepSpec[] =>
    names.map((name, index) => ({ ...commandOf(name, policy), name, when, mark: `${directory}/${when}-${index}` }))
  const [first, last] = [specs('before', before), specs('after', after)]
  if (plan.steps.length === 0 && !reboots) return prospect
  return { ...prospect, plan: { ...plan, steps: [...(await bind(first, ports)), ...plan.steps, ...(await bind(last, ports))] } }
}

async function bind(specs: readonly StepSpec[], ports: AgentPorts): Promise<Step[]> {
  const findings = await Promise.all(specs.map((spec) => step.of(spec).observe(ports)))
  return findings.flatMap(({ change }) => (change ? [{ change, disruption: 'none', repairDisruption: 'none' }] : []))
}

function commandOf(name: string, { steps = {} }: HostPolicy): Pick<StepSpec, 'command' | 'undo' | 'timeoutSeconds'> {
  const found = Object.hasOwn(steps, name) ? steps[name] : undefined
  if (found !== undefined) return { ...found, timeoutSeconds: found.timeoutSeconds ?? DEFAULT_TIMEOUT }
  throw new AgentError(
    `run step "${name}": the policy of this host has no such step; add it to "${HOST_POLICY}", or remove it from Git`,
    { kind: 'validate', reason: 'StepUnknown' },
  )
}
