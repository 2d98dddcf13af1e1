import { factsOf } from '../controller/cache/cluster-node.ts'
import { NODEPOOL_API_VERSION, nodePoolsPath } from '../controller/cache/node-pool-view.ts'
import { ObjectCache } from '../controller/cache/object-cache.ts'
import type { StoredConfigMap } from '../controller/cache/stored-config-map.ts'
import type { CompiledFleet, CompiledPool } from '../controller/fleet/compiled-fleet.ts'
import type { ControllerSettings } from '../controller/ports.ts'
import { RevisionStore } from '../controller/revisions/revision-store.ts'
import type { KubeApi, KubeObject } from '../kube/kube-api.ts'
import { type DesiredConfig, formatDesiredConfig, parseDesiredConfig } from '../protocol/desired-config.ts'
import { MANAGER, OBJECT_KEYS } from '../protocol/names.ts'
import type { NodePoolStatus } from '../protocol/node-pool.ts'
import { readOnce } from '../protocol/read-once.ts'
import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { NO_MEMORY } from '../rollout/model/snapshot.ts'
import { LightAgent } from '../sim/fleet/light-agent.ts'

export interface Beginning {
  readonly kube: KubeApi
  readonly settings: ControllerSettings
  /** Milliseconds since the epoch. */
  readonly now: number
  /** What the fleet has completed. */
  readonly snapshot: RepoSnapshot
  readonly fleet: CompiledFleet
}

const NODES = '/api/v1/nodes'
const LONG_AGO = 24 * 60 * 60_000

/** Puts a fleet into the cluster that has completed a commit: every node runs what it says, and the pools have it on record. */
export async function beginAt(beginning: Beginning, nodes: readonly KubeObject[]): Promise<void> {
  const { kube, settings, now, snapshot, fleet } = beginning
  const configMaps = new ObjectCache<StoredConfigMap>(() => {})
  const store = new RevisionStore({ kube, namespace: settings.revisionsNamespace, configMaps, now: () => now })
  await store.put({ ...snapshot, files: fleet.files })
  for (const pool of fleet.pools.values()) await putPool(beginning, pool)
  const settled = settling(beginning)
  for (const node of nodes) await kube.create(NODES, settled(node))
}

/** What an agent reports of an assignment of before: the same for all nodes that bear the same one. */
function settledReports({ settings: { names }, now }: Beginning): (assignment: string) => ReturnType<LightAgent['report']> {
  const at = longBefore(now)
  return readOnce((text) => {
    const desired = parseDesiredConfig(text)
    return new LightAgent(names).settle({ text, desired }, at).report(desired.KUBELET_VERSION)
  })
}

function longBefore(now: number): string {
  return new Date(now - LONG_AGO).toISOString()
}

/** Puts nodes into a cluster in which no commit was accepted yet. */
export async function beginNew(kube: KubeApi, nodes: readonly KubeObject[]): Promise<void> {
  for (const node of nodes) await kube.create(NODES, node)
}

/** A node of no pool stays as it was given. */
function settling(beginning: Beginning): (node: KubeObject) => object {
  const { settings, now, fleet } = beginning
  const { names } = settings
  const reportOn = settledReports(beginning)
  return (node) => {
    const facts = factsOf(node)
    const owner = fleet.ownerOf(facts)
    if (owner.kind !== 'owned') return node
    const rendered = fleet.pools.get(owner.pool)?.render(facts)
    if (rendered?.kind !== 'config') return node
    const { desired, version } = rendered
    const assigned: DesiredConfig = { ...desired, REVISION: fleet.commit, GRANT: 'restart', ASSIGNED: longBefore(now) }
    const text = formatDesiredConfig(assigned)
    const annotations = { [names.desiredConfig]: text, ...reportOn(text) }
    const metadata = {
      ...node.metadata,
      labels: { ...node.metadata.labels, [names.pool]: owner.pool },
      annotations: { ...node.metadata.annotations, ...annotations },
    }
    return { ...node, metadata, ...(version !== undefined && { status: withVersion(node, version) }) }
  }
}

function withVersion({ status }: KubeObject, version: string): object {
  const { nodeInfo } = status as { readonly nodeInfo?: object }
  return { ...(status as object), nodeInfo: { ...nodeInfo, kubeletVersion: `v${version.replace(/^v/, '')}` } }
}

async function putPool({ kube, now, fleet }: Beginning, { name, spec, fingerprint }: CompiledPool): Promise<void> {
  const ref = { revision: fleet.commit, fingerprint }
  const at = longBefore(now)
  const status: NodePoolStatus = {
    observedRevision: fleet.commit,
    target: ref,
    stable: ref,
    nodes: { total: 0, current: 0, byPhase: {} },
    ...NO_MEMORY,
    rollbackTo: [],
    history: [{ ...ref, startedAt: at, endedAt: at, result: 'Completed' }],
  }
  const metadata = { name, labels: { [OBJECT_KEYS.managedBy]: MANAGER } }
  const made = await kube.create<KubeObject>(nodePoolsPath(), {
    apiVersion: NODEPOOL_API_VERSION,
    kind: 'NodePool',
    metadata,
    spec,
  })
  await kube.replace(`${nodePoolsPath(name)}/status`, { ...made, status })
}
