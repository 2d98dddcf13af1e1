/**
 * `node bench/pass.ts [--nodes N]`: how long a pass of the controller takes to look at a large fleet, render it and decide, after a commit that
 * changes every node, when one node reported, and when nothing changed. Requests are not part of it. Figures are medians, in milliseconds.
 */

import type { StoredAccess } from '../src/controller/cache/access-objects.ts'
import type { CeilingView } from '../src/controller/cache/ceiling-schema.ts'
import type { ClusterCache } from '../src/controller/cache/cluster-cache.ts'
import { type ClusterNode, projectNode } from '../src/controller/cache/cluster-node.ts'
import type { ClusterSecret } from '../src/controller/cache/cluster-secret.ts'
import { projectNodePool } from '../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../src/controller/cache/object-cache.ts'
import type { StoredConfigMap } from '../src/controller/cache/stored-config-map.ts'
import { Decider } from '../src/controller/decider.ts'
import type { CompiledFleet } from '../src/controller/fleet/compiled-fleet.ts'
import { PoolRenderer } from '../src/controller/fleet/pool-renderer.ts'
import { createCompiler } from '../src/controller/revisions/compile.ts'
import { RevisionLibrary } from '../src/controller/revisions/revision-library.ts'
import { RevisionStore } from '../src/controller/revisions/revision-store.ts'
import { gather } from '../src/controller/snapshot/gather.ts'
import { NodeRoster } from '../src/controller/snapshot/node-roster.ts'
import { PoolSnapshots } from '../src/controller/snapshot/pool-snapshots.ts'
import { namesFor } from '../src/protocol/names.ts'
import type { RepoSnapshot } from '../src/protocol/repo-snapshot.ts'
import { FakeKube } from '../test/controller/fake-kube.ts'
import { atRest } from './support/at-rest.ts'
import { type Figure, median, print, readOptions, timed } from './support/report.ts'

const POOLS = 5
const RUNS = 9
const options = readOptions()
const count = options.nodes ?? 15_000
const NOW = Date.UTC(2026, 10, 21, 8)
const names = namesFor()

const compile = createCompiler({ namespace: 'nodewave-system' })
const before = compile(commit('a', 2))
const after = compile(commit('b', 4))
const cluster = clusterAt(before)

const figures = [
  await figure('all change', () => {
    const sources = sourcesWith([before, after])
    return () => look(sources, after)
  }),
]
const sources = sourcesWith([before])
await look(sources, before)
figures.push(await figure('nothing changes', () => () => look(sources, before)))
figures.push(
  await figure('one node changes', () => {
    heartbeat()
    return () => look(sources, before)
  }),
)
print(figures, options)

/** @param prepare is not part of the time */
async function figure(what: string, prepare: () => () => Promise<void>): Promise<Figure> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run += 1) times.push(await timed(prepare()))
  return { name: `a pass over ${count} nodes in ${POOLS} pools: ${what}`, value: median(times), unit: 'ms' }
}

async function look(sources: ReturnType<typeof sourcesWith>, fleet: CompiledFleet): Promise<void> {
  const gathered = await gather({ ...sources, ...atRest(sources.cluster.pools) }, { fleet })
  sources.decider.decide(gathered.fleet, NOW)
}

/** A node that comes back to what it was, as a new view. */
function heartbeat(): void {
  const node = cluster.nodes.get('node-7')
  if (node)
    cluster.nodes.observe({
      type: 'sync',
      items: [...cluster.nodes.items.values()].map((other) => (other === node ? { ...node, view: { ...node.view } } : other)),
    })
}

function sourcesWith(fleets: readonly CompiledFleet[]) {
  const store = new RevisionStore({ kube: new FakeKube(), namespace: '', configMaps: cluster.revisions, now: () => 0 })
  const library = new RevisionLibrary({ store, compile, log: () => undefined })
  for (const fleet of fleets) library.add(fleet)
  return {
    cluster,
    drains: { follow: () => {}, podsOf: () => undefined },
    library,
    renderer: new PoolRenderer(),
    snapshots: new PoolSnapshots(),
    roster: new NodeRoster(),
    decider: new Decider(),
  }
}

