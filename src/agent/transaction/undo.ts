import { asAgentError } from '../agent-error.ts'
import { verifyKubelet } from '../health/verify.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'
import type { BoundUndo } from '../resources/kind.ts'
import { activate, dropLeftovers } from './activate.ts'
import type { Failure, TransactionHead } from './journal.ts'
import { awaitStart, refuseWhenGoingDown } from './machine-state.ts'
import { needsBootBack } from './reboot.ts'
import type { TransactionContext } from './transaction-context.ts'

/** What a transaction has done so far. */
export interface Done {
  readonly head: TransactionHead
  /** What puts back each step that may have been done, in the order of the steps. */
  readonly undos: readonly BoundUndo[]
  /** Monotonic milliseconds: since when files differ, if nothing was restarted yet. Undefined: units may have read them. */
  readonly unreadSince?: number | undefined
  /** It was tried before, and units were restarted then: they are again only if all can be put back now. */
  readonly again?: boolean
}

export interface UndoResult {
  /** What could not be put back. */
  readonly troubles: readonly string[]
  /** Why the kubelet is not as healthy as it was; undefined when it is. */
  readonly unhealthy: string | undefined
}

/** A service manager that is replaced, a disk that is full for a moment: before a person is asked for, it is tried this often. */
const ROUNDS = 3
const PAUSE = 2000

/**
 * Puts everything back, and proves the kubelet as healthy as it was.
 * @returns what is not as it was, after everything else was put back.
 * @throws {MachineGoesDown} when that is why something could not.
 */
export async function undoAll(done: Done, context: TransactionContext): Promise<UndoResult> {
  const { ports } = context
  const { head, undos } = done
  if (undos.length === 0) return { troubles: [], unhealthy: undefined }
  const restarts = await readers(done, ports)
  const failed = await undoReversed(
    undos.filter(({ afterRestarts }) => !afterRestarts),
    ports,
  )
  if (failed.length === 0 || !done.again) {
    const { running = [] } = head.before
    const activation = { reload: head.activation.reload, restarts, required: running, alongside: running }
    failed.push(...(await persist([() => activate(activation, ports)], ports)))
    await dropLeftovers(restarts, ports)
  }
  // A boot is a restart, too. What is not as before is tried again later, and these with it.
  if (failed.length === 0 && !(await needsBootBack(head, context))) failed.push(...(await undoAfterRestarts(undos, ports)))
  const [unhealthy] = done.again && failed.length > 0 ? [] : await tryAll([() => proveRestored(head, { restarts, context })])
  if (failed.length > 0 || unhealthy !== undefined) await refuseWhenGoingDown(ports)
  return { troubles: failed, unhealthy }
}

/** @returns what could not be undone */
export function undoAfterRestarts(undos: readonly BoundUndo[], ports: AgentPorts): Promise<string[]> {
  return undoReversed(
    undos.filter(({ afterRestarts }) => afterRestarts),
    ports,
  )
}

async function undoReversed(undos: readonly BoundUndo[], ports: AgentPorts): Promise<string[]> {
  const reversed = undos.toReversed()
  const failed = await persist(
    reversed.map((undo) => () => undoOne(undo, ports)),
    ports,
  )
  if (failed.length > 0) return failed
  const changeable = reversed.filter(({ leavesTrace }) => !leavesTrace)
  return persist(
    changeable.map((undo) => () => undoAgain(undo, ports)),
    ports,
  )
}

/** A unit that was stopped may have been started again by what triggers it, which was stopped after it. */
async function undoAgain(undo: BoundUndo, ports: AgentPorts): Promise<void> {
  if (!(await undo.isUndone(ports))) await undoOne(undo, ports)
}

/** What cannot be undone, but is as it was, was never changed: a file on a read-only file system is no reason to ask for a person. */
async function undoOne(undo: BoundUndo, ports: AgentPorts): Promise<void> {
  try {
    await undo.perform(ports)
  } catch (error) {
    if (!(await undo.isUndone(ports))) throw error
  }
}

/** Units that have run since before the first file was changed have read none of it, and need not be disturbed. */
async function readers({ head, unreadSince }: Done, { services, clock }: AgentPorts): Promise<string[]> {
  const { restarts } = head.activation
  if (unreadSince === undefined) return restarts
  const found: string[] = []
  for (const unit of restarts) {
    const runningFor = await services.show(unit).then(
      (state) => state.runningFor,
      () => 0,
    )
    if (runningFor <= clock.elapsed() - unreadSince) found.push(unit)
  }
  return found
}

/** As healthy as the kubelet was before. */
export async function proveRestored(
  { purpose, before, proof }: TransactionHead,
  { restarts, context }: { readonly restarts: readonly string[]; readonly context: TransactionContext },
): Promise<void> {
  if (!before.healthy || purpose === 'repair') return
  await awaitStart(context.ports)
  const undisturbed = !restarts.includes(KUBELET_UNIT)
  const { healthz, running: units } = before
  await verifyKubelet({ healthz, units, ready: false, within: proof.within }, { ...context, undisturbed })
}

/** Each is harmless when it is done twice. */
async function persist(attempts: readonly (() => Promise<void>)[], { clock }: AgentPorts): Promise<string[]> {
  for (let round = 1; ; round++) {
    const failed = await tryAll(attempts)
    if (failed.length === 0 || round === ROUNDS) return failed
    await clock.sleep(PAUSE)
  }
}

/** Goes on after a failure: what can be put back is put back. */
async function tryAll(attempts: readonly (() => Promise<void>)[]): Promise<string[]> {
  const failed: string[] = []
  for (const attempt of attempts) await attempt().catch((error: unknown) => failed.push(failureOf(error).message))
  return failed
}

export function failureOf(error: unknown): Failure {
  const { reason, message } = asAgentError(error, { kind: 'sync', reason: 'ApplyFailed' })
  return { reason, message }
}
