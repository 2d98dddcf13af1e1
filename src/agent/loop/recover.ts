import type { AgentContext } from '../context.ts'
import type { Outcome } from '../state/state.ts'
import { recoverTransaction } from '../transaction/transaction.ts'
import { clear, settle } from './settle.ts'

/**
 * Finishes or undoes what a dead agent left behind, before anything else is done.
 * @returns how it ended, if there was something.
 */
export async function recover(context: AgentContext): Promise<Outcome | undefined> {
  const { journal, kinds, ports, state, options } = context
  const { ended } = journal
  if (ended && ended.ending.kind !== 'broken') return settle(ended.head, ended.ending, context)
  const record = await journal.open()
  if (record === undefined) return undefined
  ports.log.warn('found a transaction under way', { id: record.head.id, committed: record.committed })
  const ending = await recoverTransaction(record, { ports, journal, kinds, paths: state.paths, timing: options.timing })
  const outcome = await settle(record.head, ending, context)
  ports.log.info('transaction recovered', { ending: ending.kind, phase: outcome.phase })
  return outcome
}

/** What a dead agent had no time to clear away. Without a journal nothing was begun, and nothing needs its backups any more. */
export async function clearRemains(context: AgentContext): Promise<void> {
  await context.journal.close()
  await clear(context)
}
