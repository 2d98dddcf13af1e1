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

gpu  1 of 1 node change, the kubelet restarts
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
    stdout: 'main → HEAD\n\ngpu  no change for 1 node\n\nworkers  no change for 2 nodes\n',
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

#### <code>gpu</code>: 1 of 1 node change, the kubelet restarts

| what | from | to |
|---|---|---|
| <code>flags.register-with-taints</code> | <code>-</code> | <code>a=&#124;&#60;b&#62;&#64;team</code> |

- flags.register-with-taints: it acts only when the node first registers (restart)

Waves: all: gpu-0

No change: <code>workers</code>

Estimate: about 10s, at most 1 node unavailable at once
`)
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
  expect(stdout).toContain('gpu  1 of 1 node change')
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
    'expected a NodeList, as `kubectl get nodes -o json` prints it, or a list of {name, labels, arch, osImage, internalIP, kubeletVersion}',
  ],
])('plan refuses a nodes file that %s', async (_, nodes, message) => {
  const folder = await aFolder({ ...FLEET, ...(nodes && { 'n.txt': nodes }) })
  await commitAll(folder)
  const { stderr, code } = await runCli(folder, ['plan', '--nodes', 'n.txt'])
  expect([stderr, code]).toEqual([`error: failed to read nodes from "${folder}/n.txt": ${message}\n`, 2])
})

test('plan without nodes and without a cluster says what to give', async () => {
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  const { stderr, code } = await runCli(folder, ['plan'])
  expect(code).toBe(2)
  expect(stderr).toContain('--kubeconfig')
})
