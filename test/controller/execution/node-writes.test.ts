import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { QueuedAction } from '../../../src/controller/execution/queued-action.ts'
import type { RenderedConfig } from '../../../src/controller/fleet/compiled-fleet.ts'
import type { WrittenObject } from '../../../src/controller/writes/write-failures.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { makePayload } from '../../../src/render/payload.ts'
import { aNodeWriter, PATH } from './a-node-writer.ts'

const DIGEST = `v1:${'0'.repeat(64)}`
const cordon = { kind: 'cordon', node: 'n0', mark: { digest: DIGEST, at: 5, state: 'Ours' } } as const
const forbidden = new KubeError('no', { code: 403, reason: 'Forbidden' })

test('a write to a node that has no answer is counted on, until it has had none three times in a row', async () => {
  const { write } = aNodeWriter()
  const away = new KubeError('no answer', { code: 0, reason: 'Unreachable' })

  expect([
    await write(cordon, { error: away }),
    await write(cordon, { error: away }),
    await write(cordon, { error: away }),
    await write(cordon, { error: away }),
  ]).toEqual([true, true, false, false])
})

test('a write to a node that is refused is not counted on, nor one that has arrived', async () => {
  const { write } = aNodeWriter()

  expect(await write(cordon, { error: forbidden })).toBe(false)
  expect(await write(cordon)).toBe(false)
})

test('the pods of a node are watched once its cordon was written, and not before', async () => {
  const { write, watched } = aNodeWriter()

  await write(cordon, { error: forbidden })
  expect(watched).toEqual([])
  await write(cordon)
  expect(watched).toEqual(['n0'])
})

const conflict = new KubeError('changed', { code: 409, reason: 'Conflict' })
const gone = new KubeError('gone', { code: 404, reason: 'NotFound' })

/** Lists what stands at the fake, and notes what was asked for. */
function listing({ kube, readNode }: ReturnType<typeof aNodeWriter>): object[] {
  const asked: object[] = []
  const items = () => [...kube.objects.values()].map((object) => readNode(object))
  Object.assign(kube, {
    list: async (path: string, { project, ...options }: object & { project: unknown }) => {
      asked.push({ path, ...options })
      return { items: items(), resourceVersion: '200' }
    },
  })
  return asked
}

test('a node whose write was refused because it had changed is read again, when the watch has not shown the change', async () => {
  const writer = aNodeWriter()
  const asked = listing(writer)
  writer.kube.put(PATH, { metadata: { name: 'n0', labels: { tier: 'gold' } } })

  expect(await writer.write(cordon, { error: conflict })).toBe(false)
  expect(asked).toEqual([{ path: '/api/v1/nodes', fieldSelector: 'metadata.name=n0' }])
  expect(writer.nodes.get('n0')?.facts.labels).toEqual({ tier: 'gold' })
  expect(writer.failures.of('node n0')).toBeUndefined()
})

test('a node whose write was refused because it is gone is not there any more, though the watch has not told so, and that is no failure', async () => {
  const writer = aNodeWriter()
  const asked = listing(writer)
  writer.kube.objects.delete(PATH)

  expect(await writer.write(cordon, { error: gone })).toBe(false)
  expect(asked).toEqual([{ path: '/api/v1/nodes', fieldSelector: 'metadata.name=n0' }])
  expect(writer.nodes.get('n0')).toBeUndefined()
  expect(writer.failures.of('node n0')).toBeUndefined()
})

test.each([
  ['gone, as by a proxy', gone],
  ['changed, as by a webhook', conflict],
])(
  'a write that is refused for its node being %s, where a list has the node as it was, is a failure and not tried again at once',
  async (_, error) => {
    const writer = aNodeWriter()
    listing(writer)

    expect(await writer.write(cordon, { error })).toBe(false)
    expect(writer.nodes.get('n0')?.name).toBe('n0')
    expect(writer.failures.mayTry('node n0', writer.clock.now())).toBe(false)
  },
)

