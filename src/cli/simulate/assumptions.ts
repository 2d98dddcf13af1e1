import type { AgentTimes } from '../../simulate/agent-times.ts'
import { PROOF_TIME, type SimulatedRollout } from '../../simulate/simulate-fleet.ts'
import { formatSpan } from './simulation-text.ts'

/** What the figures rest on that nobody measured on these nodes. */
export function assumptionsOf({
  times,
  from,
  simulated,
  serverVersions,
}: {
  readonly times: AgentTimes
  readonly from: string
  readonly simulated: SimulatedRollout
  readonly serverVersions: readonly string[]
}): string[] {
  const { byDisruption, download } = times
  const { disruptions } = simulated
  return [
    `every node is healthy and runs ${from === 'none' ? 'no commit yet' : from}; nothing else changes in the fleet`,
    `an agent needs ${formatSpan(byDisruption.restart)} to restart the kubelet (--restart-time) and ${formatSpan(download)} to download another version (--download-time)`,
    ...(disruptions.podsEvicted > 0
      ? [
          `an evicted pod ends after ${formatSpan(times.podStop)} (--pod-stop-time); its replacement serves after ${formatSpan(times.podStart)} (--pod-start-time)`,
        ]
      : disruptions.drain > 0
        ? ['the drained nodes ran no pods (--pods), so drains took no time']
        : []),
    ...(disruptions.reboot > 0 ? [`a reboot takes ${formatSpan(byDisruption.reboot)} (--reboot-time)`] : []),
    ...(simulated.proved ? [`the pod that proves a node has run after ${formatSpan(PROOF_TIME)}`] : []),
    ...(simulated.gated ? ['every gate passes at its first check'] : []),
    `API servers are at ${serverVersions.join(' and ')} (--server-version), and requests to them take no time`,
  ]
}
