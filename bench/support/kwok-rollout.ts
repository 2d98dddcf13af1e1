import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { API_GROUP, API_VERSION, NODEPOOLS, namesFor } from '../../src/protocol/names.ts'
import type { NodePoolStatus } from '../../src/protocol/node-pool.ts'
import { type Request, recordRequests } from '../../test/e2e/cluster/audit.ts'
import type { Cluster } from '../../test/e2e/cluster/cluster.ts'
import { CONTROLLER } from '../../test/e2e/product/controller.ts'
import type { FleetOptions } from '../../test/e2e/product/fleet.ts'
import { completed } from '../../test/e2e/product/pool.ts'
import type { Product } from '../../test/e2e/product/product.ts'
import { whenSeen } from './cluster.ts'
import { clusterCpu, cpuBetween } from './cluster-processes.ts'
import { usageOf } from './process-usage.ts'
import type { Deliver } from './push-deliveries.ts'

export interface Subject {
  readonly cluster: Cluster
  readonly product: Product
  readonly kube: KubeApi
  /** Nodes. */
  readonly count: number
  readonly deliver: Deliver
}

/** What a commit cost, from the end of `git push` until its pool was Completed. Times in milliseconds. */
export interface Rollout {
  readonly load: number
  readonly firstAssigned: number
  readonly completed: number
  readonly requests: readonly Request[]
  /** Processor time of the controller; of this process, which is all agents; of the control plane with kwok. */
  readonly cpu: { readonly controller: number; readonly agents: number; readonly servers: number }
}

const names = namesFor()

/** Milliseconds, and so many more for each node. */
const LIMIT = 180_000
const LIMIT_PER_NODE = 150

export async function measureRollout(subject: Subject, fleet: FleetOptions): Promise<Rollout> {
  const { cluster, product, deliver } = subject
  const load = loadavg()[0] ?? 0
  const { pid } = product.controller
  const requests = await recordRequests(cluster.slot)
  const servers = () => clusterCpu(cluster.slot)
  const before = { controller: (await usageOf(pid)).cpu, agents: process.cpuUsage(), servers: await servers() }
  const commit = await product.push(fleet, 'roll out')
  const pushed = { at: performance.now(), date: Date.now() }
  await deliver(commit)
  const end = await whenCompleted(subject, commit)
  const cpu = {
    controller: (await usageOf(pid)).cpu - before.controller,
    agents: milliseconds(process.cpuUsage(before.agents)),
    servers: cpuBetween(before.servers, await servers()),
  }
  const all = await requests()
  const first = all.find(({ user, verb, resource }) => user === CONTROLLER && verb === 'patch' && resource === 'nodes')
  return { load, firstAssigned: (first?.at ?? Number.NaN) - pushed.date, completed: end - pushed.at, requests: all, cpu }
}

/** The time at which it is seen. @throws when it takes too long, with what the pool and the controller say. */
async function whenCompleted({ cluster, product, kube, count }: Subject, commit: string): Promise<number> {
  const isCompleted = completed(commit)
  const seen = whenSeen(kube, {
    path: `/apis/${API_GROUP}/${API_VERSION}/${NODEPOOLS}`,
    wanted: ({ status }) => status !== undefined && isCompleted(status as NodePoolStatus),
  })
  const ended = new AbortController()
  const patience = LIMIT + count * LIMIT_PER_NODE
  const limit = sleep(patience, undefined, { signal: ended.signal }).then(async () => {
    const status = await cluster.kubectl(['get', 'nodepool', 'workers', '-o', 'jsonpath={.status}'])
    const log = product.controller.log().split('\n').slice(-20).join('\n')
    const behind = await nodesBehind(cluster, commit)
    throw new Error(`wait for ${commit}: not Completed within ${patience / 1000} s; the pool says ${status}\n${behind}\n${log}`)
  })
  try {
    return await Promise.race([seen, limit])
  } finally {
    ended.abort()
  }
}

interface NodeOfKwok {
  readonly metadata: {
    readonly name: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly managedFields?: readonly { readonly manager: string; readonly time: string; readonly fieldsV1: object }[]
  }
  readonly status: { readonly nodeInfo: { readonly kubeletVersion: string } }
}

/** What nodes say that have not come to the commit's version, and who wrote the version that they have. */
async function nodesBehind(cluster: Cluster, commit: string): Promise<string> {
  const { items } = await cluster.api.ask<{ items: readonly NodeOfKwok[] }>('/api/v1/nodes')
  const lines = items.flatMap(({ metadata: { name, annotations = {}, managedFields = [] }, status: { nodeInfo } }) => {
    const desired = annotations[names.desiredConfig] ?? ''
    const [, version] = /"KUBELET_VERSION":"([^"]+)"/.exec(desired) ?? []
    const done =
      desired.includes(commit) &&
      annotations[names.status]?.includes('"Applied"') &&
      nodeInfo.kubeletVersion.endsWith(version ?? '')
    const writers = managedFields.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('kubeletVersion'))
    const wrote = writers.map(({ manager, time }) => `${manager} at ${time}`).join(', ')
    return done ? [] : [`${name} shows ${nodeInfo.kubeletVersion}, by ${wrote}; ${annotations[names.status]}; ${desired}`]
  })
  return [`${lines.length} nodes are behind`, ...lines.slice(0, 10)].join('\n')
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}
