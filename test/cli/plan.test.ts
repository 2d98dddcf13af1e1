import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { aFolder, commitAll, FLEET, NODES, runCli, writeFiles } from './run-cli.ts'

async function aChangedFleet(): Promise<string> {
  const folder = await aFolder({ 'fleet/nodes.json': NODES, ...FLEET })
  await commitAll(folder)
  await writeFiles(folder, {
    'pools/workers.yaml': FLEET['pools/workers.yaml'].replace('1.35.4', '1.36.3'),
    'base.yaml': FLEET['base.yaml'].replace('110', '250'),
    'pools/gpu.yaml': `${FLEET['pools/gpu.yaml']}  kubelet: {flags: {v: 4}}\n`,
  })
  return folder
}

const PLAN = ['plan', '--nodes', 'fleet/nodes.json', '--server-version', '1.36']

test('plan tells per pool what changes, why it disturbs, and the waves', async () => {
  expect(await runCli(await aChangedFleet(), PLAN)).toEqual({
    stdout: `HEAD → working tree

gpu  1 of 1 node changes, the kubelet restarts
  flags.v  - → 4
  because flags.v: the kubelet reads it when it starts (restart)
  waves   all: gpu-0

workers  2 of 2 nodes change, each node is drained
  w-0: each node is drained
  version         1.35.4 → 1.36.3
  config.maxPods  110 → 250
  because version: minor release 1.35 → 1.36 (drain)
  because config.maxPods: the kubelet reads it when it starts (restart)
  w-1: each node is drained
  version  1.35.4 → 1.36.3
  because version: minor release 1.35 → 1.36 (drain)
  pods    evicted first, as far as PodDisruptionBudgets allow; see docs/drain.md
  waves   canary: w-0 (soak 10m) → rest: w-1

estimate  about 11m 20s, at most 2 nodes unavailable at once

compared: HEAD → working tree; no cluster was asked
`,
    stderr: '',
    code: 1,
  })
})

test('plan says that pods stay when the pool says not to drain', async () => {
  const folder = await aChangedFleet()
  const never = FLEET['pools/workers.yaml']
    .replace('1.35.4', '1.36.3')
    .replace('  rollout:\n', '  rollout:\n    drain: {mode: Never}\n')
  await writeFiles(folder, { 'pools/workers.yaml': never })
  const pods = 'not drained, because the pool has drain: {mode: Never}; they keep running while the kubelet restarts'
  expect((await runCli(folder, PLAN)).stdout).toContain(`\n  pods    ${pods}\n`)
  expect((await runCli(folder, PLAN, { isTTY: true, columns: 80 })).stdout).toContain('they keep\n          running while')
  expect((await runCli(folder, [...PLAN, '-o', 'markdown'])).stdout).toContain(
    '\n\nPods: not drained, because the pool has drain',
  )
})

test('plan between two revisions that mean the same ends with 0', async () => {
  const folder = await aChangedFleet()
  expect(await runCli(folder, [...PLAN, '--from', 'main', '--to', 'HEAD'])).toEqual({
    stdout:
      'main → HEAD\n\ngpu  no change for 1 node\n\nworkers  no change for 2 nodes\n\ncompared: main → HEAD; no cluster was asked\n',
    stderr: '',
    code: 0,
  })
})

test('plan as markdown has a table a group and lets nothing of the repository become markup', async () => {
  const folder = await aChangedFleet()
  await writeFiles(folder, {
    'pools/gpu.yaml': `${FLEET['pools/gpu.yaml']}  kubelet: {flags: {register-with-taints: "a=|<b>@team"}}\n`,
    'pools/workers.yaml': FLEET['pools/workers.yaml'],
    'base.yaml': FLEET['base.yaml'],
  })
  expect((await runCli(folder, [...PLAN, '-o', 'markdown'])).stdout).toBe(`### Plan <code>HEAD</code> → <code>working tree</code>

Estimate: about 10s, at most 1 node unavailable at once

> compared: HEAD → working tree; no cluster was asked

#### <code>gpu</code>: 1 of 1 node changes, the kubelet restarts

| what | from | to |
|---|---|---|
| <code>flags.register-with-taints</code> | <code>-</code> | <code>a=&#124;&#60;b&#62;&#64;team</code> |

- flags.register-with-taints: it acts only when the node first registers (restart)

| wave | nodes | conditions | begins | lasts |
|---|---|---|---|---|
| all | gpu-0 |  | +0s | 10s |

No change: <code>workers</code>
`)
})

