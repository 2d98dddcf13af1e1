import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import { compare } from '../transaction/prospect.ts'
import { readBaselines } from './baselines.ts'
import { recaptureBaselines } from './recapture.ts'

/**
 * Captures the baselines again: what others (`kubeadm upgrade node`, an administrator) wrote since nodewave took over becomes
 * what Git's configuration goes over, and what a node returns to. What still is as nodewave made it keeps the baseline it had.
 * @returns the paths that were captured again
 * @throws {AgentError} when nothing is managed here, or while something is being applied
 */
export async function rebase(context: AgentContext): Promise<string[]> {
  const { state, journal, ports, kinds } = context
  const digest = await state.digest('active')
  const active = digest === undefined ? undefined : await state.restore(digest)
  if (active === undefined) throw refuse('nothing is managed on this host', 'NothingManaged')
  if (await journal.open()) throw refuse('a change is being applied; try again when it has ended', 'TransactionOpen')
  const { target } = await compare(active.content, context)
  const place = { paths: state.paths, host: ports, kinds }
  const { recaptured } = await recaptureBaselines(await readBaselines(place), { ...place, resources: target.resources })
  // What the host should be is another thing now: the agent finds no outcome, and works it out again.
  await state.forgetOutcome()
  return recaptured
}

function refuse(message: string, reason: string): AgentError {
  return new AgentError(`take the local configuration anew: ${message}`, { kind: 'internal', reason })
}
