import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { aFolder, FLEET, NODES, runCli } from './run-cli.ts'

const RENDER = ['render', '--nodes', 'fleet/nodes.json']
const aFleetFolder = () => aFolder({ 'fleet/nodes.json': NODES, ...FLEET })

test('render shows what each node is to become, a line a node', async () => {
  const { stdout, code } = await runCli(await aFleetFolder(), RENDER)
  expect(code).toBe(0)
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['NODE', 'POOL', 'VERSION'],
    ['w-0', 'workers', '1.35.4'],
    ['w-1', 'workers', '1.35.4'],
    ['gpu-0', 'gpu', '-'],
    [''],
  ])
})

test('render as yaml gives the ConfigMaps and the annotation', async () => {
  const { stdout } = await runCli(await aFleetFolder(), [...RENDER, '--node', 'w-1', '-o', 'yaml', '--namespace', 'fleet'])
  const [kubelet, host, node, ...more] = parseAllDocuments(stdout).map((document) => document.toJS())
  expect(more).toEqual([])
  expect(kubelet).toMatchObject({
    kind: 'ConfigMap',
    metadata: { namespace: 'fleet', labels: { 'nodewave.io/pool': 'workers', 'nodewave.io/kind': 'kubelet' } },
    immutable: true,
    data: {
      'kubelet-flags': '--v=2',
      kubelet: 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 20\n',
    },
  })
  expect(JSON.parse(node.metadata.annotations['nodewave.io/desired-config'])).toMatchObject({
    KUBELET_VERSION: '1.35.4',
    KUBELET_CONFIG: kubelet.metadata.name,
    KUBELET_OPTS: '--node-ip=10.0.0.1',
    HOST_CONFIG: host.metadata.name,
    NAMESPACE: 'fleet',
  })
})

test('render as json is a List that names each ConfigMap once', async () => {
  const { stdout } = await runCli(await aFleetFolder(), [...RENDER, '-o', 'json'])
  const kinds = JSON.parse(stdout).items.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toEqual(['ConfigMap', 'ConfigMap', 'ConfigMap', 'ConfigMap', 'Node', 'Node', 'Node'])
})

test('render ends with 2 when a node is claimed twice or cannot be rendered, and shows the others', async () => {
  const folder = await aFolder({
    'fleet/nodes.json': NODES.replace('"role":"gpu"', '"role":"gpu","also":"x"').replace('10.0.0.0', ''),
    ...FLEET,
    'pools/other.yaml': FLEET['pools/gpu.yaml'].replace('name: gpu', 'name: other').replace('role: gpu', 'also: x'),
  })
  const { stdout, stderr, code } = await runCli(folder, RENDER)
  expect(code).toBe(2)
  expect(stderr).toBe(`baseline.yaml:5:26  flags: {v: 2, node-ip: "{{ node.internalIP }}"}
                                           ^^^^^^^^^^^^^^^^^^^^^^^
  node "w-0" has nothing to put in place of {{ node.internalIP }}
pools/gpu.yaml:5:3  nodeSelector: {matchLabels: {role: gpu}}
                    ^^^^^^^^^^^^
  node "gpu-0" is claimed by the pools "gpu" and "other"; make their nodeSelectors exclude each other
  see also pools/other.yaml:5:3
`)
  expect(stdout).toContain('w-0    workers  -        cannot be rendered  -\n')
  expect(stdout).toContain('w-1    workers  1.35.4   v1:')
  expect(stdout).toContain('gpu-0  -')
})

test('render of a node that is not there is an error', async () => {
  const { stderr, code } = await runCli(await aFleetFolder(), [...RENDER, '--node', 'nope'])
  expect([stderr, code]).toEqual(['error: unknown node "nope"; known nodes: w-0, w-1, gpu-0\n', 2])
})
