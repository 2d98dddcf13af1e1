import { kubeNodeApi } from '../../src/agent/adapters/kube-node-api.ts'
import type { OwnNode } from '../../src/agent/ports.ts'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
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
 * another version, the kubelet that is not there says so too: one patch of the Node's status. The watch has to show a patch before the
 * next is sent: agents take seconds from one to the other, and an API server whose cache does not hold the Node yet does the next twice.
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
  const next = anAgent(fails)
  let written = 0n
  for await (const seen of kubeNodeApi(kube, name).follow(signal)) {
    if (BigInt(seen.version) < written) continue
    const patch = next(seen)
    if (patch === undefined) continue
    writes.count += 1
    // At no version: kwok writes the same Nodes all the time.
    const path = `/api/v1/nodes/${name}${'status' in patch ? '/status' : ''}`
    const { metadata } = await kube.patch<KubeObject>(path, patch)
    written = BigInt(metadata.resourceVersion ?? '0')
  }
}

type Patch = { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } } | { readonly status: object }

/** @returns what the agent, or its kubelet, writes next when its Node is seen; undefined: nothing */
function anAgent(fails: (assignment: string) => boolean): (seen: OwnNode) => Patch | undefined {
  let taken: string | undefined
  let done: string | undefined
  let active: string | undefined
  let version: string | undefined
  return ({ annotations, kubeletVersion }) => {
    const text = annotations[names.desiredConfig]
    if (text !== undefined && text !== taken) {
      taken = text
      if (!fails(text)) version = versionIn(text) ?? version
      return reported({ phase: 'Applying', ...aboutAssignment(text) })
    }
    // Also when kwok has written a Node that was not Ready out of an older copy of it: a kubelet would say again what it is, too.
    if (version !== undefined && version !== kubeletVersion) return { status: { nodeInfo: { kubeletVersion: version } } }
    if (taken === undefined || taken === done) return undefined
    done = taken
    const about = aboutAssignment(taken)
    if (fails(taken)) return reported({ phase: 'RolledBack', ...about, ...(active !== undefined && { active }), error: FAILURE })
    active = about.digest
    return reported({ phase: 'Applied', ...about, ...(active !== undefined && { active }) }, { [names.currentConfig]: taken })
  }
}

function reported(status: AgentStatus, more: Readonly<Record<string, string>> = {}): Patch {
  return { metadata: { annotations: { [names.status]: formatAgentStatus(status), ...more } } }
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
