import type { AgentStatus, RebootNeed } from '../../protocol/agent-status.ts'
import type { CgroupVersion } from '../../protocol/cgroup-version.ts'
import { bareVersion } from '../kubelet/versions.ts'
import type { Pointers } from '../state/pointers.ts'
import type { Outcome } from '../state/state.ts'
import type { Failure } from '../transaction/journal.ts'
import type { Drift } from './drift.ts'
import { isFinal } from './final.ts'

/** What the status says besides the outcome of the last assignment. */
export interface StatusFacts {
  readonly pointers: Pointers
  /** After an undo that failed, or a journal that was set aside. */
  readonly isUnclean: boolean
  /** The API server has not answered since the change was made. */
  readonly isUnheard: boolean
  /** Of the agent's memory. */
  readonly trouble: Failure | undefined
  /** ASSIGNED of the assignment, verbatim: by it the controller tells a report on this attempt from one on an earlier attempt at the same digest. */
  readonly assignedAt: string | undefined
  /** Accepted last of this Node: a controller that has lost it must go beyond it. */
  readonly counter: number | undefined
  readonly drift: Drift
  /** The boot that is to end; needed only where the outcome asks for a reboot. */
  readonly boot: string | undefined
  /** Of the host itself. */
  readonly rebootNeed: RebootNeed | undefined
  readonly cgroup: CgroupVersion | undefined
  /** Version. */
  readonly agent: string
  /** Version that the Node shows. */
  readonly kubelet: string | undefined
}

/** Pure: what the Node should show. */
export function statusOf(
  {
    assignment: _assignment,
    node: _node,
    unproved: _unproved,
    was: _was,
    lost: _lost,
    losses: _losses,
    rebootsInVain: _reboots,
    reboot,
    ...outcome
  }: Outcome,
  facts: StatusFacts,
): AgentStatus {
  const { pointers, isUnclean, drift, cgroup, kubelet } = facts
  const { phase: reached, error = facts.trouble } = isUnclean ? notRestored(outcome) : outcome
  const phase = reached === 'Applied' && facts.isUnheard ? 'Verifying' : reached
  const { assigned, active, lastKnownGood } = pointers
  return {
    ...outcome,
    phase,
    ...(error && { error: { ...error, message: clipped(error.message) } }),
    ...{ assigned, active, lastKnownGood },
    assignedAt: facts.assignedAt,
    counter: facts.counter,
    drift: drift.left.length === 0 ? undefined : few(drift.left),
    contested: drift.contested.length === 0 ? undefined : few(drift.contested),
    reboot: wholeNeed(isFinal(outcome) && phase !== 'Blocked' ? [] : (reboot ?? []), facts),
    cgroup: cgroup === 'v1' ? 'v1' : undefined,
    agent: facts.agent,
    kubelet: kubelet ? bareVersion(kubelet) : undefined,
  }
}

/** Of the assignment, and of the host. */
function wholeNeed(assigned: readonly string[], { boot, rebootNeed }: StatusFacts): RebootNeed | undefined {
  if (assigned.length === 0 || boot === undefined) return rebootNeed
  return { boot, because: [...few(assigned), ...(rebootNeed?.because ?? [])] }
}

/** The host is not as it was, whatever became of what was assigned next. */
function notRestored({ phase, error }: Pick<Outcome, 'phase' | 'error'>): Pick<Outcome, 'phase' | 'error'> {
  const message = 'an earlier change was not undone, so the host is not as it was before that'
  const told = error === undefined ? message : `${error.message}; ${message}`
  if (phase === 'RolledBack') return { phase: 'Failed', error: { reason: error?.reason ?? 'NotRestored', message: told } }
  return { phase, error: error ?? { reason: 'NotRestored', message } }
}

/** All annotations of a Node share 256 KiB; one that does not fit is refused, and with it everything else in the same patch. */
const LONGEST_MESSAGE = 4000
const MOST_PATHS = 20

function clipped(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text
}

function few(paths: readonly string[]): string[] {
  const left = paths.length - MOST_PATHS
  return left <= 0 ? [...paths] : [...paths.slice(0, MOST_PATHS), `… and ${left} more`]
}
