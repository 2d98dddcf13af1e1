import type { AgentStatus, RebootNeed } from '../../protocol/agent-status.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import type { AgentContext } from '../context.ts'
import { bareVersion } from '../kubelet/versions.ts'
import type { OwnNode } from '../ports.ts'
import type { Outcome } from '../state/state.ts'
import { stateTrouble } from '../state/trouble.ts'
import type { Drift } from './drift.ts'
import { isFinal } from './goal.ts'
import type { Report } from './report.ts'

/** What the Node should show of this outcome: what is on disk, and nothing that only this process knows but drift. */
export async function describeStatus(
  { assignment, node: _, unproved: _unproved, was: _was, reboot, ...outcome }: Outcome,
  options: {
    readonly context: AgentContext
    readonly node: OwnNode | undefined
    readonly drift: Drift
    /** Of the host itself. */
    readonly rebootNeed: RebootNeed | undefined
  },
): Promise<Report> {
  const { context, node, drift, rebootNeed } = options
  const { state, options: settings } = context
  const active = await state.digest('active')
  const { phase, error = await stateTrouble(context) } = (await state.isUnclean()) ? notRestored(outcome) : outcome
  const pointers = { assigned: await state.digest('assigned'), active, lastKnownGood: await state.digest('lastKnownGood') }
  const status: AgentStatus = {
    ...outcome,
    phase,
    ...(error && { error: { ...error, message: clipped(error.message) } }),
    ...pointers,
    assignedAt: assignmentStamp(assignment),
    drift: drift.left.length === 0 ? undefined : few(drift.left),
    contested: drift.contested.length === 0 ? undefined : few(drift.contested),
    reboot: await wholeNeed(isFinal(outcome) && phase !== 'Blocked' ? [] : (reboot ?? []), { context, rebootNeed }),
    cgroup: (await context.ports.kernel.cgroupVersion()) === 'v1' ? 'v1' : undefined,
    agent: settings.version,
    kubelet: node?.kubeletVersion ? bareVersion(node.kubeletVersion) : undefined,
  }
  return { status, currentConfig: active && (await state.restore(active))?.text }
}

/** Of the assignment, and of the host. */
async function wholeNeed(
  assigned: readonly string[],
  { context, rebootNeed }: { readonly context: AgentContext; readonly rebootNeed: RebootNeed | undefined },
): Promise<RebootNeed | undefined> {
  if (assigned.length === 0) return rebootNeed
  return { boot: await context.ports.services.bootId(), because: [...few(assigned), ...(rebootNeed?.because ?? [])] }
}

/** After an undo that failed, or a journal that was set aside, the host is not as it was, whatever became of what was assigned next. */
function notRestored({ phase, error }: Pick<Outcome, 'phase' | 'error'>): Pick<Outcome, 'phase' | 'error'> {
  const message = 'an earlier change was not undone, so the host is not as it was before that'
  const told = error === undefined ? message : `${error.message}; ${message}`
  if (phase === 'RolledBack') return { phase: 'Failed', error: { reason: error?.reason ?? 'NotRestored', message: told } }
  return { phase, error: error ?? { reason: 'NotRestored', message } }
}

/** All annotations of a Node share 256 KiB; one that does not fit is refused, and with it everything else that is to be told. */
const LONGEST_MESSAGE = 4000
const MOST_PATHS = 20

function clipped(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text
}

function few(paths: readonly string[]): string[] {
  const left = paths.length - MOST_PATHS
  return left <= 0 ? [...paths] : [...paths.slice(0, MOST_PATHS), `… and ${left} more`]
}

/** Verbatim: by it the controller tells a report on this attempt from one on an earlier attempt at the same digest. */
function assignmentStamp(assignment: string | null): string | undefined {
  if (assignment === null) return undefined
  try {
    return parseDesiredConfig(assignment).ASSIGNED
  } catch {
    return undefined
  }
}
