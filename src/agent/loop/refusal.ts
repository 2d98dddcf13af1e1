import type { AgentError } from '../agent-error.ts'
import { type AgentContext, stamp } from '../context.ts'
import type { Outcome } from '../state/state.ts'
import { parseAssignment } from './fetch.ts'
import type { Wanted } from './node-watch.ts'
import { noteOutcome } from './note-outcome.ts'
import { countsOf } from './went-bad.ts'

/**
 * Remembers that nothing came of an assignment and the host is as it was: for good, or until it is tried again. What is
 * final is on disk, so that an agent that starts again does not run into the same wall.
 */
export async function refusal(
  { kind, reason, message, mayPassLater }: AgentError,
  { wanted: { text: wanted, node }, context }: { readonly wanted: Wanted; readonly context: AgentContext },
): Promise<Outcome> {
  const { state, ports } = context
  const last = await state.outcome()
  // What the agent remembers of the host is damaged: that is not the assignment's fault, and needs a person.
  const phase = kind === 'internal' ? 'Failed' : !mayPassLater ? 'RolledBack' : kind === 'download' ? 'Fetching' : 'Staging'
  const before = last?.assignment === wanted ? last : undefined
  const outcome: Outcome = {
    assignment: wanted,
    node,
    ...(wanted === null ? {} : await identify(wanted, context)),
    phase,
    since: before?.phase === phase ? before.since : stamp(ports),
    attempts: before?.attempts ?? 1,
    ...countsOf(before),
    error: { reason, message },
  }
  await noteOutcome(outcome, context)
  return outcome
}

/** What can be said of an assignment that may be malformed, or may not have been fetched. */
async function identify(wanted: string, { state }: AgentContext): Promise<Pick<Outcome, 'digest' | 'revision'>> {
  const assigned = await state.digest('assigned')
  const kept = assigned === undefined ? undefined : await state.restore(assigned)
  const desired = kept?.text === wanted ? { DIGEST: kept.digest, ...kept.desired } : readable(wanted)
  return {
    ...(desired?.DIGEST === undefined ? {} : { digest: desired.DIGEST }),
    ...(desired?.REVISION === undefined ? {} : { revision: desired.REVISION }),
  }
}

function readable(text: string): ReturnType<typeof parseAssignment> | undefined {
  try {
    return parseAssignment(text)
  } catch {
    return undefined
  }
}
