import { asAgentError } from './agent-error.ts'
import { isRunning, perform, prepareUndo, type Undo } from './change.ts'
import type { Failure, Journal, JournalRecord, TransactionHead } from './journal.ts'
import type { Timing } from './options.ts'
import { KUBELET_UNIT, type StatePaths } from './paths.ts'
import type { Activation, Step } from './plan.ts'
import type { AgentPorts } from './ports.ts'
import { verifyKubelet } from './verify.ts'

/** kept: done and proved. undone: the host is as before. broken: it is not, and a person is needed. */
export type Ending = { readonly kind: 'kept' } | { readonly kind: 'undone' | 'broken'; readonly failure: Failure }

export interface TransactionContext {
  readonly ports: AgentPorts
  readonly journal: Journal
  readonly paths: StatePaths
  readonly timing: Timing
  /** Aborts when something newer was assigned. */
  readonly signal?: AbortSignal
}

/**
 * Does the steps, makes them count, and proves the kubelet healthy; or puts everything back. Whatever happens in between, journal and
 * backups are enough to finish or to undo it: see `recoverTransaction`. The journal stays open: the caller writes down how it ended,
 * and closes it after that.
 * @throws when not even the journal could be begun; nothing was done then.
 */
export async function runTransaction(
  head: TransactionHead,
  steps: readonly Step[],
  context: TransactionContext,
): Promise<Ending> {
  const { journal, ports } = context
  await journal.write(head)
  const undos: Undo[] = []
  try {
    for (const [index, step] of steps.entries()) await doStep(step, { index, head, undos, context })
    await activate(head.activation, ports)
    await journal.write({ at: 'committed' })
    await prove(head, context)
    return { kind: 'kept' }
  } catch (error) {
    return putBack({ head, undos }, failureOf(error), context)
  }
}

/** Intent, act, done. A step that was announced counts as done from then on: its undo is harmless when it was not. */
async function doStep(
  { change }: Step,
  at: { readonly index: number; readonly head: TransactionHead; readonly undos: Undo[]; readonly context: TransactionContext },
): Promise<void> {
  const { index, head, undos, context } = at
  const undo = await prepareUndo(change, { host: context.ports, backup: `${context.paths.backups}/${head.id}/${index}` })
  await context.journal.write({ at: 'intent', step: index, undo })
  undos.push(undo)
  await perform(change, context.ports)
  await context.journal.write({ at: 'done', step: index })
}

/**
 * What to do with a transaction that a dead agent left behind. Before the commit mark nothing has been proved, and the plan that was
 * being carried out is gone with the process: it is undone, which needs only what is on disk, and the assignment is tried anew.
 * After the mark everything is in place and only the proof is missing: it is taken again. An undo that was begun is finished.
 */
export async function recoverTransaction(
  { head, undos, committed, undoing }: JournalRecord,
  context: TransactionContext,
): Promise<Ending> {
  if (undoing) return putBack({ head, undos }, undoing, context)
  if (!committed) return putBack({ head, undos }, INTERRUPTED, context)
  try {
    await prove(head, context)
    return { kind: 'kept' }
  } catch (error) {
    return putBack({ head, undos }, failureOf(error), context)
  }
}

export const INTERRUPTED: Failure = {
  reason: 'Interrupted',
  message: 'internal failure: the agent was interrupted while it applied',
}

export function failureOf(error: unknown): Failure {
  const { reason, message } = asAgentError(error, { kind: 'sync', reason: 'ApplyFailed' })
  return { reason, message }
}

async function putBack(
  { head, undos }: Pick<JournalRecord, 'head' | 'undos'>,
  failure: Failure,
  context: TransactionContext,
): Promise<Ending> {
  const { ports, journal } = context
  // A disk that takes no more lines is no reason to leave the host half changed.
  await journal
    .write({ at: 'undoing', error: failure })
    .catch((error: unknown) => ports.log.warn('journal not written', { error }))
  const troubles = await undoAll({ head, undos }, context)
  if (troubles.length === 0) return { kind: 'undone', failure }
  const message = `${failure.message}; putting it back failed too: ${troubles.join('; ')}`
  return { kind: 'broken', failure: { reason: failure.reason, message } }
}

/** Goes on after a failure: what can be put back is put back. @returns what could not. */
async function undoAll({ head, undos }: Pick<JournalRecord, 'head' | 'undos'>, context: TransactionContext): Promise<string[]> {
  if (undos.length === 0) return []
  const { ports } = context
  const proof = { healthz: head.before.healthz, ready: false, within: head.proof.within }
  const attempts = [
    ...undos.toReversed().map((change) => () => perform(change, ports)),
    () => activate(head.activation, ports),
    async () => (head.before.healthy && head.purpose !== 'repair' ? verifyKubelet(proof, context) : undefined),
  ]
  const failed: string[] = []
  for (const attempt of attempts) await attempt().catch((error: unknown) => failed.push(failureOf(error).message))
  return failed
}

/** A repair restarts nothing, so it proves nothing about the kubelet, nor can it have hurt it. */
async function prove(head: TransactionHead, context: TransactionContext): Promise<void> {
  if (head.purpose !== 'repair') await verifyKubelet(head.proof, context)
}

/** The kubelet is started whatever state it is in; another unit only when it runs. */
async function activate({ reload, restarts }: Activation, { services }: Pick<AgentPorts, 'services'>): Promise<void> {
  if (reload) await services.reload()
  for (const unit of restarts) {
    if (unit === KUBELET_UNIT || isRunning((await services.show(unit)).active)) await services.restart(unit)
  }
}
