import type { AgentContext } from '../context.ts'
import type { Outcome } from '../state/state.ts'

/** A disk that takes no writes must not keep the node from saying so. */
export async function noteOutcome(outcome: Outcome, { state, ports }: Pick<AgentContext, 'state' | 'ports'>): Promise<void> {
  const trouble = await state.noteOutcome(outcome)
  if (trouble !== undefined) ports.log.warn('outcome not written', { error: String(trouble) })
}
