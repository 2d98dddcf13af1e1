import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { NodeStatusView } from '../../src/cli/status/node-status.ts'
import { poolNodeLines } from '../../src/cli/status/pool-nodes.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage } from '../controller/stage.ts'
import { aFolder, runCli } from './run-cli.ts'

const A = 'a'.repeat(40)

test('status of a pool lists its nodes, those that need a look first', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)
  const run = (...args: string[]) => runCli(folder, [...args, '--kubeconfig', join(folder, 'kubeconfig')])
  await run('hold', 'n2', '--reason', 'new disk')

  const { stdout } = await run('status', 'workers')
  const table = stdout.slice(stdout.indexOf('NODE '), stdout.indexOf('\n\n', stdout.indexOf('NODE ')))
  expect(table.replaceAll(/since \S+/g, 'since …').split('\n')).toEqual([
    'NODE  READY  KUBELET  ASSIGNED      PHASE                                   NOTE',
    'n2    True   1.36.2   aaaaaaaaaaaa  Applied since …  held: new disk (anyone at 2026-11-21T22:00:00.000Z)',
    'n0    True   1.36.2   aaaaaaaaaaaa  Applied since …',
    'n1    True   1.36.2   aaaaaaaaaaaa  Applied since …',
  ])
  expect(JSON.parse((await run('status', 'workers', '-o', 'json')).stdout).pools[0].members).toHaveLength(3)
  expect((await run('status', '-o', 'name')).stdout).toBe('pool/workers\n')
  expect((await run('status', 'n2', '-o', 'name')).stdout).toBe('node/n2\n')
  const template = 'jsonpath={.pools[0].members[?(@.well==false)].node}'
  expect((await run('status', 'workers', '-o', template)).stdout).toBe('n2')
  expect((await run('history', 'workers', '-o', 'jsonpath={.runs[*].result}')).stdout).toBe('Completed')
})

test('status refuses an output that it does not have, before it asks the cluster', async () => {
  expect(await runCli('/', ['status', '-o', 'jsonpath={.pools[*'])).toEqual({
    stdout: '',
    stderr: expect.stringContaining('expected "]" at character 10, the end; close the bracket with "]"'),
    code: 2,
  })
  const { stderr } = await runCli('/', ['status', '-o', 'table'])
  expect(stderr).toContain('Allowed choices are text, wide, name, json, yaml, jsonpath=TEMPLATE.')
})

function aNode(node: string, facts: NodeStatusView['facts'], well = false): NodeStatusView {
  return { node, well, facts: { ready: 'true since 2026-11-21T08:00:00.000Z', ...facts } }
}

test('a node says what is the matter with it, the worst first', () => {
  const lines = poolNodeLines(
    [
      aNode('n1', {
        ready: 'false since 2026-11-21T08:00:00.000Z',
        kubelet: '1.36.3',
        error: 'HealthCheckFailed: no\nmore',
        drift: '/etc/a',
      }),
      aNode('n2', {
        needs: 'drain',
        phase: 'Blocked since 2026-11-21T08:00:00Z',
        assigned: 'aaaaaaaaaaaa at 2026-11-21T08:00:00Z',
      }),
      aNode('n3', { cordoned: 'by somebody else', phase: 'Applied since 2026-11-21T08:00:00Z' }, true),
    ],
    { all: false },
  )
  expect(lines).toEqual([
    '',
    'NODE  READY                                 KUBELET  ASSIGNED      PHASE                               NOTE',
    'n1    False since 2026-11-21T08:00:00.000Z  1.36.3                                                     HealthCheckFailed: no',
    'n2    True                                           aaaaaaaaaaaa  Blocked since 2026-11-21T08:00:00Z  needs: drain',
    'n3    True                                                         Applied since 2026-11-21T08:00:00Z  cordoned by somebody else',
  ])
})

test('a large pool shows twenty nodes, and says how the others are', () => {
  const nodes = Array.from({ length: 23 }, (_, index) => aNode(`n${index}`, {}, index > 21))
  expect(poolNodeLines(nodes, { all: false })).toHaveLength(23)
  expect(poolNodeLines(nodes, { all: false }).at(-1)).toBe('… 3 more, 2 of them not Ready and Applied; -o wide lists them')
  expect(poolNodeLines(nodes.slice(1).reverse(), { all: false }).at(-1)).toBe(
    '… 2 more, 2 of them not Ready and Applied; -o wide lists them',
  )
  expect(poolNodeLines(nodes, { all: true })).toHaveLength(25)
})
