import type { AgentContext } from '../context.ts'
import { acceptAssignment, enforceOnRemoval } from '../policy/accept-assignment.ts'
import type { Outcome } from '../state/state.ts'
import { type Assignment, fetchAssignment, parseAssignment } from './fetch.ts'
import { isSettled } from './final.ts'
import type { Wanted } from './node-watch.ts'

/** What to make of the host; a goal that is undefined is the local configuration. */
export interface NextGoal {
  readonly goal: Assignment | undefined
}

/**
 * @param wanted undefined while the API server cannot be reached: then only what was interrupted is taken up again, from the
 * checkpoint.
 * @returns undefined when there is nothing to do.
 * @throws {AgentError} when what is wanted cannot be had or understood.
 */
export async function nextGoal(wanted: Wanted | undefined, context: AgentContext): Promise<NextGoal | undefined> {
  const outcome = await context.state.outcome()
  // The guard says whether it is tried again.
  if (outcome?.lost && (wanted === undefined || wanted.text === outcome.assignment)) return undefined
  const settled = outcome !== undefined && isSettled(outcome)
  if (wanted === undefined) return settled || outcome === undefined ? undefined : resume(outcome, context)
  if (settled && outcome.assignment === wanted.text) {
    if (wanted.text !== null && outcome.node !== wanted.node) await moveTo({ ...wanted, text: wanted.text }, context)
    return undefined
  }
  if (wanted.text === null) {
    if (!(await wasRemoved(wanted, context))) return undefined
    await enforceOnRemoval(wanted, context)
    return { goal: undefined }
  }
  parseAssignment(wanted.text)
  await context.turns.exclusively(() => acceptAssignment({ ...wanted, text: wanted.text ?? '' }, context))
  return { goal: (await checkpointed(wanted.text, context)) ?? (await takeUp({ ...wanted, text: wanted.text }, context)) }
}

/**
 * The assignment stands on another Node of this machine now, where it counts if it was signed for that one, too. Else nobody could take
 * it away again: a Node without an assignment counts only if it is the one that had it.
 */
async function moveTo(wanted: Wanted & { readonly text: string }, context: AgentContext): Promise<void> {
  await context.turns.exclusively(async () => {
    await acceptAssignment(wanted, context)
    await context.state.moveOutcome(wanted.node)
  })
}

async function resume({ assignment }: Outcome, context: AgentContext): Promise<NextGoal | undefined> {
  if (assignment === null) return { goal: undefined }
  const kept = await checkpointed(assignment, context)
  return kept && { goal: kept }
}

/**
 * Whether somebody took the assignment away. A Node that was deleted and registered again has none either, and nobody meant the
 * machine: it stays as it is until it is assigned something.
 */
async function wasRemoved(wanted: Wanted, { state }: AgentContext): Promise<boolean> {
  const outcome = await state.outcome()
  if (outcome?.node !== undefined && outcome.node !== wanted.node) return false
  if (outcome !== undefined) return true
  // What was taken up and never came to an end was shown, and is taken back all the same.
  return (await state.digest('active')) !== undefined || (await state.digest('assigned')) !== undefined
}

/** What was fetched once is not fetched again: an annotation means what it meant when it was read first. */
async function checkpointed(text: string, { state }: AgentContext): Promise<Assignment | undefined> {
  const digest = await state.digest('assigned')
  const kept = digest === undefined ? undefined : await state.restore(digest)
  // Parsed again: of an annotation that another version accepted the checkpoint does not say all.
  return kept?.text === text ? { ...kept, desired: parseAssignment(text) } : undefined
}

async function takeUp({ text, pool }: Wanted & { readonly text: string }, context: AgentContext): Promise<Assignment> {
  const { state, ports, options, turns } = context
  const known = await keptAssignment(text, context)
  const assignment = known ?? (await fetchAssignment(text, { node: ports.node, namespace: options.namespace, pool }))
  // In one turn: a checkpoint that nothing points to is swept away.
  await turns.exclusively(async () => {
    await state.checkpoint(assignment)
    await state.point('assigned', assignment.digest)
  })
  return assignment
}

/** What says which content is meant; the rest of an annotation says how and why it is to be applied. */
const NAMES = ['KUBELET_VERSION', 'KUBELET_CONFIG', 'KUBELET_OPTS', 'HOST_CONFIG', 'NAMESPACE', 'DIGEST'] as const

/** What was assigned last, granted more or to be tried once more: its digest says that it still is what was fetched. */
async function keptAssignment(text: string, { state }: AgentContext): Promise<Assignment | undefined> {
  const desired = parseAssignment(text)
  const digest = await state.digest('assigned')
  if (digest === undefined || desired.DIGEST !== digest) return undefined
  const kept = await state.restore(digest)
  return kept && NAMES.every((key) => kept.desired[key] === desired[key]) ? { ...kept, text, desired } : undefined
}
