import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'

/**
 * A cluster that was restored from a backup shows what was assigned by then, on all Nodes at the same time: nothing older than what was
 * taken up last is taken up. Of another Node of this machine, and of an assignment without a stamp, nothing is known.
 * @throws {AgentError} the host stays as it is, until the controller assigns again
 */
export async function enforceOrder(
  { text, node }: { readonly text: string; readonly node: string },
  { state }: Pick<AgentContext, 'state'>,
): Promise<void> {
  const digest = await state.digest('assigned')
  if (digest === undefined || (await state.outcome())?.node !== node) return
  const { ASSIGNED: last } = (await state.restore(digest))?.desired ?? {}
  const { ASSIGNED: given, DIGEST } = parseDesiredConfig(text)
  // What was taken up last disturbs nothing.
  if (DIGEST === digest || !isBefore(given, last)) return
  throw new AgentError(
    `refuse the desired-config: it was assigned at ${given}, and one of ${last} was taken up before; an older one comes back when the cluster is restored from a backup, and the controller assigns again by waves`,
    { kind: 'load', reason: 'AssignmentOutdated' },
  )
}

function isBefore(given: string | undefined, last: string | undefined): boolean {
  return given !== undefined && last !== undefined && Date.parse(given) < Date.parse(last)
}
