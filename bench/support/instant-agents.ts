import { kubeNodeApi } from '../../src/agent/adapters/kube-node-api.ts'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { type AgentStatus, formatAgentStatus } from '../../src/protocol/agent-status.ts'
import { parseDesiredConfig } from '../../src/protocol/desired-config.ts'
import { namesFor } from '../../src/protocol/names.ts'

const names = namesFor()

/** Counts what the agents wrote. */
export interface AgentWrites {
  count: number
}

export interface InstantAgents {
  readonly nodes: readonly string[]
  readonly signal: AbortSignal
  /** Whether the change to an assignment fails; its text is given. Default: none does. */
  readonly fails?: (assignment: string) => boolean
}

/**
 * Agents without hosts, each with a watch on its own Node: an assignment is taken and done at once, one patch each. Where it asks for
 * another version, the kubelet that is not there says so too: one patch of the Node's status.
 */
export function startInstantAgents(kube: KubeApi, { nodes, signal, fails = () => false }: InstantAgents): AgentWrites {
  const writes = { count: 0 }
  for (const name of nodes) {
    run(kube, { name, writes, signal, fails }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
  return writes
}

interface Running {
  readonly name: string
  readonly writes: AgentWrites
  readonly signal: AbortSignal
  readonly fails: (assignment: string) => boolean
}

async function run(kube: KubeApi, { name, writes, signal, fails }: Running): Promise<void> {
  const node = kubeNodeApi(kube, name)
  let answered: string | undefined
  let running: string | undefined
  let said: string | undefined
  let active: string | undefined
  const show = (version: string | undefined) => {
    running = version
    writes.count += 1
    return kube.patch(`/api/v1/nodes/${name}/status`, { status: { nodeInfo: { kubeletVersion: version } } })
  }
  // At no version: kwok writes the same Nodes all the time.
  const annotate = (annotations: Readonly<Record<string, string>>) =>
    kube.patch(`/api/v1/nodes/${name}`, { metadata: { annotations } })
  for await (const { annotations, kubeletVersion } of node.follow(signal)) {
    // kwok writes a Node that was not Ready again, out of an older copy of it. A kubelet would say again what it is, too; events from before
    // this agent's last report are older than what it showed.
    const isNewer = annotations[names.status] === said
    if (isNewer && running !== undefined && running !== kubeletVersion) await show(running)
    const text = annotations[names.desiredConfig]
    if (text === undefined || text === answered) continue
    answered = text
    const about = aboutAssignment(text)
    const version = versionIn(text) ?? kubeletVersion
    writes.count += 2
    await annotate({ [names.status]: formatAgentStatus({ phase: 'Applying', ...about }) })
    if (fails(text)) {
      said = formatAgentStatus({ phase: 'RolledBack', ...about, ...(active !== undefined && { active }), error: FAILURE })
      await annotate({ [names.status]: said })
      continue
    }
    active = about.digest
    if (version !== kubeletVersion) await show(version)
    const applied = formatAgentStatus({ phase: 'Applied', ...about, ...(about.digest !== undefined && { active: about.digest }) })
    said = applied
    await annotate({ [names.status]: applied, [names.currentConfig]: text })
  }
}

const FAILURE = { reason: 'HealthCheckFailed', message: 'kubelet exited 3 times: unknown flag: --made-up' }

/** As kubelets spell it. */
function versionIn(text: string): string | undefined {
  return parseDesiredConfig(text).KUBELET_VERSION?.replace(/^v?/, 'v')
}

function aboutAssignment(text: string): Omit<AgentStatus, 'phase'> {
  const { DIGEST, REVISION, ASSIGNED } = parseDesiredConfig(text)
  return {
    since: new Date().toISOString(),
    attempts: 1,
    ...(DIGEST !== undefined && { digest: DIGEST, assigned: DIGEST }),
    ...(REVISION !== undefined && { revision: REVISION }),
    ...(ASSIGNED !== undefined && { assignedAt: ASSIGNED }),
  }
}
