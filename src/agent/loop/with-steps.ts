import { randomUUID } from 'node:crypto'
import type { StatePaths } from '../paths.ts'
import { stepIn } from '../policy/enforce-policy.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import type { AgentPorts } from '../ports.ts'
import type { Resource } from '../resources/kind.ts'
import { type StepSpec, step } from '../resources/step.ts'
import { planTrialBoot, trialBoot } from '../resources/trial-boot.ts'
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
 * The same with the commands that the configuration names before and after the change, and with a trial of what counts only after a boot.
 * A plan that changes nothing stays as it is.
 * @throws {AgentError} StepUnknown, when the host's policy has lost such a command meanwhile
 */
export async function withSteps(prospect: Prospect, { policy, reboots, paths, ports }: Options): Promise<Prospect> {
  const { plan, steps: { before = [], after = [] } = {} } = prospect
  const directory = `${paths.backups}/steps-${randomUUID()}`
  const specs = (when: StepSpec['when'], names: readonly string[]): StepSpec[] =>
    names.map((name, index) => ({ ...commandOf(name, policy), name, when, mark: `${directory}/${when}-${index}` }))
  if (plan.steps.length === 0 && !reboots) return prospect
  const subjects = plan.steps.flatMap(({ change }) => change.subjects)
  const trial = plan.steps.some(({ change }) => change.awaits === 'boot') ? await planTrialBoot(subjects, ports) : { specs: [] }
  const [begin, end] = ('specs' in trial ? trial.specs : []).map((spec) => trialBoot.of(spec))
  const first = [...specs('before', before).map((spec) => step.of(spec)), ...(begin ? [begin] : [])]
  const last = [...(end ? [end] : []), ...specs('after', after).map((spec) => step.of(spec))]
  const steps = [...(await bind(first, ports)), ...plan.steps, ...(await bind(last, ports))]
  return { ...prospect, plan: { ...plan, steps }, ...('why' in trial && { noTrialBoot: trial.why }) }
}

async function bind(resources: readonly Resource[], ports: AgentPorts): Promise<Step[]> {
  const findings = await Promise.all(resources.map((resource) => resource.observe(ports)))
  return findings.flatMap(({ change }) => (change ? [{ change, disruption: 'none', repairDisruption: 'none' }] : []))
}

function commandOf(name: string, policy: HostPolicy): Pick<StepSpec, 'command' | 'undo' | 'timeoutSeconds'> {
  const { timeoutSeconds = DEFAULT_TIMEOUT, ...found } = stepIn(policy, name)
  return { ...found, timeoutSeconds }
}
