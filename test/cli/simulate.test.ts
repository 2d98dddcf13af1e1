import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { aFolder, commitAll, FLEET, NODES, runCli, writeFiles } from './run-cli.ts'

/** A fleet whose workers get another flag. */
async function aChangedFleet(rollout = FLEET['pools/workers.yaml']): Promise<string> {
  const folder = await aFolder({ ...FLEET, 'pools/workers.yaml': rollout, 'nodes.json': NODES })
  await commitAll(folder)
  await writeFiles(folder, { 'baseline.yaml': FLEET['baseline.yaml'].replace('v: 2', 'v: 4') })
  return folder
}

const SIMULATE = ['simulate', '--at', '2026-11-21T22:00:00Z', '--nodes', 'nodes.json']

test('simulate tells when each wave opens, soaks and ends, what it costs, and what it takes for granted', async () => {
  expect(await runCli(await aChangedFleet(), SIMULATE)).toEqual({
    stdout: `HEAD → working tree, from 2026-11-21T22:00:00Z

gpu  1 node
  +0s  Completed

workers  2 nodes
  +0s       wave 1 of 2, "canary": RollingOut  1 node
  +10s      wave 1 of 2, "canary": Soaking
  +10m 10s  wave 2 of 2, "rest": RollingOut    1 node
  +10m 20s  Completed

completes after 10m 20s, at 2026-11-21T22:10:20Z
at most 1 node unavailable at once
nodes changed: 2, by disruption: 2 restart

Assumptions:
  every node is healthy and runs HEAD; nothing else changes in the fleet
  an agent needs 10s to restart the kubelet (--restart-time) and 30s to download another version (--download-time)
  API servers are at 1.35.4 (--server-version), and requests to them take no time
`,
    stderr: '',
    code: 0,
  })
})

test('simulate ends with 1 and says why when the change fails on a node, which is then brought back', async () => {
  const { stdout, code } = await runCli(await aChangedFleet(), [...SIMULATE, '--fail', 'w-0', '-o', 'json'])
  const told = JSON.parse(stdout)
  expect([code, told.outcome]).toEqual([1, 'Stuck'])
  expect(told.pools[1]).toMatchObject({ pool: 'workers', isDone: false, end: { reason: 'RolledBack' } })
  expect(told.pools[1].end.message).toContain('failed on "w-0": simulated failure (--fail)')
})

test.each([
  ['--fail', 'w-7', '--fail: unknown node "w-7"; did you mean "w-0"?'],
  ['--slow', 'worker-1=5', '--slow: unknown node "worker-1"; known nodes: w-0, w-1, gpu-0'],
])('simulate %s of a node that is not there is refused: the answer would look better than it is', async (option, value, told) => {
  expect(await runCli(await aChangedFleet(), [...SIMULATE, option, value])).toEqual({
    stdout: '',
    stderr: `error: ${told}\n`,
    code: 2,
  })
})

test('simulate says the same as YAML and as JSON', async () => {
  const folder = await aChangedFleet()
  const [yaml, json] = await Promise.all(['yaml', 'json'].map((format) => runCli(folder, [...SIMULATE, '-o', format])))
  expect(parse(yaml?.stdout ?? '')).toEqual(JSON.parse(json?.stdout ?? ''))
})

test('simulate counts the greatest number of unavailable nodes in all and in each zone', async () => {
  const everybody = FLEET['pools/workers.yaml'].replace(/waves.*/, 'maxUnavailable: 100%')
  const { stdout } = await runCli(await aChangedFleet(everybody), [
    'simulate',
    ...['--at', '2026-11-21T22:00:00Z', '--fake-nodes', 'workers=7', '-o', 'json'],
  ])
  const { peak, peakByZone } = JSON.parse(stdout)
  expect(peak).toEqual({ nodes: 7, at: '2026-11-21T22:00:00.000Z' })
  expect(peakByZone).toMatchObject({ 'zone-a': { nodes: 3 }, 'zone-b': { nodes: 2 }, 'zone-c': { nodes: 2 } })
})

