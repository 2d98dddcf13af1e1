import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import type { GivenNode } from '../simulate/given-node.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo } from './cluster.ts'

/** A Node as the API server has it; what rendering does not look at is left out. */
const apiNode = z.object({
  kind: z.literal('Node').optional(),
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({ unschedulable: z.boolean().default(false) }).default({ unschedulable: false }),
  status: z
    .object({
      nodeInfo: z.object({ architecture: z.string(), osImage: z.string(), kubeletVersion: z.string() }).partial().default({}),
      addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    })
    .default({ nodeInfo: {}, addresses: [], conditions: [] }),
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
})

const nodesFile = z.union(
  [
    z
      .object({ kind: z.enum(['List', 'NodeList']).optional(), items: z.array(apiNode) })
      .transform(({ items }) => items.map(factsOf)),
    z.array(z.union([apiNode.transform(factsOf), plainNode])),
  ],
  'expected a NodeList, as `kubectl get nodes -o json` prints it, or a list of {name, labels, arch, osImage, internalIP, kubeletVersion}',
)

export interface NodeSource extends ClusterFlags {
  /** A file; `-` for stdin. */
  readonly nodes?: string | undefined
}

export function namesOf(nodes: readonly { readonly name: string }[]): string[] {
  return nodes.map(({ name }) => name)
}

/** From the file, or else from the cluster. @throws {Error} naming what cannot be read. */
export async function readNodes(io: CliIo, { nodes, ...cluster }: NodeSource): Promise<GivenNode[]> {
  return nodes === undefined ? nodesOfCluster(io, cluster) : nodesOfFile(nodes === '-' ? '/dev/stdin' : resolve(io.cwd, nodes))
}

async function nodesOfFile(path: string): Promise<GivenNode[]> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new Error(`failed to read nodes from "${path}": ${cause.code}`, { cause })
  })
  const result = nodesFile.safeParse(parseText(text, path))
  if (!result.success) throw new Error(`failed to read nodes from "${path}": ${result.error.issues[0]?.message}`)
  return result.data
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

async function nodesOfCluster(io: CliIo, cluster: ClusterFlags): Promise<GivenNode[]> {
  const kube = await connectTo(io, cluster)
  return (await kube.list('/api/v1/nodes', { project: (object) => factsOf(apiNode.parse(object)) })).items
}

function factsOf({ metadata, spec, status }: z.output<typeof apiNode>): GivenNode {
  return {
    name: metadata.name,
    labels: metadata.labels,
    arch: status.nodeInfo.architecture ?? '',
    osImage: status.nodeInfo.osImage ?? '',
    internalIP: status.addresses.find(({ type }) => type === 'InternalIP')?.address,
    kubeletVersion: status.nodeInfo.kubeletVersion,
    // A list that is cut to what rendering needs says nothing of it.
    ready: status.conditions.every(({ type, status: value }) => type !== 'Ready' || value === 'True'),
    unschedulable: spec.unschedulable,
  }
}