test('plan of several pools as markdown begins with a table of them, and tells when each wave comes', async () => {
  const { stdout } = await runCli(await aChangedFleet(), [...PLAN, '-o', 'markdown'])
  expect(stdout).toContain(`| pool | nodes that change | greatest disruption | waves |
|---|---|---|---|
| <code>gpu</code> | 1 of 1 | restart | 1 |
| <code>workers</code> | 2 of 2 | drain | 2 |
`)
  expect(stdout).toContain(`| wave | nodes | conditions | begins | lasts |
|---|---|---|---|---|
| canary | w-0 | soak 10m | +0s | 10m 40s |
| rest | w-1 |  | +10m 40s | 40s |
`)
})

test.each([
  ['that is shut', 'mon', 'opens Mon 2026-11-23 22:00 UTC', '+2d'],
  ['that is open', 'sat', 'open until Sat 2026-11-21 23:00 UTC', '+0s'],
])('plan tells of a window %s', async (_, day, text, begins) => {
  const folder = await aChangedFleet()
  const windows = `windows: [{schedule: "0 22 * * ${day}", duration: 1h, timeZone: UTC}]`
  const pool = FLEET['pools/workers.yaml'].replace('1.35.4', '1.36.3').replace('  rollout:', `  rollout:\n    ${windows}`)
  await writeFiles(folder, { 'pools/workers.yaml': pool })
  expect((await runCli(folder, PLAN)).stdout).toContain(`\n  window  ${text}\n`)
  const { stdout } = await runCli(folder, [...PLAN, '-o', 'markdown'])
  expect(stdout).toContain(`\nWindow: ${text}\n`)
  expect(stdout).toContain(`| canary | w-0 | soak 10m | ${begins} |`)
})

test('plan tells what a wave waits for: a person, time, and gates', async () => {
  const folder = await aChangedFleet()
  const gates = '[{name: smoke, job: {cronJob: x}}, {name: apps, after: [canary], workloads: {}}]'
  const waves = '[{name: canary, nodes: 1, soak: 10m}, {name: rest, nodes: 100%, manual: true}]'
  const pool = FLEET['pools/workers.yaml'].replace('1.35.4', '1.36.3').replace(/waves.*/, `waves: ${waves}\n    gates: ${gates}`)
  await writeFiles(folder, { 'pools/workers.yaml': pool })
  expect((await runCli(folder, PLAN)).stdout).toContain(
    'canary: w-0 (soak 10m, then gates smoke, apps) → rest: w-1 (after promotion, then gate smoke)',
  )
})

test.each([
  ['json', JSON.parse],
  ['yaml', parse],
] as const)('plan as %s has every node of every wave', async (format, read) => {
  const { stdout } = await runCli(await aChangedFleet(), [...PLAN, '-o', format])
  expect((read as (text: string) => unknown)(stdout)).toMatchObject({
    from: 'HEAD',
    to: 'working tree',
    pools: [
      { pool: 'gpu', touched: ['gpu-0'], disruption: 'restart', waves: [{ name: 'all', soak: 0, nodes: ['gpu-0'] }] },
      {
        pool: 'workers',
        touched: ['w-0', 'w-1'],
        disruption: 'drain',
        waves: [
          { name: 'canary', soak: 600, nodes: ['w-0'] },
          { name: 'rest', soak: 0, nodes: ['w-1'] },
        ],
      },
    ],
  })
})

