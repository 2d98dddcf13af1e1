import { expect, test } from 'vitest'
import { aFolder, FLEET, NODES, runCli } from './run-cli.ts'

const aFleetFolder = () => aFolder({ 'nodes.json': NODES, ...FLEET })
const EXPLAIN = ['explain', 'w-1', '--nodes', 'nodes.json', '--repo', '.']

test('explain shows file and line of every value, and what it took the place of', async () => {
  expect(await runCli(await aFleetFolder(), EXPLAIN)).toEqual({
    stdout: `w-1 in pool workers; precedence, last wins: KubeletConfig base, FlagSet baseline, NodePool workers, NodeOverride w-1

version         1.35.4    pools/workers.yaml:7:14  NodePool workers
flags.node-ip   10.0.0.1  baseline.yaml:5:26       FlagSet baseline
flags.v         2         baseline.yaml:5:14       FlagSet baseline
config.maxPods  20        override.yaml:6:21       NodeOverride w-1
                not 110   base.yaml:6:14           KubeletConfig base
`,
    stderr: '',
    code: 0,
  })
})

test.each(['maxPods', 'config.maxPods', 'config'])('explain --field %s shows the field alone', async (field) => {
  const { stdout } = await runCli(await aFleetFolder(), [...EXPLAIN, '--field', field, '-o', 'json'])
  expect(JSON.parse(stdout).values).toEqual([
    {
      path: 'config.maxPods',
      value: 20,
      source: 'NodeOverride w-1',
      where: 'override.yaml:6:21',
      overrode: [{ value: 110, source: 'KubeletConfig base', where: 'base.yaml:6:14' }],
    },
  ])
})

test.each([
  [
    [...EXPLAIN, '--field', 'max'],
    'field "max" is not set by the repository on node "w-1"; without --field, every field that is set is listed',
  ],
  [[...EXPLAIN, '--field', 'maxPod'], 'field "maxPod" is not set by the repository on node "w-1"; did you mean "maxPods"?'],
  [['explain', 'nope', '--nodes', 'nodes.json'], 'unknown node "nope"; known nodes: w-0, w-1, gpu-0'],
])('explain %j is an error', async (args, message) => {
  const { stdout, stderr, code } = await runCli(await aFleetFolder(), args)
  expect([stdout, stderr, code]).toEqual(['', `error: ${message}\n`, 2])
})

test('explain of a node that no pool selects is an error', async () => {
  const folder = await aFolder({ 'nodes.json': NODES.replaceAll('"role":"worker"', '"role":"none"'), ...FLEET })
  expect((await runCli(folder, EXPLAIN)).stderr).toBe('error: node "w-1" is in no pool: no nodeSelector matches its labels\n')
})
