import type { AgentTimes } from '../../simulate/agent-times.ts'
import { PROOF_TIME, type SimulatedCourse } from '../../simulate/simulate-fleet.ts'
import { formatCourse } from './simulation-text.ts'

/** What the figures rest on that nobody measured on these nodes. */
export function assumptionsOf({
  times,
  from,
  course,
  serverVersions,
}: {
  readonly times: AgentTimes
  readonly from: string
  readonly course: SimulatedCourse
  readonly serverVersions: readonly string[]
}): string[] {
  const { byGrant, download } = times
  const { disruptions } = course
  return [
    `every node is healthy and runs ${from === 'none' ? 'no commit yet' : from}; nothing else changes in the fleet`,
    `an agent needs ${formatCourse(byGrant.restart)} to restart the kubelet (--restart-time) and ${formatCourse(download)} to download another version (--download-time)`,
    ...(disruptions.podsEvicted > 0
      ? [
          `an evicted pod ends after ${formatCourse(times.podStop)} (--pod-stop-time); its replacement serves after ${formatCourse(times.podStart)} (--pod-start-time)`,
        ]
      : disruptions.drain > 0
        ? ['the drained nodes ran no pods (--pods), so drains took no time']
        : []),
    ...(disruptions.reboot > 0 ? [`a reboot takes ${formatCourse(byGrant.reboot)} (--reboot-time)`] : []),
    ...(course.proved ? [`the pod that proves a node has run after ${formatCourse(PROOF_TIME)}`] : []),
    ...(course.gated ? ['every gate passes at its first check'] : []),
    `API servers are at ${serverVersions.join(' and ')} (--server-version), and requests to them take no time`,
  ]
}
