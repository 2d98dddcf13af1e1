import { beginning } from '../../agent/loop/beginning.ts'
import { conclude } from '../../agent/loop/conclude.ts'
import { annotationsOf } from '../../agent/loop/report.ts'
import { statusOf } from '../../agent/loop/status-of.ts'
import { recovered } from '../../agent/loop/went-bad.ts'
import { KUBELET_UNIT } from '../../agent/paths.ts'
import { afterTrial, changeBy, type Pointers } from '../../agent/state/pointers.ts'
import type { Outcome } from '../../agent/state/state.ts'
import type { Ending } from '../../agent/transaction/journal.ts'
import { counterOf } from '../../protocol/assignment-signature.ts'
import type { DesiredConfig } from '../../protocol/desired-config.ts'
import type { Names } from '../../protocol/names.ts'
import { VERSION } from '../../protocol/version.ts'

export interface LightAssignment {
  /** The annotation. */
  readonly text: string
  readonly desired: DesiredConfig
}

const NO_HOST = {
  isUnheard: false,
  trouble: undefined,
  drift: { left: [], contested: [] },
  boot: undefined,
  rebootNeed: undefined,
  cgroup: undefined,
}

/** What an agent remembers. Never changed. */
export interface AgentMemory {
  readonly goal?: { readonly text: string; readonly digest: string; readonly desired: DesiredConfig } | undefined
  readonly outcome?: Outcome
  readonly pointers: Pointers
  readonly isUnclean: boolean
  /** Accepted last. */
  readonly counter?: number | undefined
  /** Annotations by digest. */
  readonly checkpoints: ReadonlyMap<string, string>
}

export const NOTHING: AgentMemory = { pointers: {}, isUnclean: false, checkpoints: new Map() }

/** It begins to work. @param assignment undefined: it was removed, and the local configuration is wanted */
export function taken(memory: AgentMemory, assignment: LightAssignment | undefined, now: string): AgentMemory {
  const goal = assignment && { ...assignment, digest: assignment.desired.DIGEST ?? '' }
  const begun = { ...memory, goal, outcome: beginning({ goal, node: undefined, last: memory.outcome, now }) }
  if (goal === undefined) return begun
  return {
    ...begun,
    counter: counterOf(goal.desired) ?? memory.counter,
    checkpoints: new Map(memory.checkpoints).set(goal.digest, goal.text),
    pointers: { ...memory.pointers, assigned: goal.digest },
  }
}

export function ended(memory: AgentMemory, ending: Ending, now: string): AgentMemory {
  const restarts = 'startedAt' in ending ? [KUBELET_UNIT] : []
  const head = { purpose: 'apply', digest: memory.goal?.digest, activation: { restarts }, before: {} } as const
  const { pointers, isUnclean = memory.isUnclean } = changeBy(head, ending)
  const outcome = conclude(head, ending, { last: memory.outcome, now })
  return { ...memory, pointers: { ...memory.pointers, ...pointers }, isUnclean, outcome }
}

/** The active configuration has held its trial. */
export function proved(memory: AgentMemory, now: string): AgentMemory {
  const { outcome, pointers } = memory
  const { active } = pointers
  if (active === undefined || outcome === undefined) return memory
  return { ...memory, pointers: { ...pointers, ...afterTrial(active) }, outcome: recovered({ last: outcome, now }, active) }
}

/** What its Node should show; nothing before it was assigned anything. */
export function reportOf(
  { goal, outcome, pointers, isUnclean, counter, checkpoints }: AgentMemory,
  { names, kubelet, node }: { readonly names: Names; readonly kubelet: string | undefined; readonly node: string | undefined },
): ReturnType<typeof annotationsOf> {
  if (outcome === undefined) return {}
  const { active } = pointers
  const about = { pointers, isUnclean, assignedAt: goal?.desired.ASSIGNED, counter }
  const status = statusOf(outcome, { ...NO_HOST, ...about, agent: VERSION, kubelet })
  return annotationsOf({ status, currentConfig: active === undefined ? undefined : checkpoints.get(active) }, names, node)
}
