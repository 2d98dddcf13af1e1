import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { judgeFleet } from '../../src/cli/read-fleet.ts'
import { nodePoolCrd } from '../../src/controller/crds/node-pool-crd.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { poolFingerprint } from '../../src/render/pool-fingerprint.ts'
import { NO_MEMORY } from '../../src/rollout/model/snapshot.ts'
import { startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { aFolder, anIo, commitAll, FLEET, NODES, runCli, writeFiles } from './run-cli.ts'

/** The nodes run 1.35.4, and the pool is to go to this version. */
async function aChangeTo(version: string, more = ''): Promise<string> {
  const folder = await aFolder({ 'fleet/nodes.json': NODES, ...FLEET })
  await commitAll(folder)
  const pool = FLEET['pools/workers.yaml']
    .replace('1.35.4', version)
    .replace('  rollout:\n', `  rollout:\n    drain: {mode: Never}\n${more}`)
  await writeFiles(folder, { 'pools/workers.yaml': pool })
  return folder
}

const PODS = '/api/v1/namespaces/kube-system/pods'
const PLAN = ['plan', '--nodes', 'fleet/nodes.json']

test('plan refuses a kubelet newer than the API server, at its line, and ends with 2', async () => {
  const { stdout, code } = await runCli(await aChangeTo('1.36.3'), [
    ...PLAN,
    '--server-version',
    '1.36',
    '--server-version',
    'v1.35.9',
  ])

  expect(stdout).toContain(`
  refused pool "workers": kubelet 1.36.3 is newer than the API server at 1.35.9; allowed: 1.33 to 1.35
          pools/workers.yaml:7:14
`)
  expect(code).toBe(2)
})

test('plan refuses an older minor without consent, says how to consent, and then lets it through', async () => {
  const args = [...PLAN, '--server-version', '1.36']
  const { stdout, code } = await runCli(await aChangeTo('1.34.9'), args)

  expect(stdout).toContain(`
  refused pool "workers": kubelet 1.35.4 → 1.34.9 goes back by a minor version
          to allow it, set rollout.allowDowngrade: true; a revert to content that the pool ran before is allowed
          pools/workers.yaml:7:14
`)
  expect(code).toBe(2)
  expect((await runCli(await aChangeTo('1.34.9', '    allowDowngrade: true\n'), args)).code).toBe(1)
})

test('plan as markdown and as json has the refusals', async () => {
  const folder = await aChangeTo('1.37.1')
  const args = [...PLAN, '--server-version', '1.36', '-o']
  const message = 'pool "workers": kubelet 1.37.1 is newer than the API server at 1.36; allowed: 1.33 to 1.36'

  expect((await runCli(folder, [...args, 'markdown'])).stdout).toContain(
    `\n\n> **Refused:** ${message} <code>pools/workers.yaml:7:14</code>\n`,
  )
  const { pools } = JSON.parse((await runCli(folder, [...args, 'json'])).stdout)
  expect(pools.map((pool: { refusals: object[] }) => pool.refusals)).toEqual([
    [],
    [{ message, where: 'pools/workers.yaml:7:14' }],
  ])
})

test('plan without an API server says that versions are not checked', async () => {
  const { stdout, code } = await runCli(await aChangeTo('1.36.3'), PLAN)

  expect(stdout).toContain(
    '\n\nkubelet versions are not checked against the API server: its version is unknown; name it, such as --server-version 1.36\n',
  )
  expect(code).toBe(1)
})

test('plan refuses a server version that is none', async () => {
  const { stderr, code } = await runCli(await aChangeTo('1.36.3'), [...PLAN, '--server-version', 'newest'])

  expect(stderr).toContain('expected a version such as 1.36 or v1.36.3')
  expect(code).toBe(2)
})

test('plan asks the cluster for its API servers, and tells how nodes of the control plane are changed', async () => {
  const server = await startApiServer()
  onTestFinished(() => server.close())
  const kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
  const folder = await aChangeTo('1.36.3')
  await writeFiles(folder, { kubeconfig: server.kubeconfig() })
  const labels = { role: 'worker', 'node-role.kubernetes.io/control-plane': '' }
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
  const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }]
  const status = { ...ready, addresses, nodeInfo: { kubeletVersion: 'v1.35.4' } }
  const member = async (name: string) => {
    await kube.create('/api/v1/nodes', { metadata: { name, labels }, status })
    for (const component of ['kube-apiserver', 'etcd']) {
      await kube.create(PODS, {
        metadata: { name: `${component}-${name}`, labels: { component, tier: 'control-plane' } },
        spec: { nodeName: name, containers: [{ name: component, image: `registry.k8s.io/${component}:v1.35.9` }] },
      })
      await kube.patch(`${PODS}/${component}-${name}/status`, { status: ready })
    }
  }
  const plan = () => runCli(folder, ['plan', '--kubeconfig', join(folder, 'kubeconfig')])

  await member('cp-0')
  expect((await plan()).stdout).toContain(
    '\n  control plane  cp-0: the only one, so the API may be unavailable during the change\n',
  )
  await member('cp-1')
  const { stdout, code } = await plan()
  expect(stdout).toContain(
    '\n  control plane  cp-0, cp-1: one at a time over all pools, and only while all other API servers and etcd members are healthy; now they wait: etcd has 2 members and needs 2: add a third one first\n',
  )
  expect(stdout).toContain('newer than API server "kube-apiserver-cp-0" at v1.35.9; allowed: 1.33 to 1.35\n')
  expect(code).toBe(2)
})

