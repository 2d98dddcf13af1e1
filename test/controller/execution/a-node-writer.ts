import { setImmediate as turn } from 'node:timers/promises'
import type { CeilingView } from '../../../src/controller/cache/ceiling-schema.ts'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import type { StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { AssumedNodes } from '../../../src/controller/execution/assumed-nodes.ts'
import { NodeWrites } from '../../../src/controller/execution/node-writes.ts'
import { PayloadWrites } from '../../../src/controller/execution/payload-writes.ts'
import type { QueuedAction } from '../../../src/controller/execution/queued-action.ts'
import { UnkeptProofs } from '../../../src/controller/execution/unkept-proofs.ts'
import { WriteQueue } from '../../../src/controller/execution/write-queue.ts'
import type { RenderedConfig } from '../../../src/controller/fleet/compiled-fleet.ts'
import { WriteFailures } from '../../../src/controller/writes/write-failures.ts'
import type { KubeError } from '../../../src/kube/kube-api.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

export const PATH = '/api/v1/nodes/n0'
const nothing = () => undefined

/** Writes to one node, which stands at the fake and in the cache. */
export function aNodeWriter(metadata: { readonly annotations?: Readonly<Record<string, string>> } = {}) {
  const [kube, clock, names] = [new FakeKube(), new TestClock(), namesFor()]
  const readNode = projectNode(names)
  const node = readNode(kube.put(PATH, { metadata: { name: 'n0', ...metadata } }))
  const nodes = new ObjectCache<ClusterNode>(nothing)
  nodes.observe({ type: 'sync', items: [node] })
  const [assumed, failures] = [new AssumedNodes(), new WriteFailures()]
  const queue = new WriteQueue()
  const watched: string[] = []
  const store = { kube, namespace: 'nodewave-system', configMaps: new ObjectCache<StoredConfigMap>(nothing) }
  const writes = new NodeWrites({
    ...{ kube, clock, assumed, failures, log: nothing, settings: { names }, queue },
    cluster: { nodes, readNode, ceilings: new ObjectCache<CeilingView>(nothing) },
    cordons: { lift: async () => undefined },
    unkeptProofs: new UnkeptProofs(),
    answers: { asked: nothing, unanswered: nothing } as never,
    drains: { begin: (name: string) => void watched.push(name) },
    payloads: new PayloadWrites({ store, failures, now: () => clock.now() }),
  })
  /** @returns whether it counts as done, without having arrived */
  const write = async (
    action: QueuedAction,
    { error, config }: { error?: KubeError; config?: RenderedConfig } = {},
  ): Promise<boolean> => {
    if (error) kube.failures.push({ on: `PATCH ${PATH}`, error })
    const planned = { pool: 'workers', action, node, ...(config && { config }) }
    writes.assume(planned)
    writes.begin(planned, nothing)
    await turn()
    return assumed.has('n0')
  }
  return { write, writes, watched, kube, clock, node, nodes, failures, readNode, queue }
}