/** Every node runs what the fleet says, and every pool has completed it. */
function clusterAt(fleet: CompiledFleet): ClusterCache {
  const nodes = new ObjectCache<ClusterNode>(() => undefined)
  const bare = Array.from({ length: count }, (_, index) => nodeObject(index, {}))
  nodes.observe({ type: 'sync', items: bare.map((object) => projectNode(names)(object)).map((node) => running(node, fleet)) })
  const pools = new ObjectCache<ReturnType<typeof projectNodePool>>(() => undefined)
  const items = [...fleet.pools.values()].map(({ name, fingerprint }) => {
    const ref = { revision: fleet.commit, fingerprint }
    const startedAt = new Date(NOW - 3_600_000).toISOString()
    const history = [{ ...ref, startedAt, endedAt: startedAt, result: 'Completed' }]
    const status = { target: ref, stable: ref, failed: [], rejected: [], conditions: [], history }
    return projectNodePool({ metadata: { name, resourceVersion: '1' }, status })
  })
  pools.observe({ type: 'sync', items })
  const configMaps = () => new ObjectCache<StoredConfigMap>(ignore)
  const controlPlane = { view: () => ({ nodes: [], instances: [], answers: ['v1.36.3'] }) }
  const [payloads, revisions, fleetMaps] = [configMaps(), configMaps(), configMaps()]
  const access = () => new ObjectCache<StoredAccess>(ignore)
  const [roles, bindings] = [access(), access()]
  const readNode = projectNode(names)
  return {
    nodes,
    readNode,
    pools,
    payloads,
    secrets: configMaps(),
    ceilings: new ObjectCache<CeilingView>(ignore),
    roles,
    bindings,
    revisions,
    hostSecrets: new ObjectCache<ClusterSecret>(ignore),
    revisionSecrets: configMaps(),
    fleet: fleetMaps,
    controlPlane,
    synced: Promise.resolve(),
  }
}

function ignore(): void {}

function running(node: ClusterNode, fleet: CompiledFleet): ClusterNode {
  const owner = fleet.ownerOf(node.facts)
  const rendered = owner.kind === 'owned' ? fleet.pools.get(owner.pool)?.render(node.facts) : undefined
  if (rendered?.kind !== 'config') throw new Error(`render node "${node.name}"`)
  const at = new Date(NOW - 3_600_000).toISOString()
  const desired = JSON.stringify({ ...rendered.desired, REVISION: fleet.commit, GRANT: 'restart', ASSIGNED: at })
  const { digest } = rendered
  const status = JSON.stringify({ phase: 'Applied', digest, assigned: digest, active: digest, assignedAt: at, since: at })
  const annotations = { [names.desiredConfig]: desired, [names.currentConfig]: desired, [names.status]: status }
  return projectNode(names)(nodeObject(Number(node.name.slice('node-'.length)), annotations))
}

function nodeObject(index: number, annotations: Record<string, string>) {
  const labels = { pool: `p${index % POOLS}`, 'topology.kubernetes.io/zone': `zone-${index % 3}`, rack: `r${index % 40}` }
  const lastTransitionTime = new Date(NOW - 86_400_000).toISOString()
  return {
    metadata: { name: `node-${index}`, resourceVersion: String(index), labels, annotations },
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }],
      nodeInfo: { kubeletVersion: 'v1.36.3', architecture: 'amd64', osImage: 'Debian GNU/Linux 12 (bookworm)' },
    },
  }
}

function commit(digit: string, verbosity: number): RepoSnapshot {
  const head = 'apiVersion: nodewave.io/v1alpha1\nkind:'
  const pools = Array.from(
    { length: POOLS },
    (_, pool) =>
      `${head} NodePool\nmetadata: {name: p${pool}}\nspec:\n  nodeSelector: {matchLabels: {pool: p${pool}}}\n` +
      `  kubelet: {flags: {v: ${verbosity}}}\n  rollout: {maxUnavailable: 10%}\n`,
  )
  const text = [`${head} Fleet\nmetadata: {name: fleet}\nspec: {}\n`, ...pools].join('---\n')
  return {
    commit: digit.repeat(40),
    author: { name: 'Ada', email: 'ada@example.com' },
    committedAt: NOW,
    message: 'change',
    parents: [],
    files: new Map([['fleet.yaml', { kind: 'file', bytes: Buffer.from(text) }]]),
  }
}
