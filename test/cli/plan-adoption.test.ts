import { expect, test } from 'vitest'
import { aFolder, FLEET, NODES, runCli } from './run-cli.ts'

const FROM_NONE = ['--nodes', 'nodes.json', '--from', 'none']

test('plan --from none shows every node as new, of a folder that is no repository yet', async () => {
  const folder = await aFolder({ ...FLEET, 'nodes.json': NODES })
  const { stdout, stderr, code } = await runCli(folder, ['plan', ...FROM_NONE, '--server-version', '1.36'])
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toContain(`none → working tree

gpu  1 of 1 node changes, the kubelet restarts
`)
  expect(stdout).toContain(`
workers  2 of 2 nodes change, the kubelet restarts
  w-0: the kubelet restarts
  version                    - → 1.35.4
`)
  expect(stdout).toContain(
    '  because node: it is configured for the first time (restart)\n  waves   canary: w-0 (soak 10m) → rest: w-1\n',
  )
  expect(stdout).toContain(`
estimate  about 10m 20s, at most 2 nodes unavailable at once

pool gpu is new

pool workers is new

compared: none → working tree; no cluster was asked
`)
})

test('plan --from none compares kubelet versions with those of the nodes', async () => {
  const pool = FLEET['pools/workers.yaml'].replace('1.35.4', '1.34.9')
  const folder = await aFolder({ ...FLEET, 'pools/workers.yaml': pool, 'nodes.json': NODES })
  const { stdout, code } = await runCli(folder, ['plan', ...FROM_NONE, '--server-version', '1.36'])
  expect(code).toBe(2)
  expect(stdout).toContain('  refused pool "workers": kubelet 1.35.4 → 1.34.9 goes back by a minor version\n')
})

test('plan --from none says of no limit that it holds the first commit, as no controller does', async () => {
  const fleet = FLEET['fleet.yaml'].replace('spec: {}', 'spec: {blastRadius: {maxNodes: 1}}')
  const folder = await aFolder({ ...FLEET, 'fleet.yaml': fleet, 'nodes.json': NODES, 'ceiling.txt': CEILING })
  const { stdout } = await runCli(folder, ['plan', ...FROM_NONE, '--ceiling', 'ceiling.txt'])
  expect(stdout).toContain('workers  2 of 2 nodes change')
  expect(stdout).not.toContain('needs promotion')
})

const CEILING = `apiVersion: nodewave.io/v1alpha1
kind: Ceiling
metadata: {name: fleet}
spec: {blastRadius: {maxNodes: 1}}
`

test('simulate --from none simulates the first rollout of a fleet', async () => {
  const folder = await aFolder({ ...FLEET, 'nodes.json': NODES })
  const { stdout, code } = await runCli(folder, ['simulate', ...FROM_NONE, '--at', '2026-11-21T22:00:00Z'])
  expect(code).toBe(0)
  expect(stdout).toContain(`none → working tree, from 2026-11-21T22:00:00Z

gpu  1 node
  +0s   wave 1 of 1, "all": RollingOut  1 node
  +10s  Completed
`)
  expect(stdout).toContain('nodes changed: 3, by disruption: 3 restart\n')
  expect(stdout).toContain('  every node is healthy and runs no commit yet; nothing else changes in the fleet\n')
})
