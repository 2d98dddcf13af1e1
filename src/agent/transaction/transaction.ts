import { AgentError } from '../agent-error.ts'
import { allEnded } from '../all-ended.ts'
import { type Proved, verifyKubelet } from '../health/verify.ts'
import { type AgentPorts, ServiceCallKilled } from '../ports.ts'
import type { BoundUndo, RecordedProof } from '../resources/kind.ts'
import { activate, dropLeftovers, stopAgain } from './activate.ts'
import { INTERRUPTED } from './interrupted.ts'
import type { Ending, Failure, JournalRecord, Kept, Suspended, TransactionHead } from './journal.ts'
import { awaitStart, refuseWhenGoingDown } from './machine-state.ts'
import type { Step } from './plan.ts'
import { needsAnotherBoot, needsBootBack, reboot } from './reboot.ts'
import type { TransactionContext } from './transaction-context.ts'
import { type Done, failureOf, proveRestored, undoAfterRestarts, undoAll } from './undo.ts'

/**
 * Does the steps, makes them count, and proves the kubelet healthy; or puts everything back. Whatever happens in between, journal and
 * backups are enough to finish or to undo it: see `recoverTransaction`. The journal stays open: the caller writes down how it ended,
 * and closes it after that.
 * @throws when not even the journal could be begun; nothing was done then.
 * @throws {MachineGoesDown} the next start takes it up again.
 */
export async function runTransaction(
  head: TransactionHead,
  steps: readonly Step[],
  context: TransactionContext,
): Promise<Ending | Suspended> {
  const { journal, ports } = context
  await refuseWhenGoingDown(ports)
  await journal.write(head)
  const undos: BoundUndo[] = []
  let unreadSince: number | undefined = ports.clock.elapsed()
  try {
    const stops = steps.map(({ change }) => change.effects.stops ?? [])
    const lastStop = stops.findLastIndex((units) => units.length > 0)
    for (const [index, step] of steps.entries()) {
      if (step.change.effects.pauses) unreadSince = undefined
      await doStep(step, { index, head, undos, context })
      if (index === lastStop) await stopAgain(stops.flat(), ports)
    }
    unreadSince = undefined
    await activate(head.activation, ports)
    if (head.purpose === 'fallback') await dropLeftovers(head.activation.restarts, ports)
    if (head.awaits !== undefined) return await suspend(context)
    await journal.write({ at: 'committed' })
    return await keep(head, context)
  } catch (error) {
    const failure = error instanceof ServiceCallKilled ? INTERRUPTED : failureOf(error)
    return undoChanges({ head, undos, unreadSince }, failure, context)
  }
}

/** Intent, act, done. A step that was announced counts as done from then on: its undo is harmless when it was not. */
async function doStep(
  { change }: Step,
  at: {
    readonly index: number
    readonly head: TransactionHead
    readonly undos: BoundUndo[]
    readonly context: TransactionContext
  },
): Promise<void> {
  const { index, head, undos, context } = at
  const undo = await change.prepareUndo({ host: context.ports, backup: `${context.paths.backups}/${head.id}/${index}` })
  const bound = context.kinds.undo(undo)
  await requireKept(bound, context)
  await context.journal.write({ at: 'intent', step: index, undo })
  undos.push(bound)
  await change.perform(context.ports)
  await context.journal.write({ at: 'done', step: index })
}

async function requireKept({ kept }: BoundUndo, { ports }: TransactionContext): Promise<void> {
  for (const path of kept)
    if ((await ports.files.stat(path)) === undefined) throw new Error(`prepare the undo: "${path}" was not kept`)
}

/** In place; what was done is journalled, so that the next start of the agent resumes it, or undoes it. */
async function suspend({ journal }: TransactionContext): Promise<Suspended> {
  await journal.write({ at: 'awaiting' })
  return { kind: 'suspended' }
}

/** @returns undefined when what it waited for has happened. @throws when it will not. */
async function awaitFurther({ head, reboots }: JournalRecord, context: TransactionContext): Promise<Suspended | undefined> {
  if (await needsAnotherBoot(head, context)) return reboot(reboots, context)
  const { agent = context.agent } = head.awaits ?? {}
  return agent === context.agent ? undefined : { kind: 'suspended' }
}

/**
 * What to do with a transaction that a dead agent left behind. Before the commit mark nothing has been proved, and the plan that was
 * being carried out is gone with the process: it is undone, which needs only what is on disk, and the assignment is tried again.
 * After the mark everything is in place and only the proof is missing: it is taken again, unless the journal has it. An undo that was begun is finished, also one
 * that a full disk did not let the journal tell of.
 * @throws {MachineGoesDown} the next start takes it up again.
 */
