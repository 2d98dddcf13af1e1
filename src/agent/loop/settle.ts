import { REBOOTING } from '../../protocol/agent-status.ts'
import { type AgentContext, stamp } from '../context.ts'
import { sweepPackages } from '../resources/package-store.ts'
import { pruneBaselines } from '../state/baselines.ts'
import { changeBy } from '../state/pointers.ts'
import type { Outcome } from '../state/state.ts'
import { sweepStore } from '../state/sweep-store.ts'
import type { Awaits, Ending, Failure, Suspended, TransactionHead } from '../transaction/journal.ts'
import { managedNow } from '../transaction/prospect.ts'
import { conclude } from './conclude.ts'
import { suspended } from './went-bad.ts'

/**
 * Writes down how a transaction ended, and only then closes its journal: an agent that dies in between finds the journal, comes to the
 * same end and writes the same again.
 */
export async function settle(head: TransactionHead, ending: Ending | Suspended, context: AgentContext): Promise<Outcome> {
  const { state, journal, ports } = context
  if (ending.kind === 'suspended') return awaiting(head, context)
  journal.ended = { head, ending }
  const { pointers, isUnclean } = changeBy(head, ending)
  const isAdopted = ending.kind === 'kept' && head.purpose !== 'repair'
  if (isAdopted) await rememberTrial(head, ending.heartbeat, context)
  await state.pointAll(pointers)
  if (isUnclean !== undefined) await state.setUnclean(isUnclean)
  // What the host is made by now does not name any more is its owner's again.
  if (isAdopted) await pruneBaselines(await managedNow(context), { paths: state.paths, host: ports, kinds: context.kinds })
  const isRebooted = await hasRebooted(head, ports)
  const outcome = conclude(head, ending, { last: await state.outcome(), now: stamp(ports), isRebooted })
  await state.setOutcome(outcome)
  await journal.close()
  // It has ended, and well or not, whatever becomes of what is left over: the next start clears it away.
  await clear(context).catch((error: unknown) => ports.log.warn('remains not cleared away', { error: String(error) }))
  return outcome
}

async function hasRebooted({ awaits }: TransactionHead, { services }: AgentContext['ports']): Promise<boolean> {
  return awaits?.boot !== undefined && awaits.boot !== (await services.bootId())
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

/** On disk before the trial can begin. */
async function rememberTrial(head: TransactionHead, shown: number | undefined, { state, ports }: AgentContext): Promise<void> {
  const { id, digest, purpose, proof } = head
  if (digest === undefined || purpose !== 'apply') return
  const { ready, heartbeat = false, units = [], unitsIfKnown = [], contact, away, change = id } = proof
  const known = await knownAmong(unitsIfKnown, ports)
  await state.setTrial({ digest, change, ready, heartbeat, units: [...units, ...known], contact, away, shown })
}

async function knownAmong(units: readonly string[], { services }: AgentContext['ports']): Promise<string[]> {
  const known: string[] = []
  for (const unit of units) if (!(await services.show(unit)).isGone) known.push(unit)
  return known
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
