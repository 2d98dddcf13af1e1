import { randomUUID } from 'node:crypto'
import { atMost } from '../../protocol/desired-config.ts'
import { type AgentContext, stamp } from '../context.ts'
import { lookAt, looksHealthy, type Proof, verifyKubelet } from '../health/verify.ts'
import type { OwnNode } from '../ports.ts'
import type { Outcome } from '../state/state.ts'
import type { Ending, TransactionHead } from '../transaction/journal.ts'
import { compare, type Prospect } from '../transaction/prospect.ts'
import { stage } from '../transaction/stage.ts'
import { runTransaction } from '../transaction/transaction.ts'
import { failureOf } from '../transaction/undo.ts'
import type { Assignment } from './fetch.ts'
import { settle } from './settle.ts'

/** Something newer was assigned while this was staged; nothing was disturbed. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
}

export interface Work {
  /** What the host is to become; undefined: what it was before nodewave. */
  readonly goal: Assignment | undefined
  /** The Node as it was seen last, if it was. */
  readonly node: OwnNode | undefined
  /** Ends the work as long as nothing was disturbed. */
  readonly signal: AbortSignal
  /** Told once there is something to do, and waited for before it is done. */
  readonly onTaken: (outcome: Outcome) => Promise<void>
  /** Set when the host goes back by itself to what last worked; such work asks for no grant. */
  readonly because?: TransactionHead['because']
}

/**
 * Makes the host what it was told to be, and proves it, or puts it back.
 * @returns how it ended, which then is on disk too.
 * @throws {AgentError} when it did not come to doing anything: the host is as it was.
 */
export async function converge(work: Work, context: AgentContext): Promise<Outcome> {
  const { goal, signal } = work
  const { state, ports } = context
  const prospect = await compare(goal?.content ?? {}, context)
  const { target, plan, strange } = prospect
  for (const { error } of strange) throw error
  const base = await beginning(work, context)
  if (work.because === undefined && !atMost(plan.needs, goal?.desired.GRANT ?? 'restart')) {
    const blocked: Outcome = { ...base, phase: 'Blocked', needs: plan.needs }
    await state.setOutcome(blocked)
    return blocked
  }
  if (plan.steps.length > 0) await work.onTaken(base)
  await stage(target, plan, { ports, paths: state.paths, signal })
  if (signal.aborted) throw new Superseded('a newer configuration was assigned')
  await state.setOutcome(base)
  const head = await headOf(work, prospect, context)
  return settle(head, await carryOut(head, prospect, { ...context, signal }), context)
}

/** The outcome as it stands while the work is under way. */
async function beginning({ goal, because, node }: Work, { state, ports }: AgentContext): Promise<Outcome> {
  const last = await state.outcome()
  if (because && last) return last
  const assignment = goal?.text ?? null
  const attempts = last?.assignment === assignment && last.phase === 'Applying' ? last.attempts + 1 : 1
  const uid = node?.uid ?? (last?.assignment === assignment ? last.node : undefined)
  return {
    assignment,
    ...(uid === undefined ? {} : { node: uid }),
    ...(goal === undefined ? {} : { digest: goal.digest }),
    ...(goal?.desired.REVISION === undefined ? {} : { revision: goal.desired.REVISION }),
    phase: 'Applying',
    since: stamp(ports),
    attempts,
  }
}

async function headOf(work: Work, { target, plan }: Prospect, context: AgentContext): Promise<TransactionHead> {
  const { ports, options } = context
  const { kubelet, version } = target
  const healthzBefore = kubelet === undefined ? DEFAULT_HEALTHZ : kubelet.healthzBefore
  const proof: Proof = {
    healthz: kubelet === undefined ? DEFAULT_HEALTHZ : kubelet.healthz,
    // Going back is proved by the host alone: a Node that is slow to show it must not send the host forward again.
    version: work.because ? undefined : version,
    ready: work.because === undefined && (work.node?.ready ?? false),
    within: kubelet?.fetchesVersion ? options.timing.fetched : options.timing.healthy,
  }
  return {
    at: 'begin',
    id: randomUUID(),
    purpose: work.because ? 'fallback' : 'apply',
    ...(work.goal === undefined ? {} : { digest: work.goal.digest }),
    activation: { reload: plan.activation.reload, restarts: [...plan.activation.restarts] },
    proof,
    before: { healthy: looksHealthy(await lookAt({ healthz: healthzBefore }, ports)), healthz: healthzBefore },
    because: work.because,
  }
}

const DEFAULT_HEALTHZ = 'http://127.0.0.1:10248/healthz'

/** A host that is as it should be already is not touched, and its kubelet not restarted; it only has to prove healthy. */
async function carryOut(
  head: TransactionHead,
  { plan }: Prospect,
  { ports, journal, kinds, state, options, signal }: AgentContext & { readonly signal: AbortSignal },
): Promise<Ending> {
  const { timing } = options
  if (plan.steps.length > 0)
    return runTransaction(head, plan.steps, { ports, journal, kinds, paths: state.paths, timing, signal })
  try {
    await verifyKubelet(head.proof, { ports, timing, signal, undisturbed: true })
    return { kind: 'kept' }
  } catch (error) {
    return { kind: 'undone', failure: failureOf(error) }
  }
}
