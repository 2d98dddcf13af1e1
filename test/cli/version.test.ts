import { join } from 'node:path'
import { expect, test } from 'vitest'
import { versionReport } from '../../src/cli/version/version-report.ts'
import { projectNode } from '../../src/controller/cache/cluster-node.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { VERSION } from '../../src/protocol/version.ts'
import { aStage } from '../controller/stage.ts'
import { aFolder, runCli } from './run-cli.ts'

function aNode(name: string, agent?: string, pool?: string) {
  const status = agent === undefined ? {} : { 'nodewave.io/status': JSON.stringify({ phase: 'Applied', since: '', agent }) }
  const labels = pool === undefined ? {} : { 'nodewave.io/pool': pool }
  return projectNode(namesFor())({ metadata: { name, labels, annotations: status } })
}

function aLeader(version?: string) {
  return { value: { holder: 'c1', renewedAt: 0, leaseDuration: 15_000, version } }
}

test('versions of one release have no skew', () => {
  const nodes = { value: [aNode('n1', '1.2.3'), aNode('n2', '1.2.3'), aNode('n3', undefined, 'workers'), aNode('n4')] }
  expect(versionReport('1.2.3', { leader: aLeader('1.2.3'), nodes })).toEqual({
    client: '1.2.3',
    controller: { version: '1.2.3', holder: 'c1' },
    agents: [{ version: '1.2.3', count: 2, nodes: ['n1', 'n2'] }],
    withoutReport: ['n3'],
    skew: [],
    errors: [],
  })
})

test('agents are compared with the controller, and so is the command', () => {
  const nodes = { value: [aNode('n1', '1.1.0'), aNode('n2', '1.2.3'), aNode('n3', '1.2.3')] }
  expect(versionReport('1.2.3', { leader: aLeader('1.1.0'), nodes }).skew).toEqual([
    'this command is 1.2.3, the controller is 1.1.0; use the command of the same release as the controller',
    '2 agents of version 1.2.3 (n2, n3), the controller is 1.1.0; install one release: docs/install.md',
  ])
})

test('agents are compared with the command when no controller leads', () => {
  const nodes = { value: [aNode('n1', '1.1.0')] }
  expect(versionReport('1.2.3', { leader: { value: undefined }, nodes })).toMatchObject({
    controller: null,
    skew: ['1 agent of version 1.1.0 (n1), this command is 1.2.3; install one release: docs/install.md'],
  })
})

test('a controller of a release that wrote no version differs', () => {
  expect(versionReport('1.2.3', { leader: aLeader(), nodes: { value: [] } }).skew).toEqual([
    'this command is 1.2.3, the controller is unknown; use the command of the same release as the controller',
  ])
})

test('what cannot be read is an error, and the rest is reported', () => {
  expect(versionReport('1.2.3', { leader: { error: 'forbidden', code: 403 }, nodes: { value: [aNode('n1', '1.2.3')] } })).toEqual(
    {
      client: '1.2.3',
      agents: [{ version: '1.2.3', count: 1, nodes: ['n1'] }],
      withoutReport: [],
      skew: [],
      errors: [
        'failed to read the version of the controller: forbidden; the ClusterRole nodewave-operator (deploy/operator-rbac.yaml) has the rights that these commands need',
      ],
    },
  )
})

test('version without a kubeconfig shows the command alone', async () => {
  const folder = await aFolder({})
  expect(await runCli(folder, ['version'])).toEqual({ stdout: `client  ${VERSION}\n`, stderr: '', code: 0 })
  const { stdout } = await runCli(folder, ['version', '-o', 'json'])
  expect(JSON.parse(stdout)).toEqual({ client: VERSION, skew: [], errors: [] })
})

test('version names a kubeconfig that is missing, unless only the client is asked for', async () => {
  const folder = await aFolder({})
  const args = ['version', '--kubeconfig', 'missing']
  expect(await runCli(folder, args)).toEqual({
    stdout: '',
    stderr: `error: failed to read kubeconfig "${join(folder, 'missing')}": ENOENT: no such file or folder; check the path\n`,
    code: 2,
  })
  expect(await runCli(folder, [...args, '--client'])).toEqual({ stdout: `client  ${VERSION}\n`, stderr: '', code: 0 })
})

test('version reads the Lease and the Nodes of a cluster', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  const run = () => runCli(folder, ['version', '--kubeconfig', 'kubeconfig'])
  expect((await run()).stdout).toBe(`client      ${VERSION}\ncontroller  none leads\nagents      none has reported\n`)

  await stage.kube.create('/apis/coordination.k8s.io/v1/namespaces/nodewave-system/leases', {
    metadata: {
      name: 'nodewave-controller',
      namespace: 'nodewave-system',
      annotations: { 'nodewave.io/leader-version': '0.0.9' },
    },
    spec: { holderIdentity: 'c1\u001b[2J' },
  })
  const report = { 'nodewave.io/status': JSON.stringify({ phase: 'Applied', since: '', agent: '0.0.9' }) }
  const labels = { 'nodewave.io/pool': 'workers' }
  await stage.kube.create('/api/v1/nodes', { metadata: { name: 'w-0', labels, annotations: report } })
  await stage.kube.create('/api/v1/nodes', { metadata: { name: 'w-1', labels } })
  expect(await run()).toEqual({
    stdout: `client      ${VERSION}
controller  0.0.9 (c1 [2J)
agents      0.0.9 on 1 node
no report   1 node
skew        this command is ${VERSION}, the controller is 0.0.9; use the command of the same release as the controller
`,
    stderr: '',
    code: 0,
  })
})

test.each(['-v', '--version'])('nodewave %s prints the version of the command', async (option) => {
  expect(await runCli(await aFolder({}), [option])).toEqual({ stdout: `${VERSION}\n`, stderr: '', code: 0 })
})
