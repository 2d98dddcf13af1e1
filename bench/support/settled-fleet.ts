/** A large fleet of the example in the caches that the watches of a controller fill; nothing is sent anywhere. */

import type { StoredAccess } from '../../src/controller/cache/access-objects.ts'
import type { CeilingView } from '../../src/controller/cache/ceiling-schema.ts'
import { type ClusterNode, projectNode } from '../../src/controller/cache/cluster-node.ts'
import type { ClusterSecret } from '../../src/controller/cache/cluster-secret.ts'
import { NODEPOOL_API_VERSION, type NodePoolView, projectNodePool } from '../../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../../src/controller/cache/object-cache.ts'
import type { StoredConfigMap } from '../../src/controller/cache/stored-config-map.ts'
import { Decider } from '../../src/controller/decider.ts'
import type { CompiledFleet } from '../../src/controller/fleet/compiled-fleet.ts'
import { PoolRenderer } from '../../src/controller/fleet/pool-renderer.ts'
import { createCompiler } from '../../src/controller/revisions/compile.ts'
import type { HeadState } from '../../src/controller/revisions/head-intake.ts'
import { RevisionLibrary } from '../../src/controller/revisions/revision-library.ts'
import { RevisionStore } from '../../src/controller/revisions/revision-store.ts'
import { gather } from '../../src/controller/snapshot/gather.ts'
import { NodeRoster } from '../../src/controller/snapshot/node-roster.ts'
import { PoolSnapshots } from '../../src/controller/snapshot/pool-snapshots.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { formatAgentStatus } from '../../src/protocol/agent-status.ts'
import { formatDesiredConfig } from '../../src/protocol/desired-config.ts'
import { DEFAULT_NAMESPACE, DEFAULT_REVISIONS_NAMESPACE, namesFor } from '../../src/protocol/names.ts'
import type { Decision } from '../../src/rollout/model/decision.ts'
import { atRest } from './at-rest.ts'
import { POOL_LABELS } from './example-fleet.ts'
import { aNode } from './nodes.ts'

const NOW = Date.parse('2026-11-21T08:00:00Z')
const CONTROL_PLANE = { nodes: [], instances: [], answers: ['v1.36.3'] }
const names = namesFor()
const ignore = (): void => {}

export const compile = createCompiler({ namespace: DEFAULT_NAMESPACE })

export interface SettledFleetOptions {
  readonly count: number
  /** What all nodes run, and the pools have completed. */
  readonly stable: CompiledFleet
  /** Pools that have nodes, in turn. */
  readonly pools?: readonly string[]
}

export interface Member {
  readonly index: number
  readonly heartbeat: number
}

export class SettledFleet {
  readonly #options: Required<SettledFleetOptions>
  readonly #nodes = new ObjectCache<ClusterNode>(ignore)
  readonly #pools = new ObjectCache<NodePoolView>(ignore)
  readonly parts

  constructor({ pools = Object.keys(POOL_LABELS), ...options }: SettledFleetOptions) {
    this.#options = { ...options, pools }
    this.parts = partsOf(this.#nodes, this.#pools)
    this.#settle()
  }

  /** Something that a kubelet writes. */
  beat(member: Member): void {
    this.#nodes.observe({ type: 'upsert', item: this.#memberAt(member) })
  }

  /** One pass, with the commit as the newest one. */
  async decide(fleet: CompiledFleet, state: Partial<HeadState> = {}): Promise<ReadonlyMap<string, Decision>> {
    const { cluster, library, decider } = this.parts
    library.add(fleet)
    library.add(this.#options.stable)
    const head = { fleet, observed: fleet.commit, ...state }
    const { fleet: snapshot } = await gather({ ...this.parts, ...atRest(cluster.pools) }, head)
    return decider.decide(snapshot, NOW).decisions
  }

  #settle(): void {
    const { count, stable } = this.#options
    const items = Array.from({ length: count }, (_, index) => this.#memberAt({ index, heartbeat: 0 }))
    this.#nodes.observe({ type: 'sync', items })
    const objects = [...stable.pools.values()].map(({ name, fingerprint, spec }) => ({
      apiVersion: NODEPOOL_API_VERSION,
      kind: 'NodePool',
      metadata: { name, resourceVersion: '1', generation: 1 },
      spec,
      status: { target: { revision: stable.commit, fingerprint }, stable: { revision: stable.commit, fingerprint } },
    }))
    this.#pools.observe({ type: 'sync', items: objects.map(projectNodePool) })
  }

  #memberAt({ index, heartbeat }: Member): ClusterNode {
    const { stable, pools } = this.#options
    const pool = pools[index % pools.length] ?? ''
    const object = aNode({
      name: `node-${index}`,
      labels: { [POOL_LABELS[pool] ?? '']: '', rack: `r${(index + heartbeat) % 40}`, [names.pool]: pool },
    })
    const project = projectNode(names)
    const rendered = stable.pools.get(pool)?.render(project(object).facts)
    if (rendered?.kind !== 'config') throw new Error(`render "node-${index}": ${rendered?.message ?? `no pool "${pool}"`}`)
    const { digest, desired } = rendered
    const assigned = formatDesiredConfig({
      ...desired,
      REVISION: stable.commit,
      GRANT: 'restart',
      ASSIGNED: '2026-11-20T08:00:00Z',
    })
    const about = { since: '2026-11-20T08:00:10Z', digest, active: digest, assigned: digest, assignedAt: '2026-11-20T08:00:00Z' }
    const annotations = {
      [names.desiredConfig]: assigned,
      [names.currentConfig]: assigned,
      [names.status]: formatAgentStatus({ phase: 'Applied', ...about, kubelet: '1.35.4', agent: '0.1.0' }),
    }
    return project({ ...object, metadata: { ...object.metadata, resourceVersion: String(1 + heartbeat), annotations } })
  }
}

function partsOf(nodes: ObjectCache<ClusterNode>, pools: ObjectCache<NodePoolView>) {
  const configMaps = () => new ObjectCache<StoredConfigMap>(ignore)
  const access = () => new ObjectCache<StoredAccess>(ignore)
  const [payloads, revisions] = [configMaps(), configMaps()]
  // Never asked: every revision that is looked for is in the library.
  const kube = createKubeClient({ server: 'http://127.0.0.1:1', credentials: async () => ({}) })
  const store = new RevisionStore({ kube, namespace: DEFAULT_REVISIONS_NAMESPACE, configMaps: revisions, now: () => 0 })
  return {
    cluster: {
      ...{ nodes, pools, payloads, revisions, secrets: payloads, revisionSecrets: payloads },
      ...{ roles: access(), bindings: access(), fleet: configMaps() },
      ceilings: new ObjectCache<CeilingView>(ignore),
      hostSecrets: new ObjectCache<ClusterSecret>(ignore),
      readNode: projectNode(names),
      controlPlane: { view: () => CONTROL_PLANE },
      synced: Promise.resolve(),
    },
    library: new RevisionLibrary({ store, compile, log: ignore }),
    renderer: new PoolRenderer(),
    drains: { follow: () => {}, podsOf: () => undefined },
    snapshots: new PoolSnapshots(),
    roster: new NodeRoster(),
    decider: new Decider(),
  }
}
