import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClusterFacts } from '../../src/cli/check/cluster-facts.ts'
import { judgeCluster } from '../../src/cli/check/judge-cluster.ts'
import { projectNode } from '../../src/controller/cache/cluster-node.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage } from '../controller/stage.ts'
import { aFolder, runCli } from './run-cli.ts'

const NOW = Date.UTC(2026, 10, 22, 9)
const A = 'a'.repeat(40)
const CONTEXT = { now: NOW, version: '1.2.3', namespace: 'nodewave-system' }

function aNode(name: string, agent?: string, pool = 'workers') {
  const status = agent === undefined ? {} : { 'nodewave.io/status': JSON.stringify({ phase: 'Applied', since: '', agent }) }
  const labels = pool === '' ? {} : { 'nodewave.io/pool': pool }
  return projectNode(namesFor())({ metadata: { name, labels, annotations: status } })
}

const sound: ClusterFacts = {
  server: { value: 'v1.36.3' },
  pools: {
    value: [
      {
        name: 'workers',
        status: {
          conditions: [{ type: 'Ready', status: 'True', reason: 'Completed', message: '', lastTransitionTime: '' }],
        },
      },
    ],
  },
  hasCeilings: { value: true },
  policies: { value: ['nodewave-keys', 'nodewave-payload-access', 'others'] },
  enforced: { value: ['nodewave-keys', 'nodewave-payload-access', 'others'] },
  leader: { value: { holder: 'c1', renewedAt: NOW - 1000, leaseDuration: 15_000, version: '1.2.3' } },
  nodes: { value: [aNode('n1', '1.2.3'), aNode('n2', '1.2.3')] },
  trouble: undefined,
}

function judged(facts: Partial<ClusterFacts>): string[] {
  return judgeCluster({ ...sound, ...facts }, CONTEXT)
    .filter(({ state }) => state !== 'ok')
    .map(({ check, state, message }) => `${state} ${check}: ${message}`)
}

test('a sound installation has nothing but ok', () => {
  expect(judged({})).toEqual([])
})