test('plan of a commit that is not valid tells where, and ends with 2', async () => {
  const folder = await aChangedFleet()
  await writeFiles(folder, { 'baseline.yaml': FLEET['baseline.yaml'].replace('{v:', '{vv:') })
  const { stdout, stderr, code } = await runCli(folder, PLAN)
  expect([stdout, code]).toEqual(['', 2])
  expect(stderr).toContain('baseline.yaml:5:11  flags: {vv: 2')
  expect(stderr).toContain('the fleet is invalid: 1 error\n')
})

test('plan ends with 2 when a node cannot be rendered, and tells of the others', async () => {
  const folder = await aChangedFleet()
  await writeFiles(folder, { 'baseline.yaml': FLEET['baseline.yaml'].replace('node.internalIP', 'node.labels.zone') })
  const { stdout, code } = await runCli(folder, PLAN)
  expect(code).toBe(2)
  expect(stdout).toContain(
    '  error   node "w-0" has nothing to put in place of {{ node.labels.zone }}\n          baseline.yaml:5:26\n',
  )
  expect(stdout).toContain('gpu  1 of 1 node changes')
  expect(stdout).toContain('workers  2 of 2 nodes cannot be rendered\n')
})

test.each([
  ['a list by hand', '- {name: gpu-9, labels: {role: gpu}}\n', 'gpu  no change for 1 node'],
  ['a list of Nodes', '[{"metadata":{"name":"gpu-9","labels":{"role":"gpu"}}}]', 'gpu  no change for 1 node'],
])('plan reads nodes from %s', async (_, nodes, line) => {
  const folder = await aFolder({ ...FLEET, 'nodes.txt': nodes })
  await commitAll(folder)
  expect((await runCli(folder, ['plan', '--nodes', 'nodes.txt', '--to', 'HEAD'])).stdout).toContain(line)
})

test.each([
  ['is not there', undefined, 'ENOENT: no such file or folder; check the path'],
  ['is broken', '{"items": [', 'it is neither JSON nor YAML; expected the output of kubectl get nodes -o json'],
  [
    'is something else',
    '{"kind":"PodList","items":[]}',
    'expected a NodeList, as `kubectl get nodes -o json` prints it, or a list of {name, labels, arch, osImage, internalIP, kubeletVersion, cgroup, cpu, memory}',
  ],
])('plan refuses a nodes file that %s', async (_, nodes, message) => {
  const folder = await aFolder({ ...FLEET, ...(nodes && { 'n.txt': nodes }) })
  await commitAll(folder)
  const { stderr, code } = await runCli(folder, ['plan', '--nodes', 'n.txt'])
  expect([stderr, code]).toEqual([`error: failed to read nodes from "${folder}/n.txt": ${message}\n`, 2])
})

test.each(['plan', 'simulate'])('%s of a folder that no commit has yet says so', async (command) => {
  const folder = await aFolder({ 'README.md': 'ours', 'fleet/nodes.json': NODES })
  await commitAll(folder)
  await writeFiles(folder, Object.fromEntries(Object.entries(FLEET).map(([path, text]) => [`new/${path}`, text])))
  expect(await runCli(folder, [command, 'new', '--nodes', 'fleet/nodes.json'])).toEqual({
    stdout: '',
    stderr: 'error: the folder "new" has no files at HEAD: commit it first, or take --from none, with which every node is new\n',
    code: 2,
  })
})

test('plan refuses a nodes file without a node, of which every plan would say that nothing changes', async () => {
  const folder = await aFolder({ ...FLEET, 'n.txt': '{"kind":"List","items":[]}' })
  await commitAll(folder)
  const { stderr, code } = await runCli(folder, ['plan', '--nodes', 'n.txt'])
  expect([stderr, code]).toEqual([
    `error: "${folder}/n.txt" has no nodes: check the cluster that it was written from; --fake-nodes generates some\n`,
    2,
  ])
})

test('plan tells an empty nodes file, which a command that failed leaves, from one of another form', async () => {
  const folder = await aFolder({ ...FLEET, 'n.txt': '\n' })
  await commitAll(folder)
  expect((await runCli(folder, ['plan', '--nodes', 'n.txt'])).stderr).toBe(
    `error: "${folder}/n.txt" is empty; check that the command that wrote it reached a cluster; --fake-nodes generates some\n`,
  )
})

