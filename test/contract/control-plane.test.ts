import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import {
  CONTROL_PLANE_PODS,
  CONTROL_PLANE_SELECTOR,
  type ControlPlanePod,
  projectControlPlanePod,
} from '../../src/controller/cache/control-plane-pods.ts'
import type { FollowEvent } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const kube = createKubeClient(server.connection)
const suffix = randomBytes(4).toString('hex')

/** As a kubelet mirrors a static pod of kubeadm's. */
async function mirrored(component: string): Promise<string> {
  const name = `${component}-${suffix}`
  const labels = { component, tier: 'control-plane' }
  const metadata = {
    name,
    labels,
    annotations: { 'kubernetes.io/config.mirror': 'c0ffee', 'kubernetes.io/config.source': 'file' },
  }
  const spec = { nodeName: `node-${suffix}`, containers: [{ name: component, image: `registry.k8s.io/${component}:v1.35.4` }] }
  await kube.create(CONTROL_PLANE_PODS, { metadata, spec })
  onTestFinished(() => kube.delete(`${CONTROL_PLANE_PODS}/${name}`, { body: { gracePeriodSeconds: 0 } }).catch(() => undefined))
  return name
}

test('API servers and etcd members are seen as they come, get ready and go, and no other part of the control plane', async () => {
  const name = await mirrored('kube-apiserver')
  await mirrored('kube-scheduler')
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const options = { project: projectControlPlanePod, labelSelector: CONTROL_PLANE_SELECTOR, signal: ending.signal }
  const events = kube.follow<ControlPlanePod>(CONTROL_PLANE_PODS, options)[Symbol.asyncIterator]()
  const next = async (): Promise<FollowEvent<ControlPlanePod>> => (await events.next()).value

  const first = await next()
  const seen =
    first.type === 'sync' ? first.items.map(({ instance }) => instance).filter(({ node }) => node === `node-${suffix}`) : []
  expect(seen).toEqual([{ component: 'kube-apiserver', name, node: `node-${suffix}`, ready: false, version: 'v1.35.4' }])

  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  await kube.patch(`${CONTROL_PLANE_PODS}/${name}/status`, { status })
  expect(await next()).toMatchObject({ type: 'upsert', item: { name, instance: { ready: true } } })
  await kube.delete(`${CONTROL_PLANE_PODS}/${name}`, { body: { gracePeriodSeconds: 0 } })
  // A real server tells first that it goes.
  let last = await next()
  while (last.type === 'upsert') {
    expect(last.item.instance.ready).toBe(false)
    last = await next()
  }
  expect(last).toMatchObject({ type: 'delete', name, namespace: 'kube-system' })
})

test('an API server tells its version', async () => {
  expect(await kube.get('/version')).toMatchObject({ gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/) })
})