test.each<[string, Partial<ClusterFacts>, string[]]>([
  ['a kind that is missing', { pools: { value: undefined } }, ['error kinds: NodePool is not installed']],
  [
    'a second kind that is missing, with no controller',
    { hasCeilings: { value: false }, leader: { value: undefined } },
    ['error kinds: Ceiling is not installed', 'error controller: none leads'],
  ],
  [
    'a second kind that a controller with --no-ceiling does without',
    { hasCeilings: { value: false } },
    ['warning kinds: Ceiling is not installed: the controller runs with --no-ceiling'],
  ],
  [
    'two missing policies',
    { policies: { value: [] } },
    [
      'warning admission: policies nodewave-keys and nodewave-payload-access are missing: whoever may patch Nodes can assign configuration, which agents apply as root',
    ],
  ],
  [
    'a missing policy',
    { policies: { value: ['nodewave-keys'] } },
    [
      'warning admission: policy nodewave-payload-access is missing: whoever may patch Nodes can assign configuration, which agents apply as root',
    ],
  ],
  [
    'a policy without a binding that denies',
    { enforced: { value: ['nodewave-payload-access'] } },
    [
      'warning admission: policy nodewave-keys has no binding that denies: whoever may patch Nodes can assign configuration, which agents apply as root',
    ],
  ],
  [
    'bindings that may not be read',
    { enforced: { error: 'forbidden', code: 403 } },
    ['warning admission: cannot be judged: forbidden'],
  ],
  ['no leader', { leader: { value: undefined } }, ['error controller: none leads']],
  ['what may not be read', { leader: { error: 'forbidden', code: 403 } }, ['warning controller: cannot be judged: forbidden']],
  [
    'a leader that is silent',
    { leader: { value: { holder: 'c1', renewedAt: NOW - 90_000, leaseDuration: 15_000, version: '1.2.3' } } },
    ['error controller: "c1" led last, 90 s ago'],
  ],
  [
    'a clock that is ahead',
    { leader: { value: { holder: 'c1', renewedAt: NOW + 90_000, leaseDuration: 15_000, version: '1.2.3' } } },
    ['warning controller: "c1" leads, and its clock is 90 s ahead of this machine\'s'],
  ],
  [
    'a controller of another release',
    { leader: { value: { holder: 'c1', renewedAt: NOW, leaseDuration: 15_000, version: '1.2.2' } } },
    ['warning controller: "c1" leads, version 1.2.2; this command is 1.2.3'],
  ],
  ['no pools', { pools: { value: [] } }, ['warning pools: there are none']],
  [
    'a first commit that is refused',
    { pools: { value: [] }, trouble: { reason: 'InvalidRepository', message: 'fleet.yaml:1:1: no', at: '' } },
    ['error repository: InvalidRepository: fleet.yaml:1:1: no', 'warning pools: there are none'],
  ],
  [
    'a pool that is not Ready',
    { pools: { value: [{ name: 'gpu', status: {} }] } },
    ['warning pools: not Ready: gpu (no status yet)'],
  ],
  [
    'nodes without an agent, in no pool, or with an old agent',
    { nodes: { value: [aNode('n1', '1.2.3'), aNode('n2', '1.1.0'), aNode('n3'), aNode('n4', undefined, '')] } },
    [
      'warning nodes: 1 of 4 in no pool: n4',
      'warning agents: no agent has reported on 1 node: n3',
      'warning agents: 1.2.3 on 1 node, 1.1.0 on 1 node; this release is 1.2.3',
    ],
  ],
  [
    'a few of many versions',
    { nodes: { value: [...Array(300).keys()].map((index) => aNode(`n${index}`, `1.0.${index}`)) } },
    [
      'warning agents: 1.0.0 on 1 node, 1.0.1 on 1 node, 1.0.2 on 1 node, 1.0.3 on 1 node, 1.0.4 on 1 node and 295 more; this release is 1.2.3',
    ],
  ],
  ['a cluster without nodes', { nodes: { value: [] } }, ['warning nodes: the cluster has none']],
])('check names %s', (_, facts, lines) => {
  expect(judged(facts)).toEqual(lines)
})

test('every finding that is not ok has a remedy', () => {
  const worst = {
    ...sound,
    pools: { value: undefined },
    policies: { value: [] },
    enforced: { value: [] },
    leader: { value: undefined },
    nodes: { value: [] },
  }
  const findings = judgeCluster(worst, CONTEXT)
  expect(findings.filter(({ state, remedy }) => state !== 'ok' && !remedy)).toEqual([])
})

test.each([
  [403, 'ask with a credential that may read it: deploy/operator-rbac.yaml'],
  [500, 'ask again; see the log of the API server'],
])('what the API server answers with %i has the remedy %s', (code, remedy) => {
  const findings = judgeCluster({ ...sound, nodes: { error: 'failed', code } }, CONTEXT)
  expect(findings.at(-1)).toEqual({ check: 'agents', state: 'warning', message: 'cannot be judged: failed', remedy })
})

test('the remedy for a silent controller names the namespace that was looked in', () => {
  const leader = { value: { holder: 'c1', renewedAt: NOW - 90_000, leaseDuration: 15_000, version: '1.2.3' } }
  const findings = judgeCluster({ ...sound, leader }, { ...CONTEXT, namespace: 'agents' })
  expect(findings.find(({ check }) => check === 'controller')?.remedy).toBe(
    'kubectl -n agents get pods; kubectl -n agents logs deployment/nodewave-controller',
  )
})

test.each([
  [0, 'check that it runs, and that it is the right one; choose another with --kubeconfig and --context'],
  [401, 'it rejects your credentials: check the kubeconfig'],
])('an API server that nobody can ask (%i) is the one error', (code, remedy) => {
  const findings = judgeCluster({ ...sound, server: { error: 'failed', code }, nodes: { error: 'failed', code } }, CONTEXT)
  expect(findings).toEqual([{ check: 'API server', state: 'error', message: 'failed', remedy }])
})

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
