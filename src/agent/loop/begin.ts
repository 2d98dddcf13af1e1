import { atMost, type Disruption, greatest } from '../../protocol/desired-config.ts'
import { namesFor } from '../../protocol/names.ts'
import { parseRebootOrder } from '../../protocol/reboot-order.ts'
import { type AgentContext, stamp } from '../context.ts'
import { isAccepted } from '../policy/accept-assignment.ts'
import { enforceOnContent, enforceOnNeeds, readHostPolicy } from '../policy/enforce-policy.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import type { Outcome } from '../state/state.ts'
import type { Prospect } from '../transaction/prospect.ts'
import { beginning } from './beginning.ts'
import { compareToApply } from './compare-to-apply.ts'
import { parseAssignment } from './fetch.ts'
import { asking, requireFewReboots } from './went-bad.ts'
import { withSteps } from './with-steps.ts'
import { requireBad, type Work } from './work.ts'

export interface Begun {
  readonly prospect: Prospect
  readonly base: Outcome
  /** The assignment asks for a reboot, and the machine has not had it. */
  readonly reboots: boolean
}

/** What there is to do on the host, or why nobody may begin it yet. */
export async function begin(work: Work, context: AgentContext): Promise<Begun | { readonly blocked: Outcome }> {
  const { goal, goingBack } = work
  await requireBad(goingBack, context)
  // What last worked comes back whatever the policy says: a host without a kubelet is no safer.
  const policy = goingBack === undefined ? await readHostPolicy(context.ports.files) : {}
  if (goingBack === undefined) enforceOnContent(policy, goal?.content ?? {}, context.kinds)
  const compared = await compareToApply(goal?.content ?? {}, context)
  const { strange } = compared
  // What goes back by itself does what it can. What others made strange on a host that has this content is drift.
  if (goingBack === undefined && !(await isOnHost(goal, context))) for (const { error } of strange) throw error
  const reboots = await isToReboot(work, context)
  const prospect = goingBack ? compared : await stepsAround(compared, { policy, reboots, context })
  const { plan } = prospect
  const needs = greatest([plan.needs, reboots ? 'reboot' : 'none'])
  enforceOnNeeds(policy, needs)
  if (goingBack) requireFewReboots((await context.state.outcome()) ?? {}, needs)
  const base = { ...(await started(work, context)), ...whyReboot(prospect) }
  if (atMost(needs, await allowedDisruption(work, context))) return { prospect, base, reboots }
  const blocked: Outcome = goingBack
    ? asking({ last: base, now: stamp(context.ports) }, goingBack.because, needs)
    : { ...base, phase: 'Blocked', needs }
  await context.state.setOutcome(blocked)
  return { blocked }
}

/** The plan with the steps of the policy before and after it. */
export function stepsAround(
  prospect: Prospect,
  {
    policy,
    reboots,
    context: { ports, state },
  }: Pick<Begun, 'reboots'> & { readonly policy: HostPolicy; readonly context: AgentContext },
): Promise<Prospect> {
  return withSteps(prospect, { policy, reboots, ports, paths: state.paths })
}

async function isOnHost(goal: Work['goal'], { state }: AgentContext): Promise<boolean> {
  return goal !== undefined && goal.digest === (await state.digest('active')) && !(await state.isUnclean())
}

/** The assignment names the boot that is to end. */
async function isToReboot({ goal, goingBack }: Work, { ports }: AgentContext): Promise<boolean> {
  const order = parseRebootOrder(goal?.desired.REBOOT)
  return goingBack === undefined && order !== undefined && order.boot === (await ports.services.bootId())
}

/** What counts only after a reboot, for the status. */
function whyReboot({ plan, noTrialBoot: why }: Prospect): Pick<Outcome, 'reboot'> {
  const subjects = plan.steps.filter(({ change }) => change.awaits === 'boot').flatMap(({ change }) => change.subjects)
  return subjects.length === 0 ? {} : { reboot: [...subjects, ...(why === undefined ? [] : [`no trial boot: ${why}`])] }
}

/** A node that went bad may always restart what it runs; for more than that it asks, as everybody does. */
async function allowedDisruption({ goal, goingBack, node }: Work, context: AgentContext): Promise<Disruption> {
  if (goingBack === undefined) return goal?.desired.GRANT ?? 'restart'
  const text =
    node === undefined ? await lastAssignment(context) : node.annotations[namesFor(context.options.prefix).desiredConfig]
  return text !== undefined && (await isAccepted(text, context)) ? greatest(['restart', grantOf(text)]) : 'restart'
}

/** What the Node showed, for an agent that has not seen it since it started: a boot may have taken the way to the API server away. */
async function lastAssignment({ state }: AgentContext): Promise<string | undefined> {
  return (await state.outcome())?.assignment ?? undefined
}

function grantOf(text: string): Disruption {
  try {
    return parseAssignment(text).GRANT ?? 'none'
  } catch {
    return 'none'
  }
}

/** A way back goes on with the outcome of what went bad. */
async function started({ goal, goingBack, node }: Work, { state, ports }: AgentContext): Promise<Outcome> {
  const last = await state.outcome()
  if (goingBack && last) return last
  return beginning({ goal, node: node?.uid, last, now: stamp(ports) })
}
