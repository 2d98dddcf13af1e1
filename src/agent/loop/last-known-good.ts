import { type AgentContext, stamp } from '../context.ts'
import type { AgentState, Outcome } from '../state/state.ts'
import type { Failure } from '../transaction/journal.ts'
import type { Assignment } from './fetch.ts'
import { stuck } from './went-bad.ts'

/** @returns undefined for the host as it was before nodewave; `damaged` when what last worked cannot be read any more. */
export async function lastKnownGood(state: AgentState): Promise<Assignment | 'damaged' | undefined> {
  if (await state.isDamaged('lastKnownGood')) return 'damaged'
  const digest = await state.digest('lastKnownGood')
  return digest === undefined ? undefined : ((await state.restore(digest)) ?? 'damaged')
}

/** The host stays with what went bad: anything older than what last worked is not what anybody asked for. */
export async function withoutWayBack(because: Failure, { state, ports }: AgentContext): Promise<Outcome> {
  const now = stamp(ports)
  const last = (await state.outcome()) ?? { assignment: null, attempts: 1, phase: 'Failed' as const, since: now }
  const message = `${because.message}; it cannot be rolled back, since the checkpoint of what last worked is missing or damaged: assign what should run`
  return stuck({ last, now }, { reason: because.reason, message })
}