test('simulate tells minutes also after it waited for days', async () => {
  const window = 'windows: [{schedule: "0 12 * * mon", duration: 4h}]\n    waves:'
  const { stdout } = await runCli(await aChangedFleet(FLEET['pools/workers.yaml'].replace('waves:', window)), SIMULATE)
  expect(stdout).toContain(`
  +0s              wave 1 of 2, "canary": WaitingForWindow
  +1d 14h          wave 1 of 2, "canary": RollingOut        1 node
  +1d 14h 10s      wave 1 of 2, "canary": Soaking
  +1d 14h 10m 10s  wave 2 of 2, "rest": RollingOut          1 node
  +1d 14h 10m 20s  Completed
`)
})

test('simulate asks no gate for real, and says that it takes them for granted', async () => {
  const gate =
    'gates: [{name: slo, prometheus: {url: "http://127.0.0.1:9", query: up, min: 1}}, {name: smoke, job: {cronJob: x}}]'
  const folder = await aChangedFleet(FLEET['pools/workers.yaml'].replace(/waves.*/, gate))
  const { stdout, code } = await runCli(folder, SIMULATE)
  expect(stdout).toContain('every gate passes at its first check')
  expect(code).toBe(0)
})

test('simulate shows that a pool does not begin when its kubelets would be newer than an API server', async () => {
  const folder = await aChangedFleet()
  await writeFiles(folder, { 'pools/workers.yaml': FLEET['pools/workers.yaml'].replace('1.35.4', '1.36.3') })
  const { stdout, code } = await runCli(folder, [...SIMULATE, '--server-version', '1.36.0', '--server-version', '1.35.9'])
  expect(stdout).toContain('workers  2 nodes\n  +0s  VersionSkew\n')
  expect(stdout).toContain('kubelet 1.36.3 is newer than the API server at v1.35.9')
  expect(code).toBe(1)
})

test('simulate looks no further than it is told, and says so', async () => {
  const { stdout, code } = await runCli(await aChangedFleet(), [...SIMULATE, '--within', '5m'])
  expect(stdout).toContain('is not complete after 5m\n')
  expect(code).toBe(1)
})

test('the defaults of times that the help of simulate states are times that it accepts', async () => {
  const { stdout } = await runCli('/', ['simulate', '--help'])
  const defaults = [...stdout.replace(/\s+/g, ' ').matchAll(/--([a-z-]+) <duration> (?:(?! --).)*?Default: (\d\w+)/g)]
  expect(defaults.map(([, option]) => option)).toContain('within')
  const options = defaults.flatMap(([, option, value]) => [`--${option}`, value ?? ''])
  expect(await runCli(await aChangedFleet(), [...SIMULATE, ...options])).toMatchObject({ stderr: '' })
})

test('simulate lets a slow node need so many times as long', async () => {
  const { stdout } = await runCli(await aChangedFleet(), [...SIMULATE, '--slow', 'w-0=6', '--restart-time', '20s', '-o', 'json'])
  expect(JSON.parse(stdout).endsAt).toBe('2026-11-21T22:12:20.000Z')
})

test('simulate does not take an agent that works slowly for one that is silent', async () => {
  const folder = await aChangedFleet(FLEET['pools/workers.yaml'].replace('rollout:', 'rollout:\n    agentTimeout: 2m'))
  const slow = await runCli(folder, [...SIMULATE, '--slow', 'w-0=30'])
  expect(slow.stdout).toContain('completes after 15m 10s')
  const tooSlow = await runCli(folder, [...SIMULATE, '--slow', 'w-0=100', '-o', 'json'])
  expect(JSON.parse(tooSlow.stdout).pools[1].end.message).toContain('failed on "w-0": the agent is still at "Applying"')
})

test('simulate of a change that changes nothing is complete at once', async () => {
  const folder = await aFolder({ ...FLEET, 'nodes.json': NODES })
  await commitAll(folder)
  const { stdout, code } = await runCli(folder, SIMULATE)
  expect(stdout).toContain('completes after 0s, at 2026-11-21T22:00:00Z\n')
  expect(stdout).toContain('no node changes\n')
  expect(code).toBe(0)
})

