import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import type { Failure } from '../transaction/journal.ts'
import { activeBlueprint } from '../transaction/prospect.ts'
import { readBaselines } from './baselines.ts'

/**
 * What of the agent's memory is damaged, or was written by another version of it. The host is left as it is in this respect; a new
 * assignment is applied all the same, and the annotation may be removed.
 */
export async function stateTrouble(context: AgentContext): Promise<Failure | undefined> {
  const { state, ports, kinds } = context
  if ((await activeBlueprint(context)) === 'unreadable')
    return {
      reason: 'ActiveUnreadable',
      message:
        'internal failure: this agent cannot read the configuration that is active here, so drift is not looked for; assign it again, or start the version of the agent that applied it',
    }
  try {
    const { foreign } = await readBaselines({ paths: state.paths, host: ports, kinds })
    const left = Object.entries(foreign).map(([collection, records]) => `${records.length} of "${collection}"`)
    if (left.length === 0) return undefined
    return {
      reason: 'KindUnknown',
      message: `internal failure: another version of the agent manages what this one does not know, and it is left as it is: ${left.join(', ')}`,
    }
  } catch (error) {
    if (error instanceof AgentError) return { reason: error.reason, message: error.message }
    throw error
  }
}
