import type { Disruption } from '../../protocol/desired-config.ts'
import type { Candidate } from '../model/candidate.ts'

/** How much its next assignment disturbs it: what the agent found out counts more than what was rendered. */
export function disruptionOf({ wanted, assigned, report, reboot }: Candidate): Disruption {
  if (reboot !== undefined) return 'reboot'
  return (assigned && report?.needs) || (wanted.kind === 'config' ? wanted.disruption : 'none')
}
