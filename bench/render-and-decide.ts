/**
 * `node bench/render-and-decide.ts [--nodes N]`: what the controller thinks about a large fleet in five pools of the example, from the
 * caches that its watches fill to its decisions; nothing is sent anywhere. Medians.
 * All changed: a commit that nobody has seen before changes every node. Nothing changes: a pass over a fleet at rest. One node: the same
 * after one Node changed.
 */

import { type ClusterNode, projectNode } from '../src/controller/cache/cluster-node.ts'
import { NODEPOOL_API_VERSION, type NodePoolView, projectNodePool } from '../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../src/controller/cache/object-cache.ts'
import type { CeilingView } from '../src/controller/ceilings/ceiling-schema.ts'
import type { StoredConfigMap } from '../src/controller/config-maps/stored-config-map.ts'
import { Decider } from '../src/controller/decider.ts'
import type { StoredAccess } from '../src/controller/payload-access/access-objects.ts'
import { createCompiler } from '../src/controller/revisions/compile.ts'
import type { CompiledFleet } from '../src/controller/revisions/compiled-fleet.ts'
import { RevisionLibrary } from '../src/controller/revisions/revision-library.ts'
import { RevisionStore } from '../src/controller/revisions/revision-store.ts'
import type { ClusterSecret } from '../src/controller/secrets/cluster-secret.ts'
import { gather } from '../src/controller/snapshot/gather.ts'
import { PoolRenderer } from '../src/controller/snapshot/pool-renderer.ts'
import { PoolSnapshots } from '../src/controller/snapshot/pool-snapshots.ts'
import { createKubeClient } from '../src/kube/kube-client.ts'
import { formatAgentStatus } from '../src/protocol/agent-status.ts'
import { formatDesiredConfig } from '../src/protocol/desired-config.ts'
import { DEFAULT_NAMESPACE, DEFAULT_REVISIONS_NAMESPACE, namesFor } from '../src/protocol/names.ts'
import type { Decision } from '../src/rollout/model/decision.ts'
import { atRest } from './support/at-rest.ts'
import { exampleCommit, POOL_LABELS } from './support/example-fleet.ts'
import { aNode } from './support/nodes.ts'
import { median, print, readOptions, timed } from './support/report.ts'

const RUNS = 9
const NOW = Date.parse('2026-11-21T08:00:00Z')
const names = namesFor()
const options = readOptions()
const count = options.nodes ?? 15_000

const ignore = (): void => {}
const CONTROL_PLANE = { nodes: [], instances: [], answers: ['v1.36.3'] }
const nodes = new ObjectCache<ClusterNode>(ignore)
const pools = new ObjectCache<NodePoolView>(ignore)
const payloads = new ObjectCache<StoredConfigMap>(ignore)
const roles = new ObjectCache<StoredAccess>(ignore)
const bindings = new ObjectCache<StoredAccess>(ignore)
const revisions = new ObjectCache<StoredConfigMap>(ignore)
const fleet = new ObjectCache<StoredConfigMap>(ignore)
// Never asked: every revision that is looked for is in the library.
const kube = createKubeClient({ server: 'http://127.0.0.1:1', credentials: async () => ({}) })
const compile = createCompiler({ namespace: DEFAULT_NAMESPACE })
const store = new RevisionStore({ kube, namespace: DEFAULT_REVISIONS_NAMESPACE, configMaps: revisions })
const library = new RevisionLibrary({ store, compile, log: ignore })
const sources = {
  cluster: {
    ...{
      nodes,
      pools,
      payloads,
      secrets: payloads,
      ceilings: new ObjectCache<CeilingView>(ignore),
      roles,
      bindings,
      revisions,
      hostSecrets: new ObjectCache<ClusterSecret>(ignore),
      revisionSecrets: payloads,
      fleet,
    },
    readNode: projectNode(names),
    controlPlane: { view: () => CONTROL_PLANE },
    synced: Promise.resolve(),
  },
  library,
  renderer: new PoolRenderer(),
  drains: { follow: () => {}, podsOf: () => undefined },
  snapshots: new PoolSnapshots(),
}
const decider = new Decider()