test('plan outside of a Git repository says how to plan all the same', async () => {
  const folder = await aFolder(FLEET)
  expect((await runCli(folder, ['plan', '--fake-nodes', '3'])).stderr).toBe(
    `error: failed to find a Git repository at "${folder}"; make it one (git init), or name a folder inside of one; or take --from none, with which every node is new\n`,
  )
})

test('plan generates nodes when it is asked to, and asks no cluster', async () => {
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  await writeFiles(folder, { 'base.yaml': FLEET['base.yaml'].replace('110', '120') })
  const { stdout, stderr, code } = await runCli(folder, ['plan', '--fake-nodes', 'gpu=1,workers=3', '--server-version', '1.36'])
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toContain('gpu  no change for 1 node\n\nworkers  3 of 3 nodes change, the kubelet restarts\n')
  expect(stdout).toContain('compared: HEAD → working tree; no cluster was asked\n')
})

test('plan without nodes and without a cluster says what to give', async () => {
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  const { stderr, code } = await runCli(folder, ['plan'])
  expect(code).toBe(2)
  expect(stderr).toContain('--kubeconfig')
})

const WITH_CGROUP_V1 = JSON.stringify({
  kind: 'NodeList',
  items: ['w-0', 'w-1', 'gpu-0'].map((name) => ({
    metadata: {
      name,
      labels: { role: name.startsWith('w') ? 'worker' : 'gpu' },
      annotations: {
        'nodewave.io/status': `{"phase":"Applied","since":"2026-01-01T00:00:00Z","cgroup":"${name === 'w-1' ? 'v1' : 'v2'}"}`,
      },
    },
    status: {
      nodeInfo: { architecture: 'amd64', osImage: 'Debian', kubeletVersion: 'v1.34.1' },
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    },
  })),
})
const STARTS_NOT =
  'the kubelet does not start with cgroup v1, and the agents of w-1 refuse the change: set failCgroupV1: false, or first boot them with systemd.unified_cgroup_hierarchy=1'

async function aFleetUpgradedTo(version: string, base = FLEET['base.yaml']): Promise<string> {
  const workers = FLEET['pools/workers.yaml']
  const folder = await aFolder({
    'fleet/nodes.json': WITH_CGROUP_V1,
    ...FLEET,
    'pools/workers.yaml': workers.replace('1.35.4', '1.34.1'),
  })
  await commitAll(folder)
  await writeFiles(folder, { 'pools/workers.yaml': workers.replace('1.35.4', version), 'base.yaml': base })
  return folder
}

test('plan names the nodes with cgroup v1 on which the planned kubelet does not start', async () => {
  const folder = await aFleetUpgradedTo('1.35.4')
  const { stdout, code } = await runCli(folder, PLAN)
  expect(stdout).toContain(`\n  warning ${STARTS_NOT}\n`)
  expect(code).toBe(1)
  expect((await runCli(folder, [...PLAN, '-o', 'markdown'])).stdout).toContain(
    '> **Warning:** the kubelet does not start with cgroup v1',
  )
})

test('plan says nothing of cgroup v1 when the kubelet starts there', async () => {
  const folder = await aFleetUpgradedTo('1.35.4', FLEET['base.yaml'].replace('maxPods', 'failCgroupV1: false\n    maxPods'))
  expect((await runCli(folder, PLAN)).stdout).not.toContain('cgroup v1')
  expect((await runCli(await aFleetUpgradedTo('1.34.4'), PLAN)).stdout).not.toContain('cgroup v1')
})

test('plan says how far its estimate came when the rollout takes too long to simulate', async () => {
  let now = Date.parse('2026-11-21T22:00:00Z')
  const slow = (): number => {
    now += 3000
    return now
  }
  const { stdout } = await runCli(await aChangedFleet(), PLAN, { now: slow })
  expect(stdout).toMatch(
    /^estimate {2}more than \d+s; the estimate ends there, with \d of 3 nodes current and at most \d nodes? unavailable at once; the whole rollout: nodewave simulate$/m,
  )
})
