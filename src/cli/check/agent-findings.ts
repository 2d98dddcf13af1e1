import { type Finding, ok, warned } from '../../agent/doctor/finding.ts'
import type { ClusterNode } from '../../controller/cache/cluster-node.ts'
import { counted, nameList } from '../paint.ts'

/** Whether the agents of all nodes that belong to a pool are there, say something, and are of this release. */
export function agentFindings(nodes: readonly ClusterNode[], { version }: { readonly version: string }): Finding[] {
  const managed = nodes.filter(({ poolLabel }) => poolLabel !== undefined)
  const silent = managed.filter(({ view }) => view.status === undefined)
  return [
    ...unmanaged(nodes),
    ...(silent.length === 0 ? [] : [silence(silent)]),
    ...(managed.length > silent.length ? [versions(managed, version)] : []),
  ]
}

function unmanaged(nodes: readonly ClusterNode[]): Finding[] {
  const others = nodes.filter(({ poolLabel }) => poolLabel === undefined)
  if (nodes.length === 0) return [warned('nodes', 'the cluster has none', 'join a node: docs/install.md')]
  if (others.length === 0) return [ok('nodes', `${counted(nodes.length, 'node')}, each in a pool`)]
  const message = `${others.length} of ${nodes.length} in no pool: ${nameList(others.map(({ name }) => name))}`
  return [warned('nodes', message, 'a pool takes them by its nodeSelector, if they are to be managed')]
}

function silence(silent: readonly ClusterNode[]): Finding {
  const names = nameList(silent.map(({ name }) => name))
  const message = `no agent has reported on ${counted(silent.length, 'node')}: ${names}`
  return warned('agents', message, 'install it there: docs/install.md; on the node: /opt/nodewave/current/nodewave-agent doctor')
}

const MOST_VERSIONS = 5

function versions(managed: readonly ClusterNode[], version: string): Finding {
  const found = agentVersions(managed)
  const told = versionCounts(found)
  if (found.length === 1 && found[0]?.version === version) return ok('agents', told)
  return warned('agents', `${told}; this release is ${version}`, 'upgrade the agents: docs/install.md')
}

export interface AgentVersion {
  readonly version: string
  readonly nodes: readonly string[]
}

/** Of the nodes whose agents report, the most frequent version first. */
export function agentVersions(nodes: readonly ClusterNode[]): AgentVersion[] {
  const reporting = nodes.filter(({ view }) => view.status !== undefined)
  const byVersion = Map.groupBy(reporting, ({ view }) => view.status?.agent ?? 'unknown')
  return [...byVersion]
    .map(([version, members]) => ({ version, nodes: members.map(({ name }) => name) }))
    .sort((one, other) => other.nodes.length - one.nodes.length)
}

/** `0.2.0 on 12 nodes, 0.1.0 on 1 node` */
export function versionCounts(versions: readonly AgentVersion[]): string {
  const counts = versions.map(({ version, nodes }) => `${version} on ${counted(nodes.length, 'node')}`)
  return nameList(counts, MOST_VERSIONS)
}
