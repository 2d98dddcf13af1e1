import { type AgentContext, stamp } from '../context.ts'
import { KUBELET_UNIT } from '../paths.ts'
import { pruneBaselines } from '../state/baselines.ts'
import type { Outcome } from '../state/state.ts'
import type { Ending, TransactionHead } from '../transaction/journal.ts'
import { managedNow } from '../transaction/prospect.ts'
import { INTERRUPTED } from '../transaction/transaction.ts'
import { isFinal } from './goal.ts'

/** An assignment that takes the agent, or the machine, down this often is not tried again by itself. */
const MAX_INTERRUPTIONS = 3

/**
 * Writes down how a transaction ended, and only then closes its journal: an agent that dies in between finds the journal, comes to the
 * same end and writes the same again.
 */
export async function settle(head: TransactionHead, ending: Ending, context: AgentContext): Promise<Outcome> {
  const { state, journal, ports } = context
  journal.ended = { head, ending }
  if (ending.kind === 'broken') await state.setUnclean(true)
  if (ending.kind === 'kept' && head.purpose !== 'repair') await adopt(head, context)
  const outcome = conclude(head, ending, { last: await state.outcome(), now: stamp(ports) })
  await state.setOutcome(outcome)
  await journal.close()
  // It has ended, and well or not, whatever becomes of what is left over: the next start clears it away.
  await clear(context).catch((error: unknown) => ports.log.warn('remains not cleared away', { error: String(error) }))
  return outcome
}

/** As long as the host could not be put back, what a person needs for it stays: backups, and what was staged. */
export async function clear(context: AgentContext): Promise<void> {
  const { state, ports } = context
  if (await state.isUnclean()) return
  await ports.files.remove(state.paths.backups)
  await sweep(context)
}

/** The host is now made by this configuration; what it does not name any more is its owner's again. */
async function adopt({ digest, purpose, proof }: TransactionHead, context: AgentContext): Promise<void> {
  const { state, ports, kinds } = context
  if (digest !== undefined && purpose === 'apply') {
    const { ready, heartbeat = false, units = [] } = proof
    await state.setTrial({ digest, ready, heartbeat, units })
  }
  await state.point('active', digest)
  await state.setUnclean(false)
  if (digest === undefined) {
    await state.point('lastKnownGood', undefined)
    if (purpose === 'apply') await state.point('assigned', undefined)
  }
  await pruneBaselines(await managedNow(context), { paths: state.paths, host: ports, kinds })
}

/** Pure. */
export function conclude(
  { purpose, digest, because, activation, before }: TransactionHead,
  ending: Ending,
  { last, now }: { readonly last: Outcome | undefined; readonly now: string },
): Outcome {
  const {
    error: _error,
    needs: _needs,
    kubeletStartedAt: _startedAt,
    unproved: _unproved,
    ...base
  } = last ?? { assignment: null, phase: 'Applying', since: now, attempts: 1 }
  if (purpose === 'repair') return last ?? { ...base, phase: 'Applying' }
  // While something else was assigned and is being fetched, that is what the status goes on to speak of.
  if (purpose === 'fallback' && last !== undefined && !isFinal(last)) return last
  if (ending.kind === 'kept') {
    if (purpose === 'fallback') return { ...base, phase: 'RolledBack', since: now, ...(because ? { error: because } : {}) }
    const isRestarted = activation.restarts.includes(KUBELET_UNIT) && ending.startedAt !== undefined
    const started = isRestarted ? { kubeletStartedAt: new Date(ending.startedAt ?? 0).toISOString() } : {}
    return { ...base, phase: digest === undefined ? 'Reverted' : 'Applied', since: now, ...started }
  }
  const { failure } = ending
  // What made it necessary is still there, and will show again.
  if (purpose === 'fallback' && ending.kind === 'undone' && failure.reason === INTERRUPTED.reason)
    return last ?? { ...base, phase: 'Applying' }
  // Left as it was, at Applying, it is taken up again.
  if (ending.kind === 'undone' && failure.reason === INTERRUPTED.reason && base.attempts < MAX_INTERRUPTIONS)
    return { ...base, phase: 'Applying' }
  if (ending.kind === 'unproved' && purpose === 'apply') {
    const { healthz, running: units } = before
    return { ...base, phase: 'Failed', since: now, error: failure, unproved: { healthz, units } }
  }
  // A fallback that did not work leaves the host with what went bad.
  const phase = ending.kind === 'undone' && purpose === 'apply' ? 'RolledBack' : 'Failed'
  return { ...base, phase, since: now, error: failure }
}

/** Forgets what no way back leads to any more. */
export async function sweep({ state, ports, turns }: AgentContext): Promise<void> {
  const [assigned, active, lastKnownGood] = [
    await state.digest('assigned'),
    await state.digest('active'),
    await state.digest('lastKnownGood'),
  ]
  await state.sweepCheckpoints([assigned, active, lastKnownGood])
  // During a trial the binary that worked before waits here: putting it back must not need the network.
  if (active === lastKnownGood && !turns.isPreparing) await ports.files.remove(state.paths.staging)
}
