import type { RebootNeed } from '../../protocol/agent-status.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import type { AgentContext } from '../context.ts'
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
    trouble: isUnclean || outcome.error !== undefined ? undefined : await stateTrouble(context),
    assignedAt: assignmentStamp(outcome.assignment),
    boot: outcome.reboot === undefined ? undefined : await ports.services.bootId(),
    cgroup: await ports.kernel.cgroupVersion(),
    agent: options.version,
    kubelet: node?.kubeletVersion,
  })
  const { active } = pointers
  return { status, currentConfig: active && (await state.restore(active))?.text }
}

function assignmentStamp(assignment: string | null): string | undefined {
  if (assignment === null) return undefined
  try {
    return parseDesiredConfig(assignment).ASSIGNED
  } catch {
    return undefined
  }
}
