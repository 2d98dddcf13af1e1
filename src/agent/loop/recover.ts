import { AgentError } from '../agent-error.ts'
import { type AgentContext, stamp } from '../context.ts'
import type { Outcome } from '../state/state.ts'
import { INTERRUPTED } from '../transaction/interrupted.ts'
import { JOURNAL_UNREADABLE } from '../transaction/journal.ts'
import { recoverTransaction } from '../transaction/transaction.ts'
import type { NodeWatch, Wanted } from './node-watch.ts'
import { clear, settle } from './settle.ts'

/** What the Node shows, now and later. */
type Assigned = Pick<NodeWatch, 'wanted' | 'untilWanted'>

/**
 * The same, unless another version of the agent wrote the journal. Then the host is left as it is until something else is wanted of it,
 * which makes the journal obsolete: all baselines stay kept, and so does the journal, under another name.
 * @throws {AgentError} JournalUnreadable, as long as nothing else is wanted
 */
export async function recoverReadable(context: AgentContext, watch: Assigned): Promise<Outcome | undefined> {
  try {
    return await recover(context, watch)
  } catch (error) {
    const { wanted } = watch
    if (!(error instanceof AgentError) || error.reason !== JOURNAL_UNREADABLE || wanted === undefined) throw error
    const { state, journal, ports } = context
    const last = await state.outcome()
    if (last === undefined || !isNews(last, wanted)) {
      const failed = { ...(last ?? { assignment: wanted.text, node: wanted.node, attempts: 1 }), phase: 'Failed' as const }
      await state.setOutcome({ ...failed, since: stamp(ports), error: { reason: error.reason, message: error.message } })
      throw error
    }
    ports.log.warn('set aside the journal of another version of the agent', { error: error.message })
    await state.setUnclean(true)
    await journal.setAside()
    return undefined
  }
}

/** A Node that was registered again has no assignment, and nobody took it away. */
function isNews({ assignment, node }: Outcome, wanted: Wanted): boolean {
  if (assignment === wanted.text) return false
  return wanted.text !== null || node === undefined || node === wanted.node
}

/**
 * Finishes or undoes what a dead agent left behind, before anything else is done.
 * @returns how it ended, if there was something.
 */
async function recover(context: AgentContext, watch: Assigned): Promise<Outcome | undefined> {
  const { journal, kinds, ports, state, options } = context
  const { ended } = journal
  if (ended && ended.ending.kind !== 'broken') return settle(ended.head, ended.ending, context)
  const record = await journal.open()
  if (record === undefined) return undefined
  // What is suspended is not waited for when something else is wanted: it is undone, and that is done.
  const last = await state.outcome()
  const supersedes = (wanted: Wanted): boolean => last !== undefined && isNews(last, wanted)
  const { wanted } = watch
  const isSuperseded = wanted !== undefined && supersedes(wanted)
  const isObsolete = record.awaiting && !record.committed && isSuperseded
  const signal = isSuperseded ? AbortSignal.abort() : watch.untilWanted(supersedes)
  const taken = isObsolete ? { ...record, undoing: record.undoing ?? INTERRUPTED } : record
  ports.log.warn('found a transaction under way', { id: record.head.id, committed: record.committed })
  const ending = await recoverTransaction(taken, {
    ports,
    journal,
    kinds,
    paths: state.paths,
    timing: options.timing,
    agent: options.version,
    // To undo what took a reboot takes another one: its proof is not cut short.
    ...(record.head.awaits?.undo ? {} : { signal }),
  })
  const outcome = await settle(record.head, ending, context)
  ports.log.info('transaction recovered', { ending: ending.kind, phase: outcome.phase })
  return outcome
}

/**
 * What a dead agent had no time to clear away. Without a journal nothing was begun, and nothing needs its backups any more.
 * @returns whether it is gone; a disk that does not let go of it keeps the agent from nothing
 */
export async function clearRemains(context: AgentContext): Promise<boolean> {
  await context.journal.close()
  try {
    await clear(context)
    return true
  } catch (error) {
    context.ports.log.warn('remains not cleared away', { error: String(error) })
    return false
  }
}
