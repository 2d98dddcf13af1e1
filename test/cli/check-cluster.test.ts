import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clockAhead } from '../../src/cli/check/node-clock.ts'
import { readMissingRights } from '../../src/cli/check/read-rights.ts'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage } from '../controller/stage.ts'
import { aFolder, runCli } from './run-cli.ts'

const A = 'a'.repeat(40)

test('check reads a cluster before anything is installed, and after', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  const run = (...args: string[]) => runCli(folder, ['check', ...args, '--kubeconfig', join(folder, 'kubeconfig')])
  const before = await run()
  expect(before.code).toBe(1)
  expect(before.stdout).toContain('error    controller  none leads\n                     → start it: docs/install.md')

  await stage.addNodes(2)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)
  const { findings } = JSON.parse((await run('-o', 'json')).stdout) as { findings: { check: string; message: string }[] }
  expect(findings.filter(({ check }) => check === 'pools' || check === 'nodes')).toEqual([
    { check: 'pools', state: 'ok', message: '1 pool, all Ready' },
    { check: 'nodes', state: 'ok', message: '2 nodes, each in a pool' },
  ])
})

test('check tells of a repository that could not be read while pools are as they were', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)
  const event = (name: string, kind: string, reason: string, lastTimestamp: string) =>
    stage.server.store.put('events', {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'default' }, reason, lastTimestamp },
      ...{ involvedObject: { kind, name: 'workers' }, message: `${reason}: no`, source: { component: 'nodewave-controller' } },
    })
  event('one', 'NodePool', 'RepositoryUnreachable', '2026-11-22T08:00:00Z')
  event('two', 'NodePool', 'RepositoryUnreachable', '2026-11-22T08:30:00Z')
  event('three', 'NodePool', 'RolloutStarted', '2026-11-22T08:45:00Z')
  const { stdout } = await runCli(folder, ['check', '-o', 'json', '--kubeconfig', join(folder, 'kubeconfig')])
  const { findings } = JSON.parse(stdout) as { findings: { check: string; message: string }[] }
  expect(findings.filter(({ check }) => check === 'repository')).toMatchObject([
    { state: 'warning', message: 'could not be read at 2026-11-22T08:30:00Z: RepositoryUnreachable: no' },
  ])
})

test('check tells a policy whose binding only warns from one that is enforced', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  const admission = async () => {
    const { stdout } = await runCli(folder, ['check', '--kubeconfig', join(folder, 'kubeconfig')])
    return stdout.split('\n').find((line) => line.includes(' admission '))
  }
  const group = '/apis/admissionregistration.k8s.io/v1'
  const bind = (policyName: string, validationActions: readonly string[]) =>
    stage.kube.create(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name: policyName },
      spec: { policyName, validationActions },
    })
  for (const name of ['nodewave-keys', 'nodewave-payload-access'])
    await stage.kube.create(`${group}/validatingadmissionpolicies`, { metadata: { name }, spec: { validations: [] } })
  await bind('nodewave-keys', ['Warn', 'Audit'])
  await bind('nodewave-payload-access', ['Deny'])
  expect(await admission()).toBe(
    'warning  admission   policy nodewave-keys has no binding that denies: whoever may patch Nodes can assign configuration, which agents apply as root',
  )
})

const heartbeat = (name: string, lastHeartbeatTime: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    managedFields: [
      { manager: 'nodewave', operation: 'Update', time: '2026-11-22T09:30:00Z' },
      { manager: 'kubelet', operation: 'Update', time: '2026-11-22T08:00:00Z' },
      { manager: 'kubelet', operation: 'Update', subresource: 'status', time: '2026-11-22T08:56:00Z' },
    ],
  },
  status: {
    conditions: [
      { type: 'NetworkUnavailable', status: 'False', lastHeartbeatTime: '2026-11-01T00:00:00Z' },
      { type: 'Ready', status: 'True', lastHeartbeatTime },
    ],
  },
})

test.each([
  ['a heartbeat that was written when it says', heartbeat('n1', '2026-11-22T08:56:00Z'), 0],
  ['a heartbeat from the future', heartbeat('n1', '2026-11-22T08:58:00Z'), 120_000],
  ['a heartbeat from the past', heartbeat('n1', '2026-11-22T08:55:15Z'), -45_000],
  ['a node without a kubelet', { metadata: { name: 'n1' } }, undefined],
  ['a heartbeat that is no time', heartbeat('n1', 'soon'), undefined],
  ['fields that are no list', { metadata: { name: 'n1', managedFields: 'x' }, status: { conditions: {} } }, undefined],
])('the clock of a node is read from %s', (_, node, ahead) => {
  expect(clockAhead(node)).toBe(ahead)
})

test('check compares clocks of nodes that the API server has, and its own', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  stage.server.store.put('nodes', heartbeat('n1', '2026-11-22T08:58:00Z'))
  const run = (now: number) => runCli(folder, ['check', '--kubeconfig', join(folder, 'kubeconfig')], { now: () => now })
  const clocks = (text: string) => text.split('\n').filter((line) => line.includes(' clocks '))
  const ahead = "warning  clocks      those of 1 node differ from the API server's: n1 (120 s ahead)"
  expect(clocks((await run(Date.now())).stdout)).toEqual([ahead])
  const [own, ...others] = clocks((await run(Date.now() + 3_600_000)).stdout)
  expect(own).toMatch(/^warning {2}clocks {6}that of this machine differs from the API server's: 3(599|600|601) s ahead$/)
  expect(others).toEqual([ahead])
})

test('the caller is asked about each verb, and what is refused is what is missing', async () => {
  await using stage = await aStage()
  const asked: unknown[] = []
  const kube: KubeApi = {
    ...stage.kube,
    create: async (path, body, options) => {
      const { verb, resource } = (body as Review).spec.resourceAttributes
      asked.push((body as Review).spec.resourceAttributes)
      const answer = await stage.kube.create<Review>(path, body, options)
      expect(answer.status).toEqual({ allowed: true })
      return { ...answer, status: { allowed: !(verb === 'patch' && resource === 'nodes') } } as never
    },
  }
  const missing = await readMissingRights(kube, [
    { purpose: 'hold', verbs: ['list', 'patch'], resource: 'nodes' },
    { purpose: 'drains', verbs: ['create'], resource: 'pods/eviction' },
    { purpose: 'pause', verbs: ['get'], resource: 'configmaps', name: 'nodewave-fleet', namespace: 'a' },
  ])
  expect(missing).toEqual([{ purpose: 'hold', verbs: ['patch'], resource: 'nodes' }])
  expect(asked).toEqual([
    { group: '', resource: 'nodes', verb: 'list' },
    { group: '', resource: 'nodes', verb: 'patch' },
    { group: '', resource: 'pods', subresource: 'eviction', verb: 'create' },
    { group: '', resource: 'configmaps', name: 'nodewave-fleet', namespace: 'a', verb: 'get' },
  ])
})

interface Review {
  readonly spec: { readonly resourceAttributes: { readonly verb: string; readonly resource: string } }
  readonly status?: { readonly allowed: boolean }
}

test('check says that the caller may do what an operator or the controller does', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  const rights = async (...args: string[]) => {
    const { stdout } = await runCli(folder, ['check', ...args, '--kubeconfig', join(folder, 'kubeconfig')])
    return stdout.split('\n').filter((line) => line.includes(' rights '))
  }
  expect(await rights()).toEqual(['ok       rights      you may do what an operator does'])
  expect(await rights('--rights', 'controller')).toEqual(['ok       rights      you may do what the controller does'])
})