test('validate refuses a kubelet that the API server does not take, at its line', async () => {
  const folder = await aFolder(FLEET)

  expect(await runCli(folder, ['validate', '--server-version', '1.34'])).toEqual({
    stdout: `pools/workers.yaml:7:14  version: "1.35.4"
                                  ^^^^^^^^
  pool "workers": kubelet 1.35.4 is newer than the API server at 1.34; allowed: 1.31 to 1.34

invalid: 1 error
`,
    stderr: '',
    code: 2,
  })
  expect((await runCli(folder, ['validate', '--server-version', '1.38'])).code).toBe(0)
})

test('plan lets a revert through to what the pool has run before, as the cluster remembers it', async () => {
  const server = await startApiServer()
  onTestFinished(() => server.close())
  const kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
  const folder = await aChangeTo('1.34.9')
  await writeFiles(folder, { kubeconfig: server.kubeconfig() })
  const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }]
  const status = { addresses, nodeInfo: { kubeletVersion: 'v1.35.4' } }
  await kube.create('/api/v1/nodes', { metadata: { name: 'w-0', labels: { role: 'worker' } }, status })
  const plan = () => runCli(folder, ['plan', '--kubeconfig', join(folder, 'kubeconfig')])

  expect((await plan()).code).toBe(2)
  await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', nodePoolCrd())
  const pools = '/apis/nodewave.io/v1alpha1/nodepools'
  const made = await kube.create<KubeObject>(pools, {
    apiVersion: 'nodewave.io/v1alpha1',
    kind: 'NodePool',
    spec: { nodeSelector: { matchLabels: {} } },
    metadata: { name: 'workers' },
  })
  expect((await plan()).code).toBe(2)
  const { model } = await judgeFleet(anIo(folder).io, { path: '.' })
  const run = {
    revision: 'a'.repeat(40),
    fingerprint: model ? poolFingerprint(model, 'workers') : '',
    startedAt: '2026-11-21T12:00:00Z',
  }
  const past = { ...NO_MEMORY, rollbackTo: [], nodes: { total: 1, current: 0, byPhase: {} } }
  await kube.replace(`${pools}/workers/status`, { ...made, status: { ...past, history: [{ ...run, result: 'Superseded' }] } })
  expect((await plan()).code).toBe(1)
})
