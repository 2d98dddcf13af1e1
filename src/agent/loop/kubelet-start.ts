import { KUBELET_UNIT } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'
import type { Outcome } from '../state/state.ts'

/**
 * The outcome with the start of the kubelet by the present clock. One that was ahead, as on a machine that has just booted, leaves a start in the
 * future when it is put back: every heartbeat would look older than it. A start that has passed stays as it is: it is found by counting back from the
 * present, which is a little different each time.
 */
export async function withKubeletStart(
  outcome: Outcome,
  { services, clock }: Pick<AgentPorts, 'services' | 'clock'>,
): Promise<Outcome> {
  const { kubeletStartedAt } = outcome
  if (kubeletStartedAt === undefined || Date.parse(kubeletStartedAt) <= clock.now()) return outcome
  const { mainPid, runningFor } = await services.show(KUBELET_UNIT)
  return mainPid === 0 ? outcome : { ...outcome, kubeletStartedAt: new Date(clock.now() - runningFor).toISOString() }
}
