import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CeilingView } from '../../../src/controller/cache/ceiling-schema.ts'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import type { StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { AssumedNodes } from '../../../src/controller/execution/assumed-nodes.ts'
import { NodeWrites } from '../../../src/controller/execution/node-writes.ts'
import { PayloadWrites } from '../../../src/controller/execution/payload-writes.ts'
import { WriteQueue } from '../../../src/controller/execution/write-queue.ts'
import { WriteFailures } from '../../../src/controller/writes/write-failures.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

const PATH = '/api/v1/nodes/n0'
const nothing = () => undefined
const deed = { kind: 'cordon', node: 'n0', mark: { digest: 'd', at: 5, state: 'Ours' } } as const

function aNodeWriter() {
  const [kube, clock, names] = [new FakeKube(), new TestClock(), namesFor()]
  const readNode = projectNode(names)
  const node = readNode(kube.put(PATH, { metadata: { name: 'n0' } }))
  const nodes = new ObjectCache<ClusterNode>(nothing)
  nodes.observe({ type: 'sync', items: [node] })
  const [assumed, failures] = [new AssumedNodes(), new WriteFailures()]
  const watched: string[] = []
  const store = { kube, namespace: 'nodewave-system', configMaps: new ObjectCache<StoredConfigMap>(nothing) }
  const writes = new NodeWrites({
    ...{ kube, clock, assumed, failures, log: nothing, settings: { names }, queue: new WriteQueue() },
    cluster: { nodes, readNode, ceilings: new ObjectCache<CeilingView>(nothing) },
    answers: { asked: nothing, unanswered: nothing } as never,
    drains: { begin: (name: string) => void watched.push(name) },
    payloads: new PayloadWrites({ store, failures, now: () => clock.now() }),
  })
  const write = async (error?: KubeError): Promise<boolean> => {
    if (error) kube.failures.push({ on: `PATCH ${PATH}`, error })
    const planned = { pool: 'workers', deed, node }
    writes.assume(planned)
    writes.begin(planned, nothing)
    await turn()
    return assumed.has('n0')
  }
  return { write, watched }
}

test('a write to a node that has no answer is counted on, until it has had none three times in a row', async () => {
  const { write } = aNodeWriter()
  const away = new KubeError('no answer', { code: 0, reason: 'Unreachable' })

  expect([await write(away), await write(away), await write(away), await write(away)]).toEqual([true, true, false, false])
})

test('a write to a node that is refused is not counted on, nor one that has arrived', async () => {
  const { write } = aNodeWriter()

  expect(await write(new KubeError('no', { code: 403, reason: 'Forbidden' }))).toBe(false)
  expect(await write()).toBe(false)
})

test('the pods of a node are watched once its cordon was written, and not before', async () => {
  const { write, watched } = aNodeWriter()

  await write(new KubeError('no', { code: 403, reason: 'Forbidden' }))
  expect(watched).toEqual([])
  await write()
  expect(watched).toEqual(['n0'])
})
