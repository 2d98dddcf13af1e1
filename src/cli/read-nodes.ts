import { resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { projectNode } from '../controller/cache/cluster-node.ts'
import { parseRenderedFrom } from '../controller/cache/rendered-from.ts'
import type { KubeObject } from '../kube/kube-api.ts'
import { NoKubeconfigError } from '../kube/kubeconfig.ts'
import { parseAgentStatus } from '../protocol/agent-status.ts'
import { CGROUP_VERSIONS } from '../protocol/cgroup-version.ts'
import { type Names, namesFor } from '../protocol/names.ts'
import { capacityOf } from '../render/node-capacity.ts'
import type { GivenNode } from '../simulate/given-node.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo } from './cluster.ts'
import { readText } from './read-text.ts'

/** A Node as the API server has it; what rendering does not look at is left out. */
const apiNode = z.object({
  kind: z.literal('Node').optional(),
  metadata: z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({ unschedulable: z.boolean().default(false) }).default({ unschedulable: false }),
  status: z
    .object({
      nodeInfo: z.object({ architecture: z.string(), osImage: z.string(), kubeletVersion: z.string() }).partial().default({}),
      addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
      capacity: z.record(z.string(), z.unknown()).default({}),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    })
    .default({ nodeInfo: {}, addresses: [], capacity: {}, conditions: [] }),
})

/** What people write by hand. */
const plainNode = z.strictObject({
  name: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  arch: z.string().default('amd64'),
  osImage: z.string().default(''),
  internalIP: z.string().optional(),
  kubeletVersion: z.string().optional(),
  ready: z.boolean().default(true),
  unschedulable: z.boolean().default(false),
  cgroup: z.enum(CGROUP_VERSIONS).optional(),
  cpu: z.union([z.string(), z.number()]).optional(),
  memory: z.string().optional(),
})

const nodesFile = z.union(
  [
    z
      .object({ kind: z.enum(['List', 'NodeList']).optional(), items: z.array(apiNode) })
      .transform(({ items }) => items.map((object) => ({ object }))),
    z.array(z.union([apiNode.transform((object) => ({ object })), plainNode])),
  ],
  'expected a NodeList, as `kubectl get nodes -o json` prints it, or a list of {name, labels, arch, osImage, internalIP, kubeletVersion, cgroup, cpu, memory}',
)

export interface NodeSource extends ClusterFlags {
  /** A file; `-` for stdin. */
  readonly nodes?: string | undefined
  /** Of annotations on nodes. Default: that of nodewave. */
  readonly annotationPrefix?: string | undefined
}

export function namesOf(nodes: readonly { readonly name: string }[]): string[] {
  return nodes.map(({ name }) => name)
}

/** A file of nodes that has none. */
export class NoNodesError extends Error {
  override readonly name = 'NoNodesError'
}

/** From the file, or else from the cluster. @throws {Error} naming what cannot be read. */
export async function readNodes(io: CliIo, { nodes, annotationPrefix, ...cluster }: NodeSource): Promise<GivenNode[]> {
  const names = namesFor(annotationPrefix)
  if (nodes === undefined) return nodesOfCluster(io, cluster, names).catch(explainNoCluster)
  return nodesOfFile(nodes === '-' ? '/dev/stdin' : resolve(io.cwd, nodes), names)
}

function explainNoCluster(error: unknown): never {
  if (!(error instanceof NoKubeconfigError)) throw error
  throw new NoKubeconfigError(`${error.message}; without a cluster, name the nodes by --nodes FILE`)
}

async function nodesOfFile(path: string, names: Names): Promise<GivenNode[]> {
  const text = await readText(path).catch((cause) => {
    throw new Error(`failed to read nodes from "${path}": ${cause.code}`, { cause })
  })
  if (text.trim() === '') throw new NoNodesError(`"${path}" is empty; check that the command that wrote it reached a cluster`)
  const result = nodesFile.safeParse(parseText(text, path))
  if (!result.success) throw new Error(`failed to read nodes from "${path}": ${result.error.issues[0]?.message}`)
  if (result.data.length === 0) throw new NoNodesError(`"${path}" has no nodes: check the cluster that it was written from`)
  return result.data.map((node) => ('object' in node ? factsOf(node.object, names) : writtenNode(node)))
}

/** JSON first: a NodeList of a large fleet is many megabytes, for which a YAML parser takes minutes. */
function parseText(text: string, path: string): unknown {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : parse(text)
  } catch (cause) {
    throw new Error(
      `failed to read nodes from "${path}": it is neither JSON nor YAML; expected the output of kubectl get nodes -o json`,
      {
        cause,
      },
    )
  }
}

function writtenNode({ cpu, memory, ...node }: z.output<typeof plainNode>): GivenNode {
  return { ...node, ...capacityOf({ cpu, memory }) }
}

async function nodesOfCluster(io: CliIo, cluster: ClusterFlags, names: Names): Promise<GivenNode[]> {
  const kube = await connectTo(io, cluster)
  const assignment = assignmentWith(names)
  const project = (object: KubeObject) => ({ ...factsOf(apiNode.parse(object), names), assignment: assignment(object) })
  return (await kube.list('/api/v1/nodes', { project })).items
}

function assignmentWith(names: Names): (object: KubeObject) => NonNullable<GivenNode['assignment']> {
  const project = projectNode(names)
  return (object) => {
    const { assigned, assignedByHand } = project(object).view
    if (assigned) return { digest: assigned.digest }
    return assignedByHand ? 'ByHand' : 'None'
  }
}

function factsOf({ metadata, spec, status }: z.output<typeof apiNode>, names: Names): GivenNode {
  const { cgroup } = parseAgentStatus(metadata.annotations[names.status]) ?? {}
  const renderedFrom = parseRenderedFrom(metadata.annotations[names.renderedFrom])
  return {
    name: metadata.name,
    labels: metadata.labels,
    arch: status.nodeInfo.architecture ?? '',
    osImage: status.nodeInfo.osImage ?? '',
    internalIP: status.addresses.find(({ type }) => type === 'InternalIP')?.address,
    kubeletVersion: status.nodeInfo.kubeletVersion,
    ...capacityOf(status.capacity),
    // A list that is cut to what rendering needs says nothing of it.
    ready: status.conditions.every(({ type, status: value }) => type !== 'Ready' || value === 'True'),
    unschedulable: spec.unschedulable,
    ...(cgroup && { cgroup }),
    ...(renderedFrom && { renderedFrom }),
  }
}
