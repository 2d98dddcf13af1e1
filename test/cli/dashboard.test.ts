import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leadingPage } from '../../src/cli/dashboard/leading-page.ts'
import { runAction } from '../../src/cli/dashboard/run-action.ts'
import { serveDashboardOf } from '../../src/cli/dashboard.ts'
import { KubeError } from '../../src/kube/kube-api.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage, POOLS, type Stage } from '../controller/stage.ts'
import { aFolder, anIo } from './run-cli.ts'

const NAMESPACE = 'nodewave-system'
const POD = 'nodewave-controller-6c5d9f7b8-x2kqp'

async function putLease(stage: Stage, holder: string): Promise<void> {
  await stage.kube.create(`/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`, {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    metadata: { name: 'nodewave-controller', namespace: NAMESPACE },
    spec: { holderIdentity: holder },
  })
}

async function putPod(stage: Stage, args: readonly string[]): Promise<void> {
  await stage.kube.create(`/api/v1/namespaces/${NAMESPACE}/pods`, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: POD, namespace: NAMESPACE } },
    spec: { containers: [{ name: 'controller', image: 'nodewave', args }] },
  })
}

test('the page is found at the pod that leads', async () => {
  await using stage = await aStage()
  await putLease(stage, `${POD}_7f0f5a3e-1c1e-4c0f-9a43-0f6f7d1b8a11`)
  await putPod(stage, ['controller', '--metrics-address=:8080', '--dashboard-port=8081'])
  expect(await leadingPage(stage.kube, NAMESPACE)).toEqual({ namespace: NAMESPACE, pod: POD, port: 8081 })
})

test('a cluster in which no controller serves a page is told apart', async () => {
  await using stage = await aStage()
  await expect(leadingPage(stage.kube, NAMESPACE)).rejects.toThrow('no controller leads; find out why with: nodewave check')
  await putLease(stage, `${POD}_7f0f5a3e`)
  await expect(leadingPage(stage.kube, NAMESPACE)).rejects.toThrow(
    `the controller that leads, "${POD}", is no pod in namespace "nodewave-system"`,
  )
  await putPod(stage, ['controller'])
  await expect(leadingPage(stage.kube, NAMESPACE)).rejects.toThrow(
    `the controller "${POD}" serves no page: add --dashboard-port=8081 to its options`,
  )
})

test('a server that does not answer is told with what to do', async () => {
  await using stage = await aStage()
  const refused = new KubeError('connect ECONNREFUSED', { code: 0, reason: 'Unreachable' })
  const kube = { ...stage.kube, get: () => Promise.reject(refused) }
  await expect(leadingPage(kube, NAMESPACE)).rejects.toThrow(
    'connect ECONNREFUSED; check that the API server runs, and that the kubeconfig names the right one',
  )
})

test('an action of the page is the command, with the rights and the name of the kubeconfig', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed('a'.repeat(40))
  await putLease(stage, `${POD}_7f0f5a3e`)
  await putPod(stage, ['--dashboard-port=8081'])
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  const stop = Promise.withResolvers<void>()
  const address = Promise.withResolvers<string>()
  const { io } = anIo(folder, { stdout: address.resolve })
  const served = serveDashboardOf(
    io,
    { kubeconfig: join(folder, 'kubeconfig'), namespace: NAMESPACE, port: 0 },
    () => stop.promise,
  )
  const [, url = '', key = ''] = /^(http:\/\/localhost:\d+\/)#key=(\S{32})\n/.exec(await address.promise) ?? []
  const act = async (words: readonly string[]) => {
    const response = await fetch(`${url.replace('localhost', '127.0.0.1')}actions`, {
      method: 'POST',
      headers: { 'x-nodewave-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ words, reason: 'new firmware; $(reboot)' }),
    })
    return response.json()
  }
  expect(await act(['pause', 'workers'])).toEqual({
    isDone: true,
    text: 'pool "workers" is paused: no new node starts, nodes that have started finish; new firmware; $(reboot) (by anyone)',
  })
  const { metadata } = await stage.kube.get<{ metadata: { annotations: object } }>(`${POOLS}/workers`)
  expect(metadata.annotations).toMatchObject({ 'nodewave.io/paused': 'new firmware; $(reboot)' })
  expect(await act(['promote', 'workers'])).toMatchObject({
    isDone: false,
    text: expect.stringMatching(/^error: cannot tell what waits for promotion in pool "workers"; the pool is paused/),
  })
  stop.resolve()
  await served
})

test('an action of the page is done in the namespace of the controller', async () => {
  await using stage = await aStage()
  const maps = '/api/v1/namespaces/nodewave-gates/configmaps'
  await stage.kube.create(maps, { metadata: { name: 'nodewave-fleet' } })
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  const cluster = { kubeconfig: join(folder, 'kubeconfig'), namespace: 'nodewave-gates' }
  expect(await runAction(anIo(folder).io, { words: ['pause', '--all'], reason: 'storm' }, cluster)).toEqual({
    isDone: true,
    text: 'the fleet is paused: no new node starts in any pool, nodes that have started finish; storm (by anyone)',
  })
  const { metadata } = await stage.kube.get<{ metadata: { annotations: object } }>(`${maps}/nodewave-fleet`)
  expect(metadata.annotations).toMatchObject({ 'nodewave.io/paused': 'storm' })
})