export async function recoverTransaction(record: JournalRecord, context: TransactionContext): Promise<Ending | Suspended> {
  const { head, undos: recorded, awaiting, committed, proved, undoing, undoneUnder } = record
  const { ports, journal, kinds } = context
  const undos = recorded.map((undo) => kinds.undo(undo))
  const done = { head, undos, again: journal.ended?.ending.kind === 'broken' }
  await refuseWhenGoingDown(ports)
  if (proved) return proved
  if (undoing && undoneUnder !== undefined) return bootBack({ ...record, undos }, undoing, context)
  if (undoing) return undoChanges(done, undoing, context)
  if (!(awaiting || committed) || (await isTakenBack(undos, ports))) return undoChanges(done, INTERRUPTED, context)
  try {
    const waits = committed ? undefined : await awaitFurther(record, context)
    if (waits) return waits
    if (!committed) await journal.write({ at: 'committed' })
    await awaitStart(ports)
    // The Node of a machine that has just started is Ready when its network is: that is for the trial to see.
    return await keep({ ...head, proof: { ...head.proof, ready: false, heartbeat: false } }, context)
  } catch (error) {
    return undoChanges(done, failureOf(error), context)
  }
}

async function undoChanges(done: Done, failure: Failure, context: TransactionContext): Promise<Ending | Suspended> {
  const { ports, journal } = context
  await refuseWhenGoingDown(ports)
  // A disk that takes no more lines is no reason to leave the host half changed.
  await journal
    .write({ at: 'undoing', error: failure })
    .catch((error: unknown) => ports.log.warn('journal not written', { error }))
  const { troubles, unhealthy } = await undoAll(done, context)
  if (troubles.length > 0) return broken(failure, troubles)
  if (await needsBootBack(done.head, context)) {
    const boot = await ports.services.bootId()
    await journal.write({ at: 'undone', boot })
    return bootBack({ ...done, reboots: [], undoneUnder: boot }, failure, context)
  }
  return unhealthy === undefined ? { kind: 'undone', failure } : unproved(failure, unhealthy)
}

function broken({ reason, message }: Failure, troubles: readonly string[]): Ending {
  return { kind: 'broken', failure: { reason, message: `${message}; undoing it failed too: ${troubles.join('; ')}` } }
}

function unproved({ reason, message }: Failure, why: string): Ending {
  return {
    kind: 'unproved',
    failure: { reason, message: `${message}; the change was undone, and the host is not healthy yet: ${why}` },
  }
}

/** Everything was put back, and counts after one more boot. */
async function bootBack(
  { head, undos, reboots, undoneUnder }: Pick<Done, 'head' | 'undos'> & Pick<JournalRecord, 'reboots' | 'undoneUnder'>,
  failure: Failure,
  context: TransactionContext,
): Promise<Ending | Suspended> {
  let why: string | undefined
  try {
    if (undoneUnder === (await context.ports.services.bootId())) return await reboot(reboots, context)
  } catch (error) {
    why = failureOf(error).message
  }
  const troubles = await undoAfterRestarts(undos, context.ports)
  if (troubles.length > 0) return broken(failure, troubles)
  try {
    if (why === undefined) await proveRestored(head, { restarts: head.activation.restarts, context })
  } catch (error) {
    why = failureOf(error).message
  }
  return why === undefined ? { kind: 'undone', failure } : unproved(failure, why)
}

/** Each step made a difference: a thing that does not change by itself and is as it was before was put back. */
async function isTakenBack(undos: readonly BoundUndo[], ports: AgentPorts): Promise<boolean> {
  for (const undo of undos) if (undo.leavesTrace && (await undo.isUndone(ports))) return true
  return false
}

/** What is proved is not proved again, nor undone, by an agent that finds half of its end on disk. */
async function keep(head: TransactionHead, context: TransactionContext): Promise<Kept> {
  const proved = await prove(head, context)
  await context.journal
    .write({ at: 'committed', proved })
    .catch((error: unknown) => context.ports.log.warn('journal not written', { error }))
  return { kind: 'kept', ...proved }
}

/** All at once: a change may need no more time than the slowest. A repair restarts nothing, so it proves nothing about the kubelet, nor can it have hurt it. */
async function prove(head: TransactionHead, context: TransactionContext): Promise<Partial<Proved>> {
  if (head.purpose === 'repair' || head.proof.withoutKubelet) return {}
  const proved = await verifyKubelet(head.proof, context)
  await allEnded((head.proofs ?? []).map((proof) => proveOne(proof, context)))
  return proved
}

async function proveOne(proof: RecordedProof, { kinds, ports, signal }: TransactionContext): Promise<void> {
  const complaint = await kinds.complaint(proof, ports, signal)
  if (complaint === undefined) return
  // It may have had too little time: another start, or the next assignment, tells.
  if (signal?.aborted) throw new AgentError(complaint.message, { kind: 'internal', reason: INTERRUPTED.reason })
  throw new AgentError(complaint.message, { kind: 'validate', reason: complaint.reason })
}
