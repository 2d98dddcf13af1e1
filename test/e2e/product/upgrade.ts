/** An upgrade of all nodes of a cluster, for scenarios in which something happens in the middle of it. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { check } from '../scenario.ts'
import type { Timeline } from '../timeline.ts'
import { firstAssigned } from './course.ts'
import { type Product, productOn } from './product.ts'

export interface Begun {
  readonly product: Product
  readonly commit: string
  readonly version: string
  /** The first that was assigned the commit. */
  readonly node: Node
}

/** Push the version that the nodes do not have: to and fro is one upgrade less than to begin again each time. */
export async function beginUpgrade(cluster: Cluster, timeline: Timeline): Promise<Begun> {
  const product = await productOn(cluster)
  const [from, version] = (await versionsOf(cluster)).includes(versions.kubernetes)
    ? [versions.kubernetes, versions.olderKubelet]
    : [versions.olderKubelet, versions.kubernetes]
  await product.settle({ version: from })
  const commit = await product.push({ version }, `kubelet ${version}`)
  return { product, commit, version, node: cluster.node(await firstAssigned(timeline, commit)) }
}

async function versionsOf({ nodes }: Cluster): Promise<string[]> {
  return Promise.all(nodes.map(async (node) => (await node.get()).status.nodeInfo.kubeletVersion.replace(/^v/, '')))
}

export async function allAt(cluster: Cluster, version: string): Promise<void> {
  const found = await versionsOf(cluster)
  check(
    `all nodes run ${version}`,
    found.every((kubelet) => kubelet === version),
    found,
  )
}
