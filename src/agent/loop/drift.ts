import { randomUUID } from 'node:crypto'
import { type AgentContext, stamp } from '../context.ts'
import type { TransactionHead } from '../transaction/journal.ts'
import { type Step, withinGrant } from '../transaction/plan.ts'
import { activeBlueprint, compare } from '../transaction/prospect.ts'
import { runTransaction } from '../transaction/transaction.ts'
import type { Mending } from './mending.ts'
import { settle } from './settle.ts'

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
  const harmless = withinGrant(plan, 'none')
  const { due, stubborn } = mending.sort(harmless.map(subjectOf), ports.clock.elapsed())
  if (due.length > 0) {
    ports.log.warn('drift is repaired', { paths: due })
    const steps = harmless.filter((step) => due.includes(subjectOf(step)))
    await repair(steps, plan.activation.reload, context)
  }
  const left = plan.steps.filter((step) => !harmless.includes(step)).map(subjectOf)
  // Under the grant that the assignment has. Another outcome than Applied is left to people.
  const isRebased = left.some((subject) => rebased.includes(subject))
  if (isRebased && (await state.outcome())?.phase === 'Applied') await state.reopen(stamp(ports))
  return [...left, ...stubborn, ...strange.map(({ subject }) => subject), ...overridden]
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

function subjectOf({ change }: Step): string {
  return change.subject
}
