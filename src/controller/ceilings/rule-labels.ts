import { requirementsOf } from '../../protocol/node-selector.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'

/** An administrator marks a Node by such a label: whoever else writes or removes it could take the Node out of the rule. */
export function decidesOfRule(label: string, ceiling: Ceiling | undefined): boolean {
  if (!ceiling) return false
  if (ceiling.unreadable !== undefined) return true
  return ceiling.rules.some(({ nodeSelector }) => nodeSelector && requirementsOf(nodeSelector).some(({ key }) => key === label))
}
