import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import type { ApiNodeFacts, ImportSubject, JsonObject } from '../../import/subject.ts'
import type { KubeApi } from '../../kube/kube-api.ts'
import { byText } from '../../protocol/by-text.ts'
import { type HostInventory, hostInventory } from '../../protocol/host-inventory.ts'
import { DNS_SUBDOMAIN } from '../../repo/schema/values.ts'
import type { CliIo } from '../cli-io.ts'
import { type ClusterFlags, connectTo } from '../cluster.ts'
import { errorText } from '../error-text.ts'
import type { Progress } from '../progress.ts'
import { barText } from '../progress-bar.ts'
import { readText } from '../read-text.ts'

/** Requests to kubelets at once. */
const AT_ONCE = 8

/** It becomes a part of paths and commands: neither a file of nodes nor a server leads out of them. */
const nodeName = z.string().regex(new RegExp(`^${DNS_SUBDOMAIN}$`), 'expected the name of a Node')
const apiNode = z.object({
  metadata: z.object({ name: nodeName, labels: z.record(z.string(), z.string()).default({}) }),
  spec: z
    .object({ taints: z.array(z.object({ key: z.string(), value: z.string().optional(), effect: z.string() })).default([]) })
    .default({ taints: [] }),
  status: z
    .object({
      nodeInfo: z.object({ kubeletVersion: z.string() }).partial().default({}),
      addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
    })
    .default({ nodeInfo: {}, addresses: [] }),
})
const nodeList = z.object({ items: z.array(apiNode) })
const configz = z.object({ kubeletconfig: z.record(z.string(), z.json()) })

export interface SubjectSource extends ClusterFlags {
  readonly nodes?: string
  readonly host: readonly string[]
  readonly configz: boolean
}

export interface Subjects {
  readonly subjects: readonly ImportSubject[]
  /** What could not be asked, for people. */
  readonly warnings: readonly string[]
}

/** @throws {Error} naming a file that cannot be used, or an inventory of no node */
export async function readSubjects(io: CliIo, source: SubjectSource, progress: Progress): Promise<Subjects> {
  const inventories = await readInventories(io, source.host)
  const { nodes, warnings } = source.nodes === undefined ? await ofCluster(io, source, progress) : await ofFile(io, source.nodes)
  const stranger = [...inventories.keys()].find((name) => !nodes.some((node) => node.name === name))
  if (stranger !== undefined)
    throw new Error(
      `no Node "${stranger}", of which there is an inventory; give "nodewave agent import" the name with --node-name`,
    )
  const subjects = nodes.map((node): ImportSubject => ({ node, inventory: inventories.get(node.name) }))
  return { subjects: subjects.sort(byText(({ node }) => node.name)), warnings }
}

async function ofFile(io: CliIo, path: string): Promise<{ nodes: ApiNodeFacts[]; warnings: string[] }> {
  const list = await readJson(path === '-' ? '/dev/stdin' : resolve(io.cwd, path), 'nodes')
  return { nodes: nodesIn(list, `"${path}"`), warnings: [] }
}

function nodesIn(list: unknown, source: string): ApiNodeFacts[] {
  const parsed = nodeList.safeParse(list)
  if (parsed.success) return parsed.data.items.map(factsOf)
  throw new Error(
    `failed to read nodes from ${source}: expected the output of kubectl get nodes -o json; ${placeOf(parsed.error)}`,
  )
}

async function ofCluster(
  io: CliIo,
  source: SubjectSource,
  progress: Progress,
): Promise<{ nodes: ApiNodeFacts[]; warnings: string[] }> {
  const kube = await connectTo(io, source)
  const listed = await kube.list('/api/v1/nodes', { project: (object) => object })
  const items = nodesIn(listed, 'the cluster')
  if (!source.configz) return { nodes: items, warnings: [] }
  const failures: string[] = []
  const began = io.now()
  const nodes = await inTurns(items, async (node, done) => {
    progress.tell(`configuration of kubelets: ${barText({ done, total: items.length, elapsed: io.now() - began })}`)
    const asked = await askConfigz(kube, node.name).catch(
      (error: unknown) => void failures.push(`${node.name}: ${errorText(error)}`),
    )
    return asked ? { ...node, configz: asked } : node
  })
  return { nodes, warnings: failures.length === 0 ? [] : [unasked(failures)] }
}

function unasked([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `the configuration that kubelets run with is not compared, since the API server does not pass it on (${first}${more}); it needs the right to get nodes/proxy`
}

async function askConfigz(kube: KubeApi, name: string): Promise<JsonObject> {
  const answer = await kube.get(`/api/v1/nodes/${encodeURIComponent(name)}/proxy/configz`, { timeout: 10_000 })
  return configz.parse(answer).kubeletconfig as JsonObject
}

async function inTurns<T>(items: readonly T[], work: (item: T, done: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map((item) => work(item, at)))))
  return results
}

function factsOf({ metadata, spec, status }: z.output<typeof apiNode>): ApiNodeFacts {
  return {
    ...{ name: metadata.name, labels: metadata.labels, taints: spec.taints },
    version: (status.nodeInfo.kubeletVersion ?? '').replace(/^v/, ''),
    internalIP: status.addresses.find(({ type }) => type === 'InternalIP')?.address,
  }
}

/** By the name of their Node. */
async function readInventories(io: CliIo, paths: readonly string[]): Promise<ReadonlyMap<string, HostInventory>> {
  const found = new Map<string, HostInventory>()
  for (const path of await filesIn(paths.map((each) => resolve(io.cwd, each)))) {
    const parsed = z.safeParse(hostInventory, await readJson(path, 'the inventory of a host'))
    if (!parsed.success)
      throw new Error(`failed to read "${path}": expected what "nodewave agent import" prints; ${placeOf(parsed.error)}`)
    if (found.has(parsed.data.node))
      throw new Error(`"${path}" is another inventory of "${parsed.data.node}"; give one for each node`)
    found.set(parsed.data.node, parsed.data)
  }
  return found
}

function placeOf({ issues: [issue] }: z.core.$ZodError): string {
  return `${issue?.path.join('.') || 'the document'}: ${issue?.message}`
}

/** Of a folder, its JSON files. */
async function filesIn(paths: readonly string[]): Promise<string[]> {
  const found = paths.map(async (path) => {
    const isFolder = await stat(path).then(
      (entry) => entry.isDirectory(),
      () => false,
    )
    if (!isFolder) return [path]
    return (await readdir(path))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(path, name))
  })
  return (await Promise.all(found)).flat()
}

async function readJson(path: string, what: string): Promise<unknown> {
  const text = await readText(path).catch((cause) => {
    throw new Error(`failed to read ${what} from "${path}": ${cause.code}`, { cause })
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`failed to read ${what} from "${path}": it is no JSON`, { cause })
  }
}
