import type { RebootNeed } from '../../protocol/agent-status.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import type { AgentContext } from '../context.ts'
import { acceptedCounter } from '../policy/accept-assignment.ts'
import type { OwnNode } from '../ports.ts'
import type { Pointers } from '../state/pointers.ts'
import type { Outcome } from '../state/state.ts'
import { stateTrouble } from '../state/trouble.ts'
import type { Drift } from './drift.ts'
import type { Report } from './report.ts'
import { statusOf } from './status-of.ts'

/** What the Node should show of this outcome: what is on disk, and nothing that only this process knows but drift. */
export async function describeStatus(
  outcome: Outcome,
  {
    context,
    node,
    ...known
  }: {
    readonly context: AgentContext
    readonly node: OwnNode | undefined
    readonly drift: Drift
    /** Of the host itself. */
    readonly rebootNeed: RebootNeed | undefined
  },
): Promise<Report> {
  const { state, options, ports } = context
  const pointers: Pointers = {
    assigned: await state.digest('assigned'),
    active: await state.digest('active'),
    lastKnownGood: await state.digest('lastKnownGood'),
  }
  const isUnclean = await state.isUnclean()
  const status = statusOf(outcome, {
    ...known,
    pointers,
    isUnclean,
    isUnheard: await isUnheard(outcome, { pointers, state }),
    trouble: isUnclean || outcome.error !== undefined ? undefined : await stateTrouble(context),
    assignedAt: assignmentStamp(outcome.assignment),
    counter: await acceptedOf(node?.uid ?? outcome.node, state),
    boot: outcome.reboot === undefined ? undefined : await ports.services.bootId(),
    cgroup: await ports.kernel.cgroupVersion(),
    agent: options.version,
    kubelet: node?.kubeletVersion,
  })
  const { active } = pointers
  const about = outcome.assignment === null ? undefined : outcome.node
  return { status, currentConfig: active && (await state.restore(active))?.text, about }
}

/**
 * The change is in its trial, and the API server has not answered since. Whatever then arrives there was said by a host that may have been cut
 * off, and may be going back.
 */
async function isUnheard(
  { digest }: Outcome,
  { pointers: { active, lastKnownGood }, state }: { readonly pointers: Pointers } & Pick<AgentContext, 'state'>,
): Promise<boolean> {
  if (digest === undefined || digest !== active || digest === lastKnownGood) return false
  return (await state.trial(digest))?.contact === true
}

async function acceptedOf(node: string | undefined, state: AgentContext['state']): Promise<number | undefined> {
  const last = await state.accepted()
  return last === undefined || last === 'damaged' || node === undefined ? undefined : acceptedCounter(last, node)
}

function assignmentStamp(assignment: string | null): string | undefined {
  if (assignment === null) return undefined
  try {
    return parseDesiredConfig(assignment).ASSIGNED
  } catch {
    return undefined
  }
}