const stable = compile(exampleCommit(0))
settleAt(stable)

const none: number[] = []
const one: number[] = []
const all: number[] = []
const compiling: number[] = []
for (let run = 0; run < RUNS; run++) {
  await decideFor(stable)
  none.push(await timed(() => decideFor(stable)))
  nodes.observe({ type: 'upsert', item: memberAt(stable, { index: run, heartbeat: run + 1 }) })
  one.push(await timed(() => decideFor(stable)))
  const start = performance.now()
  const fleet = compile(exampleCommit(1 + run))
  compiling.push(performance.now() - start)
  all.push(await timed(async () => mustTake(await decideFor(fleet))))
}
print(
  [
    { name: `render and decide, ${count} nodes, all change`, value: median(all), unit: 'ms', aim: 300 },
    { name: `render and decide, ${count} nodes, nothing changes`, value: median(none), unit: 'ms', aim: 20 },
    { name: `render and decide, ${count} nodes, one node changed`, value: median(one), unit: 'ms', aim: 20 },
    { name: 'load and check a commit of which one file changed', value: median(compiling), unit: 'ms' },
  ],
  options,
)

async function decideFor(fleet: CompiledFleet): Promise<ReadonlyMap<string, Decision>> {
  library.add(fleet)
  library.add(stable)
  const { fleet: snapshot } = await gather({ ...sources, ...atRest(sources.cluster.pools) }, { fleet, observed: fleet.commit })
  return decider.decide(snapshot, NOW).decisions
}

/** All nodes run what the commit says, and the pools have it on record. */
function settleAt(fleet: CompiledFleet): void {
  nodes.observe({ type: 'sync', items: Array.from({ length: count }, (_, index) => memberAt(fleet, { index, heartbeat: 0 })) })
  const objects = [...fleet.pools.values()].map(({ name, fingerprint, spec }) => ({
    apiVersion: NODEPOOL_API_VERSION,
    kind: 'NodePool',
    metadata: { name, resourceVersion: '1', generation: 1 },
    spec,
    status: { target: { revision: fleet.commit, fingerprint }, stable: { revision: fleet.commit, fingerprint } },
  }))
  pools.observe({ type: 'sync', items: objects.map(projectNodePool) })
}

function memberAt(
  fleet: CompiledFleet,
  { index, heartbeat }: { readonly index: number; readonly heartbeat: number },
): ClusterNode {
  const [pool = '', label = ''] = Object.entries(POOL_LABELS)[index % 5] ?? []
  const object = aNode({ name: `node-${index}`, labels: { [label]: '', rack: `r${(index + heartbeat) % 40}` } })
  const project = projectNode(names)
  const rendered = fleet.pools.get(pool)?.render(project(object).facts)
  if (rendered?.kind !== 'config') throw new Error(`render "node-${index}": ${rendered?.message ?? `no pool "${pool}"`}`)
  const { digest, desired } = rendered
  const assigned = formatDesiredConfig({ ...desired, REVISION: fleet.commit, GRANT: 'restart', ASSIGNED: '2026-11-20T08:00:00Z' })
  const about = { since: '2026-11-20T08:00:10Z', digest, active: digest, assigned: digest, assignedAt: '2026-11-20T08:00:00Z' }
  const annotations = {
    [names.desiredConfig]: assigned,
    [names.currentConfig]: assigned,
    [names.status]: formatAgentStatus({ phase: 'Applied', ...about, kubelet: '1.35.4', agent: '0.1.0' }),
  }
  return project({ ...object, metadata: { ...object.metadata, resourceVersion: String(1 + heartbeat), annotations } })
}

function mustTake(decisions: ReadonlyMap<string, Decision>): void {
  for (const [pool, { actions }] of decisions)
    if (actions.length === 0) throw new Error(`measure a change: no node of "${pool}" would be taken`)
}
