import type { AgentTimes } from '../../simulate/agent-times.ts'
import type { SimulatedCourse } from '../../simulate/simulate-fleet.ts'
import { lasting } from './simulation-text.ts'

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
    `every node is whole and runs what ${from} says; nothing else happens to the fleet meanwhile`,
    `an agent needs ${lasting(byGrant.restart)} where the kubelet restarts (--restart-time), ${lasting(download)} more for another version (--download-time)`,
    ...(disruptions.podsEvicted > 0
      ? [
          `an evicted pod needs ${lasting(times.podStop)} to end (--pod-stop-time) and ${lasting(times.podStart)} to serve elsewhere (--pod-start-time)`,
        ]
      : disruptions.drain > 0
        ? ['no pod was on the nodes that were drained (--pods), so that draining took no time']
        : []),
    ...(disruptions.reboot > 0 ? [`a reboot takes ${lasting(byGrant.reboot)} (--reboot-time)`] : []),
    ...(course.gated ? ['every gate holds as soon as it is asked'] : []),
    `API servers are at ${serverVersions.join(' and ')} (--server-version), and requests to them take no time`,
  ]
}
