import { REBOOTING } from '../../protocol/agent-status.ts'
import { type AgentContext, stamp } from '../context.ts'
import { KUBELET_UNIT } from '../paths.ts'
import { sweepPackages } from '../resources/package-store.ts'
import { pruneBaselines } from '../state/baselines.ts'
import type { Outcome } from '../state/state.ts'
import { sweepStore } from '../state/sweep-store.ts'
import type { Awaits, Ending, Failure, Suspended, TransactionHead } from '../transaction/journal.ts'
import { managedNow } from '../transaction/prospect.ts'
import { INTERRUPTED } from '../transaction/transaction.ts'
import { type Story, stuck, suspended, wentBack } from './went-bad.ts'

/** An assignment that takes the agent, or the machine, down this often is not tried again by itself. */
const MAX_INTERRUPTIONS = 3

/**
 * Writes down how a transaction ended, and only then closes its journal: an agent that dies in between finds the journal, comes to the
 * same end and writes the same again.
 */
export async function settle(head: TransactionHead, ending: Ending | Suspended, context: AgentContext): Promise<Outcome> {
  const { state, journal, ports } = context
  if (ending.kind === 'suspended') return awaiting(head, context)
  journal.ended = { head, ending }
  // A repair that is half done leaves what is ours, and drift: both are known, and looked for again.
  if (ending.kind === 'broken' && head.purpose !== 'repair') await state.setUnclean(true)
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
  await ports.files.removeTree(state.paths.backups)
  await sweep(context)
}

/** The journal stays open: the next start takes it up. */
async function awaiting({ awaits = {}, purpose }: TransactionHead, { state, ports }: AgentContext): Promise<Outcome> {
  const now = stamp(ports)
  const last: Outcome = (await state.outcome()) ?? { assignment: null, phase: 'Applying', since: now, attempts: 1 }
  const error = awaits.boot === undefined ? waitsForAgent(awaits) : { reason: REBOOTING, message: 'the machine reboots' }
  const outcome: Outcome = purpose === 'fallback' ? suspended({ last, now }, error) : { ...last, phase: 'Applying', error }
  await state.setOutcome(outcome)
  return outcome
}

function waitsForAgent({ agent }: Awaits): Failure {
  return { reason: AWAITING, message: `the change is in place and waits for version ${agent} of the agent` }
}

/** Reason of the message of a transaction that is suspended, unless it is REBOOTING. */
const AWAITING = 'Awaiting'

export function isSuspended({ error }: Outcome): boolean {
  return error?.reason === AWAITING || error?.reason === REBOOTING
}

/** The host is now made by this configuration; what it does not name any more is its owner's again. */
async function adopt({ digest, purpose, proof }: TransactionHead, context: AgentContext): Promise<void> {
  const { state, ports, kinds } = context
  if (digest !== undefined && purpose === 'apply') {
    const { ready, heartbeat = false, units = [], unitsIfKnown = [] } = proof
    const known = await knownAmong(unitsIfKnown, ports)
    await state.setTrial({ digest, ready, heartbeat, units: [...units, ...known] })
  }
  await state.point('active', digest)
  await state.setUnclean(false)
  if (digest === undefined) {
    await state.point('lastKnownGood', undefined)
    if (purpose === 'apply') await state.point('assigned', undefined)
  }
  await pruneBaselines(await managedNow(context), { paths: state.paths, host: ports, kinds })
}

async function knownAmong(units: readonly string[], { services }: AgentContext['ports']): Promise<string[]> {
  const known: string[] = []
  for (const unit of units) if (!(await services.show(unit)).isGone) known.push(unit)
  return known
}

/** Pure. */
export function conclude(
  head: TransactionHead,
  ending: Ending,
  { last, now }: { readonly last: Outcome | undefined; readonly now: string },
): Outcome {
  const base = withoutResult(last ?? { assignment: null, phase: 'Applying', since: now, attempts: 1 })
  if (head.purpose === 'repair') return last ?? { ...base, phase: 'Applying' }
  if (head.purpose === 'apply') return { ...base, ...resultOfApply(head, ending, { attempts: base.attempts, now }) }
  return afterFallback(head, ending, { last: last ?? { ...base, phase: 'Failed' }, now })
}

function afterFallback({ because }: TransactionHead, ending: Ending, story: Story): Outcome {
  if (ending.kind === 'kept') return wentBack(story, because)
  // What made it necessary is still there, and will show again.
  return isInterrupted(ending) ? story.last : gaveUp(story, ending.failure)
}

/** While something else was assigned and is being fetched, that is what the status goes on to speak of. */
function gaveUp(story: Story, failure: Failure): Outcome {
  const outcome = stuck(story, failure)
  return outcome.phase === 'Failed' ? outcome : story.last
}

function withoutResult({
  error: _error,
  needs: _needs,
  reboot: _reboot,
  kubeletStartedAt: _started,
  unproved: _unproved,
  was: _was,
  ...base
}: Outcome) {
  return base
}

function resultOfApply(
  { digest, activation, before, awaits }: TransactionHead,
  ending: Ending,
  { attempts, now }: { readonly attempts: number; readonly now: string },
): Partial<Outcome> {
  if (ending.kind === 'kept') {
    const wasRestarted = activation.restarts.includes(KUBELET_UNIT) || awaits?.boot !== undefined
    const isRestarted = wasRestarted && ending.startedAt !== undefined
    const started = isRestarted ? { kubeletStartedAt: new Date(ending.startedAt ?? 0).toISOString() } : {}
    return { phase: digest === undefined ? 'Reverted' : 'Applied', since: now, ...started }
  }
  // Left as it was, at Applying, it is taken up again.
  if (isInterrupted(ending) && attempts < MAX_INTERRUPTIONS) return { phase: 'Applying' }
  const failed = { since: now, error: ending.failure }
  if (ending.kind === 'undone') return { ...failed, phase: 'RolledBack' }
  if (ending.kind === 'broken') return { ...failed, phase: 'Failed' }
  return { ...failed, phase: 'Failed', unproved: { healthz: before.healthz, units: before.running } }
}

function isInterrupted(ending: Exclude<Ending, { kind: 'kept' }>): boolean {
  return ending.kind === 'undone' && ending.failure.reason === INTERRUPTED.reason
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
  if (turns.isPreparing) return
  if (active === lastKnownGood) {
    await ports.files.removeTree(state.paths.staging)
    await sweepPackages(ports)
  }
  await sweepStore([assigned, active, lastKnownGood], { state, files: ports.files })
}
