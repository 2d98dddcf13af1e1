import { expect, test } from 'vitest'
import { type ControlWrite, writeControls } from '../../src/cli/controls/write.ts'
import { nodePoolsPath } from '../../src/controller/cache/node-pool-view.ts'
import { KubeError } from '../../src/kube/kube-api.ts'
import { FakeKube, refusal } from '../controller/fake-kube.ts'

const ada = { who: 'ada', at: '2026-11-21T09:00:00.000Z' }
const WORKERS = nodePoolsPath('workers')

const ofPool = (annotation: string, value: string | null): ControlWrite => ({
  on: { kind: 'NodePool', name: 'workers' },
  annotation: `nodewave.io/${annotation}`,
  value,
})

const rebootOf = (name: string): ControlWrite => ({
  on: { kind: 'Node', name },
  annotation: 'nodewave.io/reboot',
  value: 'boot@now',
})

function threeNodes(): FakeKube {
  const kube = new FakeKube()
  for (const name of ['n0', 'n1', 'n2']) kube.put(`/api/v1/nodes/${name}`, { metadata: { name } })
  return kube
}

const asked = (kube: FakeKube) =>
  [...kube.objects.values()].flatMap(({ metadata: { name, annotations } }) => (annotations?.['nodewave.io/reboot'] ? [name] : []))

test('a pause leaves nothing of itself behind when its end is refused after the first request', async () => {
  const kube = new FakeKube()
  kube.put(WORKERS, {
    metadata: { name: 'workers', annotations: { 'nodewave.io/paused': '', 'nodewave.io/stop-drains': 'true' } },
  })

  await writeControls(kube, [ofPool('paused', null), ofPool('stop-drains', null)], ada)

  expect(kube.requests).toEqual([`PATCH ${WORKERS}`])
  expect(kube.objects.get(WORKERS)?.metadata.annotations).toEqual({
    'nodewave.io/paused-by': 'ada 2026-11-21T09:00:00.000Z',
    'nodewave.io/stop-drains-by': 'ada 2026-11-21T09:00:00.000Z',
  })
})

test('a node that is gone keeps no other node from its reboot, and the error says how many were asked', async () => {
  const kube = threeNodes()
  kube.objects.delete('/api/v1/nodes/n0')

  await expect(writeControls(kube, ['n0', 'n1', 'n2'].map(rebootOf), ada)).rejects.toThrow(
    'annotate Node "n0": refused: NotFound; written: 2 of 3 objects',
  )
  expect(asked(kube)).toEqual(['n1', 'n2'])
})

test('a server that is out of reach is asked once, not once for each node', async () => {
  const kube = threeNodes()
  const error = new KubeError('connect ECONNREFUSED', { code: 0, reason: 'Unreachable' })
  kube.failures.push({ on: 'PATCH /api/v1/nodes/n1', error })

  await expect(writeControls(kube, ['n0', 'n1', 'n2'].map(rebootOf), ada)).rejects.toThrow(
    'annotate Node "n1": connect ECONNREFUSED; written: 1 of 3 objects',
  )
  expect(asked(kube)).toEqual(['n0'])
})

test('the right that is missing is named when an only object is refused', async () => {
  const kube = new FakeKube()
  kube.failures.push({ on: 'PATCH', error: refusal(403, 'Forbidden') })

  await expect(writeControls(kube, [ofPool('paused', '')], ada)).rejects.toThrow(
    /^annotate NodePool "workers": refused: Forbidden; the ClusterRole nodewave-operator .* has the rights that this needs$/,
  )
})