test.each([
  [['--at', 'tonight'], 'expected a time such as 2026-11-21T22:00:00Z'],
  [['--fake-nodes', '0'], 'expected a whole number from 1 to 100000'],
  [['--fake-nodes', 'workers=x'], 'expected a pool and its number of nodes, such as workers=200, not "workers=x"'],
  [['--slow', 'w-0'], 'expected a node and a factor, such as worker-3=5'],
  [['--restart-time', 'soon'], 'expected a duration such as 45s, 10m or 1h30m'],
  [['--from', 'nowhere'], 'nowhere'],
])('simulate %j is refused with what it expects', async (args, message) => {
  const { stderr, code } = await runCli(await aChangedFleet(), [...SIMULATE, ...args])
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})

test('simulate of generated nodes names the pools when one of them is unknown', async () => {
  const { stderr, code } = await runCli(await aChangedFleet(), ['simulate', '--fake-nodes', 'nope=3'])
  expect(stderr).toContain('invalid --fake-nodes "nope=3": unknown pool; known pools: gpu, workers')
  expect(code).toBe(2)
})

test('simulate of a commit that is not valid tells where, and ends with 2', async () => {
  const folder = await aChangedFleet()
  await writeFiles(folder, { 'baseline.yaml': FLEET['baseline.yaml'].replace('{v:', '{vv:') })
  const { stderr, code } = await runCli(folder, SIMULATE)
  expect(stderr).toContain('baseline.yaml:5:11')
  expect(code).toBe(2)
})

/** Two pods of one ReplicaSet on the workers, and a budget that asks for so many of them. */
function pods(minAvailable: number): string {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop', uid: 'u', controller: true }]
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  const items = ['w-0', 'w-1'].map((nodeName) => ({
    kind: 'Pod',
    metadata: { name: `on-${nodeName}`, namespace: 'shop', labels: { app: 'shop' }, ownerReferences },
    ...{ spec: { nodeName }, status },
  }))
  const spec = { minAvailable, selector: { matchLabels: { app: 'shop' } } }
  return JSON.stringify({
    items: [...items, { kind: 'PodDisruptionBudget', metadata: { name: 'shop', namespace: 'shop' }, spec }],
  })
}

async function anUpgrade(minAvailable: number): Promise<string> {
  const folder = await aChangedFleet()
  await writeFiles(folder, {
    'pools/workers.yaml': FLEET['pools/workers.yaml'].replace('1.35.4', '1.36.3'),
    'pods.json': pods(minAvailable),
  })
  return folder
}

test('simulate evicts pods before a node is drained, and waits for them to end', async () => {
  const { stdout, code } = await runCli(await anUpgrade(1), [...SIMULATE, '--pods', 'pods.json', '-o', 'json'])
  const { disruptions, endsAt } = JSON.parse(stdout)
  expect([code, endsAt]).toEqual([0, '2026-11-21T22:12:20.000Z'])
  expect(disruptions).toMatchObject({ drain: 2, podsEvicted: 2 })
})

test('simulate says once that drains took no time where no pod was', async () => {
  const { stdout } = await runCli(await anUpgrade(1), [...SIMULATE, '-o', 'json'])
  expect(JSON.parse(stdout).assumptions.filter((text: string) => text.includes('drain'))).toEqual([
    'the drained nodes ran no pods (--pods), so drains took no time',
  ])
})

test('simulate names the budget that keeps a pod where it is', async () => {
  const { stdout, code } = await runCli(await anUpgrade(2), [...SIMULATE, '--pods', 'pods.json', '--within', '1h', '-o', 'json'])
  const { outcome, pools } = JSON.parse(stdout)
  expect([code, outcome, pools[1].end.reason]).toEqual([1, 'Unfinished', 'DrainBlocked'])
  expect(pools[1].end.message).toContain('PodDisruptionBudget "shop"')
})

test('simulate refuses a file of pods that is something else', async () => {
  const folder = await aChangedFleet()
  const { stderr, code } = await runCli(folder, [...SIMULATE, '--pods', 'nodes.json'])
  expect([stderr, code]).toEqual([
    `error: failed to read pods from "${folder}/nodes.json": expected the output of \`kubectl get pods,pdb -A -o json\`\n`,
    2,
  ])
})
