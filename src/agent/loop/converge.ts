import type { AgentContext } from '../context.ts'
import { verifyKubelet } from '../health/verify.ts'
import { readHostPolicy } from '../policy/enforce-policy.ts'
import type { Outcome } from '../state/state.ts'
import type { Ending, Suspended, TransactionHead } from '../transaction/journal.ts'
import { awaitStart } from '../transaction/machine-state.ts'
import type { Prospect } from '../transaction/prospect.ts'
import { stage } from '../transaction/stage.ts'
import { runTransaction } from '../transaction/transaction.ts'
import { failureOf } from '../transaction/undo.ts'
import { type Begun, begin, stepsAround } from './begin.ts'
import { bringArchives } from './bring-archives.ts'
import { compareToApply } from './compare-to-apply.ts'
import { settle } from './settle.ts'
import { headOf } from './transaction-head.ts'
import { requireBad, type Work } from './work.ts'

/**
 * Makes the host what it is assigned, and proves it, or puts it back. Reading the host and changing it take a turn each; what has to be
 * brought onto it in between does not.
 * @returns how it ended, which then is on disk too.
 * @throws {AgentError} when it did not come to doing anything: the host is as it was.
 * @throws {Superseded} when that is not wanted any more.
 */
export async function converge(work: Work, context: AgentContext): Promise<Outcome> {
  const { state, ports, turns } = context
  const { signal } = work
  for (;;) {
    const begun = await turns.prepare(
      signal,
      () => bringArchives(work, context),
      () => begin(work, context),
    )
    if ('blocked' in begun) return begun.blocked
    const { prospect, base } = begun
    if (prospect.plan.steps.length > 0 || begun.reboots) await work.onTaken(base)
    const outcome = await turns.prepare(
      signal,
      () => stage(prospect.target, prospect.plan, { ports, paths: state.paths, signal }),
      () => act(begun, { work, context }),
    )
    // Undefined: something was repaired meanwhile, and what is to be done is another thing.
    if (outcome !== undefined) return outcome
  }
}

async function act(
  { prospect, base, reboots }: Begun,
  { work, context }: { readonly work: Work; readonly context: AgentContext },
): Promise<Outcome | undefined> {
  const { goal, signal, goingBack } = work
  await requireBad(goingBack, context)
  const found = await compareToApply(goal?.content ?? {}, context)
  const policy = goingBack ? {} : await readHostPolicy(context.ports.files)
  const now = goingBack ? found : await stepsAround(found, { policy, reboots, context })
  if (!sameWork(now, prospect)) return undefined
  // Its kubelet may wait for a container runtime that is not there yet: neither the state before nor the proof would mean anything.
  if (now.plan.steps.length > 0 || reboots) await awaitStart(context.ports)
  if (goingBack === undefined) await context.state.setOutcome(base)
  const head = await headOf(work, { ...now, reboots }, context)
  return settle(head, await carryOut(head, now, { ...context, signal }), context)
}

function sameWork(a: Prospect, b: Prospect): boolean {
  const told = ({ plan }: Prospect): string =>
    JSON.stringify([plan.activation, plan.steps.map(({ change }) => [change.subjects, change.stagedFor])])
  return told(a) === told(b)
}

/** A host that is as it should be already is not touched, and its kubelet not restarted; it only has to prove healthy. */
async function carryOut(
  head: TransactionHead,
  { plan }: Prospect,
  { ports, journal, kinds, state, options, signal }: AgentContext & { readonly signal: AbortSignal },
): Promise<Ending | Suspended> {
  const { timing } = options
  if (plan.steps.length > 0 || head.awaits !== undefined)
    return runTransaction(head, plan.steps, { ports, journal, kinds, paths: state.paths, timing, agent: options.version, signal })
  try {
    return { kind: 'kept', ...(await verifyKubelet(head.proof, { ports, timing, signal, undisturbed: true })) }
  } catch (error) {
    return { kind: 'undone', failure: failureOf(error) }
  }
}
