import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { ClusterFacts } from '../../src/cli/check/cluster-facts.ts'
import { type JudgeContext, judgeCluster } from '../../src/cli/check/judge-cluster.ts'
import { neededRights } from '../../src/cli/check/needed-rights.ts'
import { projectNode } from '../../src/controller/cache/cluster-node.ts'
import { namesFor } from '../../src/protocol/names.ts'

const NOW = Date.UTC(2026, 10, 22, 9)

const CONTEXT: JudgeContext = { now: NOW, version: '1.2.3', namespace: 'nodewave-system', role: 'operator' }

function aNode(name: string, agent?: string, pool = 'workers') {
  const status = agent === undefined ? {} : { 'nodewave.io/status': JSON.stringify({ phase: 'Applied', since: '', agent }) }
  const labels = pool === '' ? {} : { 'nodewave.io/pool': pool }
  return projectNode(namesFor())({ metadata: { name, labels, annotations: status } })
}

const sound: ClusterFacts = {
  server: { value: 'v1.36.3' },
  serverTime: { value: NOW },
  missingRights: { value: [] },
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
  hasFleetControls: { value: true },
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
  [
    'a ConfigMap of the fleet that is missing',
    { hasFleetControls: { value: false } },
    [
      'warning controller: ConfigMap "nodewave-fleet" is missing in namespace "nodewave-system": nobody can pause the whole fleet',
    ],
  ],
  [
    'a namespace in which no controller runs, and which needs no ConfigMap of the fleet',
    { leader: { value: undefined }, hasFleetControls: { value: false } },
    ['error controller: none leads'],
  ],
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
  [
    'a repository that could not be read',
    { unreadable: { reason: 'RepositoryUnreachable', message: 'HTTP 401', at: '2026-11-22T08:30:00.000Z' } },
    ['warning repository: could not be read at 2026-11-22T08:30:00.000Z: HTTP 401'],
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
    ['warning controller: "c1" leads, and its clock is 90 s ahead of the API server\'s'],
  ],
  [
    'a controller of another release',
    { leader: { value: { holder: 'c1', renewedAt: NOW, leaseDuration: 15_000, version: '1.2.2' } } },
    ['warning controller: "c1" leads, version 1.2.2; this command is 1.2.3'],
  ],
  [
    'a clock of its own that is ahead',
    {
      serverTime: { value: NOW - 31_000 },
      leader: { value: { holder: 'c1', renewedAt: NOW - 32_000, leaseDuration: 15_000, version: '1.2.3' } },
    },
    ["warning clocks: that of this machine differs from the API server's: 31 s ahead"],
  ],
  [
    'a clock of its own that is behind, and judges the leader by that of the API server',
    { serverTime: { value: NOW + 90_000 } },
    [
      "warning clocks: that of this machine differs from the API server's: 90 s behind",
      'error controller: "c1" led last, 91 s ago',
    ],
  ],
  [
    'clocks of nodes, the furthest first',
    {
      nodes: {
        value: [
          { ...aNode('n1', '1.2.3'), clockAhead: 31_000 },
          { ...aNode('n2', '1.2.3'), clockAhead: -120_000 },
          { ...aNode('n3', '1.2.3'), clockAhead: 30_000 },
        ],
      },
    },
    ["warning clocks: those of 2 nodes differ from the API server's: n2 (120 s behind), n1 (31 s ahead)"],
  ],
  [
    'a time that the API server does not say, and goes by that of this machine',
    {
      serverTime: { error: 'no Date', code: 200 },
      leader: { value: { holder: 'c1', renewedAt: NOW + 90_000, leaseDuration: 15_000, version: '1.2.3' } },
    },
    [
      'warning clocks: cannot be judged: no Date',
      'warning controller: "c1" leads, and its clock is 90 s ahead of this machine\'s',
    ],
  ],
  [
    'rights that the caller lacks, by what they are for',
    {
      missingRights: {
        value: [
          { purpose: 'hold, release', verbs: ['patch'], resource: 'nodes' },
          { purpose: 'hold, release', verbs: ['write'], resource: 'nodecontrols', group: 'nodewave.io' },
          { purpose: 'pause', verbs: ['get', 'patch'], resource: 'configmaps', name: 'nodewave-fleet', namespace: 'a' },
        ],
      },
    },
    [
      'warning rights: for hold, release you may not patch nodes; write nodecontrols.nodewave.io',
      'warning rights: for pause you may not get, patch configmaps "nodewave-fleet" in a',
    ],
  ],
  [
    'rights that nobody can ask for',
    { missingRights: { error: 'forbidden', code: 403 } },
    ['warning rights: cannot be judged: forbidden'],
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

test('a sound installation tells how many clocks were compared', () => {
  const nodes = { value: [{ ...aNode('n1', '1.2.3'), clockAhead: -1000 }, aNode('n2', '1.2.3')] }
  const findings = judgeCluster({ ...sound, nodes }, CONTEXT)
  expect(findings.find(({ check }) => check === 'clocks')?.message).toBe(
    'this machine and 1 node: at most 30 s from the API server',
  )
})

test.each([
  ['operator', 'ask an administrator for the roles of deploy/operator-rbac.yaml, whose head has the commands that bind them'],
  ['controller', 'kubectl apply -f deploy/controller-rbac.yaml, and start the controller as the service account that it binds'],
] as const)('the remedy for rights that the %s lacks names its manifest', (role, remedy) => {
  const missingRights = { value: [{ purpose: 'drains', verbs: ['list'], resource: 'pods' }] }
  const findings = judgeCluster({ ...sound, missingRights }, { ...CONTEXT, role })
  expect(findings.find(({ check }) => check === 'rights')?.remedy).toBe(remedy)
})

test('pools that are not Ready are named, and the first of them in the command that shows more', () => {
  const findings = judgeCluster({ ...sound, pools: { value: [{ name: 'gpu', status: {} }] } }, CONTEXT)
  expect(findings.find(({ check }) => check === 'pools')?.remedy).toBe('nodewave status gpu')
})

test('every finding that is not ok has a remedy', () => {
  const worst = {
    ...sound,
    serverTime: { value: 0 },
    missingRights: { value: [{ purpose: 'drains', verbs: ['list'], resource: 'pods' }] },
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
  [
    0,
    'check that the API server runs, and that the kubeconfig names the right one; choose another with --kubeconfig and --context',
  ],
  [401, 'it rejects your credentials: check the kubeconfig'],
])('an API server that nobody can ask (%i) is the one error', (code, remedy) => {
  const findings = judgeCluster({ ...sound, server: { error: 'failed', code }, nodes: { error: 'failed', code } }, CONTEXT)
  expect(findings).toEqual([{ check: 'API server', state: 'error', message: 'failed', remedy }])
})

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** Of all roles of a manifest, a line for each verb on each resource. */
function allowedBy(manifest: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../deploy', manifest), 'utf8')
  const roles = parseAllDocuments(text)
    .map((document) => document.toJSON())
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
  return roles.flatMap(({ metadata, rules }) =>
    (rules as Rule[]).flatMap(({ apiGroups = [], resources = [], resourceNames = [''], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          resourceNames.flatMap((name) => verbs.map((verb) => [metadata.namespace ?? '', group, resource, name, verb].join(' '))),
        ),
      ),
    ),
  )
}

test.each([
  ['operator', 'operator-rbac.yaml'],
  ['controller', 'controller-rbac.yaml'],
] as const)('check asks for all rights that the %s has by deploy/%s, and for no other', (role, manifest) => {
  const asked = neededRights(role, 'nodewave-system').flatMap(({ namespace = '', group = '', resource, name = '', verbs }) =>
    verbs.map((verb) => [namespace, group, resource, name, verb].join(' ')),
  )
  expect(asked.toSorted()).toEqual(allowedBy(manifest).toSorted())
})
