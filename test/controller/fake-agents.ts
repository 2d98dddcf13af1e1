import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { formatAgentStatus } from '../../src/protocol/agent-status.ts'
import { type DesiredConfig, parseDesiredConfig } from '../../src/protocol/desired-config.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { parseRebootOrder } from '../../src/protocol/reboot-order.ts'

export type Outcome = 'applies' | 'rolls back' | 'works on' | 'says nothing'

export interface FakeAgentsOptions {
  readonly kube: KubeApi
  readonly now: () => number
  readonly signal: AbortSignal
  /** What comes of an assignment; everything applies unless told otherwise. */
  readonly outcome?: (node: string, desired: DesiredConfig) => Outcome
}

const names = namesFor()

/** An agent for every node, without a host: each answers an assignment at once, with one patch, as the protocol says. */
export async function runFakeAgents(options: FakeAgentsOptions): Promise<void> {
  const { kube, signal } = options
  const answered = new Map<string, string>()
  for await (const event of kube.follow('/api/v1/nodes', { project: (object) => object, signal })) {
    const nodes = event.type === 'sync' ? event.items : event.type === 'upsert' ? [event.item] : []
    for (const node of nodes) void answer(options, { node, answered })
  }
}

async function answer(
  { kube, now, outcome = () => 'applies' }: FakeAgentsOptions,
  { node, answered }: { readonly node: KubeObject; readonly answered: Map<string, string> },
): Promise<void> {
  const { name } = node.metadata
  const text = node.metadata.annotations?.[names.desiredConfig]
  if (text === undefined || answered.get(name) === text) return
  answered.set(name, text)
  const desired = understood(text)
  const result = desired && outcome(name, desired)
  if (!result || result === 'says nothing') return
  try {
    if (result === 'applies') await becomes(kube, { name, desired })
    const annotations = reportOf(result, { desired, text, now: now() })
    await kube.patch(`/api/v1/nodes/${name}`, { metadata: { annotations } })
  } catch {
    // The server is away: once it is back, the list shows the assignment again.
    answered.delete(name)
  }
}

function understood(text: string): DesiredConfig | undefined {
  try {
    return parseDesiredConfig(text)
  } catch {
    return undefined
  }
}

async function becomes(
  kube: KubeApi,
  { name, desired }: { readonly name: string; readonly desired: DesiredConfig },
): Promise<void> {
  const boot = parseRebootOrder(desired.REBOOT)?.boot
  const nodeInfo = {
    ...(desired.KUBELET_VERSION !== undefined && { kubeletVersion: `v${desired.KUBELET_VERSION}` }),
    // It is in no hurry to see that this boot has ended before.
    ...(boot !== undefined && { bootID: `after-${boot}` }),
  }
  if (Object.keys(nodeInfo).length === 0) return
  await kube.patch(`/api/v1/nodes/${name}/status`, { status: { nodeInfo } })
}

function reportOf(
  result: Exclude<Outcome, 'says nothing'>,
  { desired, text, now }: { readonly desired: DesiredConfig; readonly text: string; readonly now: number },
): Record<string, string> {
  const since = new Date(now).toISOString()
  const { DIGEST, ASSIGNED } = desired
  const about = {
    since,
    attempts: 1,
    ...(DIGEST !== undefined && { digest: DIGEST, assigned: DIGEST }),
    ...(ASSIGNED !== undefined && { assignedAt: ASSIGNED }),
  }
  if (result === 'applies')
    return {
      [names.currentConfig]: text,
      [names.status]: formatAgentStatus({ phase: 'Applied', ...about, ...(DIGEST !== undefined && { active: DIGEST }) }),
    }
  if (result === 'works on') return { [names.status]: formatAgentStatus({ phase: 'Applying', ...about }) }
  const error = { reason: 'HealthCheckFailed', message: 'failed to validate config: kubelet exited 3 times' }
  return { [names.status]: formatAgentStatus({ phase: 'RolledBack', ...about, error }) }
}
