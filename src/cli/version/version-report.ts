import type { ClusterNode } from '../../controller/cache/cluster-node.ts'
import { type AgentVersion, agentVersions } from '../check/agent-findings.ts'
import type { Leader, Looked } from '../check/cluster-facts.ts'
import { withRemedy } from '../error-text.ts'
import { counted, nameList } from '../paint.ts'

export interface VersionFacts {
  readonly leader: Looked<Leader | undefined>
  readonly nodes: Looked<readonly ClusterNode[]>
}

/** Which releases run. Parts are absent without a cluster, or where they cannot be read. */
export interface VersionReport {
  readonly client: string
  /** Null: the cluster has no controller that elects a leader. */
  readonly controller?: { readonly version: string; readonly holder: string } | null | undefined
  readonly agents?: readonly (AgentVersion & { readonly count: number })[]
  /** Nodes of pools whose agents have not reported. */
  readonly withoutReport?: readonly string[]
  /** Which releases differ, each with what to do. */
  readonly skew: readonly string[]
  /** Why a part cannot be read. */
  readonly errors: readonly string[]
}

/** @param facts absent without a cluster */
export function versionReport(client: string, facts?: VersionFacts): VersionReport {
  if (facts === undefined) return { client, skew: [], errors: [] }
  const controller = 'value' in facts.leader ? controllerOf(facts.leader.value) : undefined
  const nodes = 'value' in facts.nodes ? facts.nodes.value : undefined
  const agents = nodes && agentVersions(nodes)
  return {
    client,
    ...(controller !== undefined && { controller }),
    ...(agents && { agents: agents.map(({ version, nodes }) => ({ version, count: nodes.length, nodes })) }),
    ...(nodes && { withoutReport: silentNodes(nodes) }),
    skew: [...clientSkew(client, controller), ...agentSkew(agents ?? [], { client, controller })],
    errors: [...errorOf('the controller', facts.leader), ...errorOf('the agents', facts.nodes)],
  }
}

function controllerOf(leader: Leader | undefined): { readonly version: string; readonly holder: string } | null {
  if (leader === undefined || leader.holder === '') return null
  return { version: leader.version ?? 'unknown', holder: leader.holder }
}

function silentNodes(nodes: readonly ClusterNode[]): string[] {
  return nodes.filter(({ poolLabel, view }) => poolLabel !== undefined && view.status === undefined).map(({ name }) => name)
}

function clientSkew(client: string, controller: VersionReport['controller']): string[] {
  if (!controller || controller.version === client) return []
  return [
    `this command is ${client}, the controller is ${controller.version}; use the command of the same release as the controller`,
  ]
}

/** Agents are compared with the controller that assigns to them; without one, with this command. */
function agentSkew(
  agents: readonly AgentVersion[],
  { client, controller }: Pick<VersionReport, 'client' | 'controller'>,
): string[] {
  const [other, whose] = controller ? [controller.version, 'the controller'] : [client, 'this command']
  return agents
    .filter(({ version }) => version !== other)
    .map(
      ({ version, nodes }) =>
        `${counted(nodes.length, 'agent')} of version ${version} (${nameList(nodes)}), ${whose} is ${other}; install one release: docs/install.md`,
    )
}

function errorOf(what: string, looked: Looked<unknown>): string[] {
  return 'error' in looked ? [withRemedy(`failed to read the version of ${what}: ${looked.error}`, looked.code)] : []
}