test('a node that was created again while its write was refused because it was gone stays', async () => {
  const writer = aNodeWriter()
  listing(writer)
  writer.kube.objects.delete(PATH)
  const written = writer.write(cordon, { error: gone })
  writer.nodes.observe({ type: 'upsert', item: writer.readNode({ metadata: { name: 'n0', resourceVersion: '900' } }) })
  await written

  expect(writer.nodes.get('n0')?.resourceVersion).toBe('900')
})

test('a node whose write was refused is not read again when the watch has shown the change meanwhile', async () => {
  const writer = aNodeWriter()
  const asked = listing(writer)
  const newer = writer.readNode(writer.kube.put(PATH, { metadata: { name: 'n0', labels: { tier: 'gold' } } }))
  Object.assign(writer.kube, {
    patch: async () => {
      writer.nodes.observe({ type: 'upsert', item: newer })
      throw conflict
    },
  })

  expect(await writer.write(cordon)).toBe(false)
  expect(asked).toEqual([])
})

const assign = { kind: 'assign', node: 'n0', revision: 'abc', digest: 'e', grant: 'none', at: 5 } as const
const config: RenderedConfig = { kind: 'config', digest: 'e', content: {}, desired: {}, payloads: [] }
const pod = { namespace: 'default', name: 'web', uid: 'u' }

test.each<readonly [action: QueuedAction, key: WrittenObject, about: string]>([
  [cordon, 'node n0', DIGEST],
  [assign, 'node n0', 'e'],
  [{ kind: 'uncordon', node: 'n0', lifts: true }, 'node n0', 'uncordon'],
  [{ ...assign, kind: 'sign', pool: 'workers' }, 'signature n0', 'sign'],
  [{ kind: 'label', node: 'n0', pool: 'workers' }, 'label n0', 'label'],
  [{ kind: 'evict', node: 'n0', pod }, 'pod u', 'evict'],
])('the failure of $kind keeps back $1 alone, and tells what it is about', async (action, key, about) => {
  const { write, failures } = aNodeWriter()
  await write(action, { error: forbidden, config })

  expect(failures.refusals(0)).toMatchObject([{ object: key, about }])
})

test('an uncordon is sent before what was queued earlier, and until then something waits', async () => {
  const { writes, queue, kube, node } = aNodeWriter()
  const sent: string[] = []
  const places = Array.from({ length: 16 }, () => Promise.withResolvers<void>())
  for (const { promise } of places) queue.push({ pool: 'workers', send: () => promise, recalled: () => undefined })
  for (const action of [cordon, { kind: 'uncordon', node: 'n0', lifts: false } as const])
    writes.begin({ pool: 'workers', action, node }, () => sent.push(action.kind))
  expect(writes.isSent('workers')).toBe(false)
  for (const { resolve } of places) resolve()
  await turn()
  expect([sent, writes.isSent('workers'), kube.requests.length]).toEqual([['uncordon', 'cordon'], true, 2])
})

test('nothing is begun for a node whose write is under way, or failed a moment ago, or whose payload could not be written', async () => {
  const { writes, write, failures, node } = aNodeWriter()
  const payloads = ['a', 'b'].map((text) => makePayload('workers', 'kubelet', { text }))
  const may = (action: QueuedAction, now = 0) => writes.mayBegin({ action, config: { ...config, payloads } }, now)

  expect(may(assign)).toBe(true)
  failures.failed(`payload ${payloads[1]?.name}`, { error: forbidden, now: 0 })
  expect([may(assign), may(assign, 10_000)]).toEqual([false, true])
  await write(cordon, { error: forbidden })
  expect([may(cordon), may(cordon, 10_000)]).toEqual([false, true])
  writes.assume({ pool: 'workers', action: cordon, node })
  expect(may(cordon, 10_000)).toBe(false)
})
