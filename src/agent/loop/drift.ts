import { randomUUID } from 'node:crypto'
import type { Disruption } from '../../protocol/desired-config.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import { AgentError } from '../agent-error.ts'
import { type AgentContext, stamp } from '../context.ts'
import { enforceOnContent, enforceOnNeeds, readHostPolicy } from '../policy/enforce-policy.ts'
import { isAccepted } from '../policy/enforce-signature.ts'
import type { TransactionHead } from '../transaction/journal.ts'
import { harmlessRepairs, type Step } from '../transaction/plan.ts'
import { activeBlueprint, compare } from '../transaction/prospect.ts'
import { runTransaction } from '../transaction/transaction.ts'
import type { Assignment } from './fetch.ts'
import type { Mending } from './mending.ts'
import { settle } from './settle.ts'
import { askingToMerge, isAskingToMerge, recovered } from './went-bad.ts'

/**
 * Compares the host with its active configuration, and repairs what needs no restart. When others have rewritten what the configuration
 * goes over, as `kubeadm upgrade node` does, the assignment is applied once more, over what they wrote.
 * @param mending what earlier repairs came to
 * @returns paths and units that are still not as they were applied; a repair of those would restart something, and waits for
 * the next assignment; and what did not stay repaired.
 */
export async function mendDrift(mending: Mending, context: AgentContext): Promise<string[]> {
  const { state, ports } = context
  // What this agent cannot read it cannot compare with; the status says so.
  const digest = typeof (await activeBlueprint(context)) === 'object' ? await state.digest('active') : undefined
  const active = digest && (await state.restore(digest))
  if (!active) return []
  const { plan, strange, rebased, overridden } = await compare(active.content, context)
  const harmless = (await mayRepair(active.content, context)) ? harmlessRepairs(plan) : []
  const { due, stubborn } = mending.sort(harmless.flatMap(subjectsOf), ports.clock.elapsed())
  if (due.length > 0) {
    ports.log.warn('drift is repaired', { paths: due })
    const steps = harmless.filter((step) => subjectsOf(step).some((subject) => due.includes(subject)))
    await repair(steps, plan.activation.reload, context)
  }
  const left = plan.steps.filter((step) => !harmless.includes(step)).flatMap(subjectsOf)
  const changed = left.filter((subject) => rebased.includes(subject))
  const merged = changed.length > 0 && (await mayMerge({ active, needs: plan.needs }, context)) ? changed : []
  await merge({ merged, isDone: left.length === 0, isPooled: active.desired.POOL !== undefined, needs: plan.needs }, context)
  return [...left, ...stubborn, ...strange.map(({ subject }) => subject), ...overridden]
}

/** What the owner of the host forbids by now is not put back either; nor is anything while the host is locked. */
async function mayRepair(content: NodeContent, { ports, kinds }: AgentContext): Promise<boolean> {
  try {
    enforceOnContent(await readHostPolicy(ports.files), content, kinds)
    return true
  } catch (error) {
    ports.log.warn('drift is not repaired', { because: (error as Error).message })
    return false
  }
}

/** What would be refused for good is drift: to try it would make an assignment that holds a rejected one. */
async function mayMerge(
  { active, needs }: { readonly active: Assignment; readonly needs: Disruption },
  context: AgentContext,
): Promise<boolean> {
  const { ports, kinds } = context
  try {
    const policy = await readHostPolicy(ports.files)
    enforceOnContent(policy, active.content, kinds)
    enforceOnNeeds(policy, needs)
    // With a grant comes another assignment, signed or not; without one this is taken up again.
    return active.desired.POOL !== undefined || (await isAccepted(active.text, context))
  } catch (error) {
    return error instanceof AgentError && error.mayPassLater
  }
}

/**
 * Applies the assignment over what others wrote: with the grant that it has where a person assigned it, with another one where a pool did,
 * since the same may have happened to each of its nodes. Another outcome than Applied is left to people.
 */
async function merge(
  { merged, isDone, isPooled, needs }: Readonly<{ merged: string[]; isDone: boolean; isPooled: boolean; needs: Disruption }>,
  { state, ports }: AgentContext,
): Promise<void> {
  const last = await state.outcome()
  if (last === undefined) return
  const story = { last, now: stamp(ports) }
  if (isAskingToMerge(last) && isDone) await state.setOutcome(recovered(story, undefined))
  if (merged.length === 0 || last.phase !== 'Applied') return
  await (isPooled ? state.setOutcome(askingToMerge(story, merged, needs)) : state.reopen(story.now))
}

async function repair(steps: readonly Step[], reload: boolean, context: AgentContext): Promise<void> {
  const { ports, journal, kinds, state, options } = context
  const head: TransactionHead = {
    at: 'begin',
    id: randomUUID(),
    purpose: 'repair',
    activation: { reload, restarts: [] },
    proof: { ready: false, within: options.timing.healthy },
    before: { healthy: false },
  }
  const ending = await runTransaction(head, steps, {
    ports,
    journal,
    kinds,
    paths: state.paths,
    timing: options.timing,
    agent: options.version,
  })
  if ('failure' in ending) ports.log.warn('drift not repaired', { ...ending.failure })
  await settle(head, ending, context)
}

function subjectsOf({ change }: Step): readonly string[] {
  return change.subjects
}
