import { expect, test } from 'vitest'
import type { QueuedAction } from '../../../src/controller/execution/queued-action.ts'
import type { RenderedConfig } from '../../../src/controller/fleet/compiled-fleet.ts'
import { makePayload } from '../../../src/render/payload.ts'
import { aNodeWriter, PATH } from './a-node-writer.ts'

const DIGEST = `v1:${'1'.repeat(64)}`
const cordon = { kind: 'cordon', node: 'n0', mark: { digest: DIGEST, at: 5, state: 'Ours' } } as const
const uncordon = { kind: 'uncordon', node: 'n0', lifts: true } as const
const assign = { kind: 'assign', node: 'n0', revision: 'abc', digest: DIGEST, grant: 'none', at: 5 } as const
const sign = { ...assign, kind: 'sign', pool: 'workers' } as const
const proof = { digest: DIGEST, assignedAt: 5, state: 'Passed' } as const
const config: RenderedConfig = { kind: 'config', digest: DIGEST, content: {}, desired: {}, payloads: [] }

test.each<readonly [action: QueuedAction, annotation: string]>([
  [cordon, 'cordoned-for'],
  [assign, 'desired-config'],
  [sign, 'desired-config'],
  [{ kind: 'allowByHand', node: 'n0', allowed: true }, 'by-hand'],
  [{ kind: 'recordProof', node: 'n0', proof }, 'proof'],
  [
    { kind: 'restore', node: 'n0', pool: 'workers', settings: { labels: { a: 'b' } }, repair: { settings: {}, history: {} } },
    'node-settings',
  ],
])('of $kind, the annotation $1 stands on the node afterwards, and no other', async (action, annotation) => {
  const { write, kube } = aNodeWriter()
  await write(action, { config })
  expect(Object.keys(kube.objects.get(PATH)?.metadata.annotations ?? {})).toEqual([`nodewave.io/${annotation}`])
})

test('an uncordon takes the mark away', async () => {
  const { write, kube } = aNodeWriter()
  await write(cordon)
  const { write: again, kube: other } = aNodeWriter({ annotations: { 'nodewave.io/cordoned-for': 'x' } })
  await again(uncordon)
  expect(Object.keys(kube.objects.get(PATH)?.metadata.annotations ?? {})).toEqual(['nodewave.io/cordoned-for'])
  expect(other.objects.get(PATH)?.metadata.annotations).toEqual({})
})

test('a request for a reboot is taken away once the boot that it names has ended', async () => {
  const { write, kube } = aNodeWriter({ annotations: { 'nodewave.io/reboot': 'b1 asked' } })
  await write({ kind: 'clearReboot', node: 'n0' })
  expect(kube.objects.get(PATH)?.metadata.annotations).toEqual({})
})

test('a signature writes no label', async () => {
  const { write, kube } = aNodeWriter()
  await write(sign, { config: { ...config, desired: { POOL: 'workers' } } })
  expect(kube.objects.get(PATH)?.metadata.labels).toBeUndefined()
})

test('the label of a pool is written', async () => {
  const { write, kube } = aNodeWriter()
  await write({ kind: 'label', node: 'n0', pool: 'workers' })
  expect(kube.objects.get(PATH)?.metadata).toMatchObject({ labels: { 'nodewave.io/pool': 'workers' } })
})

const patches = ({ requests }: { readonly requests: readonly string[] }) =>
  requests.filter((line) => line === `PATCH ${PATH}`).length

test('an assignment is not written where other content was rendered than was decided', async () => {
  const { write, kube } = aNodeWriter()
  await write(assign, { config: { ...config, digest: `v1:${'2'.repeat(64)}` } })
  await write(sign, { config: { ...config, digest: `v1:${'2'.repeat(64)}` } })
  expect(patches(kube)).toBe(0)
})

test('a node that changed since the decision, or is gone, is not written to, drained or counted on', async () => {
  const { write, kube, nodes, node, watched } = aNodeWriter()
  nodes.observe({ type: 'sync', items: [{ ...node, view: { ...node.view } }] })
  expect(await write(cordon)).toBe(false)
  nodes.observe({ type: 'sync', items: [] })
  expect(await write(cordon)).toBe(false)
  expect([patches(kube), watched]).toEqual([0, []])
})

test('an assignment writes its payloads first, and a signature writes none', async () => {
  const payload = makePayload('workers', 'kubelet', { a: 'b' })
  const { write, kube } = aNodeWriter()
  await write(sign, { config: { ...config, payloads: [payload] } })
  expect(kube.requests).toEqual([`PATCH ${PATH}`])
  await write({ ...assign, at: 6 }, { config: { ...config, payloads: [payload] } })
  expect(kube.requests[1]).toContain('/configmaps')
})
