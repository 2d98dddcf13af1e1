import type { AgentContext } from '../context.ts'
import { parseAssignment } from './fetch.ts'
import type { Wanted } from './node-watch.ts'
import { isAskingToGoBack } from './went-bad.ts'

/**
 * Takes an assignment for what it is when the host waits to be allowed to go back: the same content, with a greater disruption. To apply it would mean to
 * try again what went bad.
 */
export async function allowsWayBack(wanted: Wanted | undefined, { state, turns }: AgentContext): Promise<boolean> {
  return turns.exclusively(async () => {
    const outcome = await state.outcome()
    if (!wanted?.text || outcome === undefined || !isAskingToGoBack(outcome) || outcome.assignment === wanted.text) return false
    if (outcome.digest === undefined || digestIn(wanted.text) !== outcome.digest) return false
    await state.setOutcome({ ...outcome, assignment: wanted.text, node: wanted.node })
    return true
  })
}

function digestIn(text: string): string | undefined {
  try {
    return parseAssignment(text).DIGEST
  } catch {
    return undefined
  }
}
