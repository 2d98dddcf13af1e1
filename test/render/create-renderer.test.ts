import { expect, test } from 'vitest'
import { contentDigest } from '../../src/protocol/digest.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { aFleet, aNode, rendered, WORKERS } from './fleets.ts'

const SHA = 'a'.repeat(64)

const fleet = {
  'NodePool workers': `${WORKERS}
kubelet:
  version: "1.36.3"
  release: upstream
  flagSets: [baseline, cloud]
  flags: {v: 4, node-labels: "name={{ node.name }}"}
  config: [base, workers]
hostProfiles: [debian]
rollout: {trial: 30s}`,
  'FlagSet baseline': 'flags: {v: 2, feature-gates: {PodLevelResources: true}, node-labels: {tier: gold}}',
  'FlagSet cloud':
    'flags: {feature-gates: {PodLevelResources: false, MemoryQoS: true}, register-with-taints: ["a=b:NoSchedule"]}',
  'KubeletConfig base': 'config: {maxPods: 110, serializeImagePulls: false, evictionHard: {memory.available: 100Mi}}',
  'KubeletConfig workers': 'config: {maxPods: 250, serializeImagePulls: null, evictionHard: {nodefs.available: 10%}}',
  'KubeletRelease upstream': `binary: {url: "https://dl.k8s.io/v{{version}}/{{arch}}/kubelet", sha256: {"1.36.3": {amd64: ${SHA}}}}`,
  'HostProfile debian': 'files: [{path: /etc/motd, content: "hello\\n"}, {path: /etc/logo, from: logo.bin}]',
} as const
const attachments = { 'logo.bin': new Uint8Array([0xff, 0xfe]) }
test('render merges FlagSets, KubeletConfigs and the own values of the pool, later wins', () => {
  const { content, desired } = rendered(aFleet(fleet, attachments), aNode('n1'))
  expect(content.version).toBe('1.36.3')
  expect(content.flags).toBe('--feature-gates=MemoryQoS=true,PodLevelResources=false --register-with-taints=a=b:NoSchedule --v=4')
  expect(content.opts).toBe('--node-labels=name=n1')
  expect(content.config).toBe(`apiVersion: kubelet.config.k8s.io/v1beta1
evictionHard:
  memory.available: "100Mi"
  nodefs.available: "10%"
kind: KubeletConfiguration
maxPods: 250
serializeImagePulls: null
`)
  expect(JSON.parse(content.host ?? '')).toEqual({
    kubelet: {
      layout: 'kubeadm',
      configMode: 'overlay',
      binary: { amd64: { url: 'https://dl.k8s.io/v1.36.3/amd64/kubelet', sha256: SHA } },
      trialSeconds: 30,
    },
    files: [
      { path: '/etc/motd', content: 'hello\n' },
      { path: '/etc/logo', contentBase64: '//4=' },
    ],
  })
  expect(Object.keys(desired)).toEqual([
    'KUBELET_VERSION',
    'KUBELET_CONFIG',
    'KUBELET_OPTS',
    'HOST_CONFIG',
    'NAMESPACE',
    'DIGEST',
    'POOL',
  ])
})

test('render is content-addressed: digest, names of ConfigMaps and annotation follow from the content', () => {
  const node = rendered(aFleet(fleet, attachments), aNode('n1'))
  const [kubelet, host] = node.payloads
  expect(node.digest).toBe(contentDigest(node.content))
  expect(node.desired).toEqual({
    KUBELET_VERSION: '1.36.3',
    KUBELET_CONFIG: kubelet?.name,
    KUBELET_OPTS: '--node-labels=name=n1',
    HOST_CONFIG: host?.name,
    NAMESPACE: 'nodewave-system',
    DIGEST: node.digest,
    POOL: 'workers',
  })
  expect(kubelet).toMatchObject({
    kind: 'kubelet',
    pool: 'workers',
    data: { 'kubelet-flags': node.content.flags, kubelet: node.content.config },
  })
  expect(host).toMatchObject({ kind: 'host', pool: 'workers', data: { host: node.content.host } })
  expect(kubelet?.name).toBe(`workers-kubelet-${kubelet?.digest.slice(3, 13)}`)
  expect(host?.name).toBe(`workers-host-${host?.digest.slice(3, 13)}`)
})

test('render gives the same digest as it always did, for a changed one rolls every fleet', () => {
  const { digest, payloads } = rendered(aFleet(fleet, attachments), aNode('n1'))
  expect([digest, ...payloads.map(({ name }) => name)]).toEqual([
    'v1:b2ab863885f720b91028fe995e453df26c3bacad71b147d7af0404f4395b140b',
    'workers-kubelet-8cf952181a',
    'workers-host-e1033cd99c',
  ])
})

test('render gives nodes the same object and ConfigMaps when nothing in the pool is from the node', () => {
  const renderer = createRenderer(aFleet({ 'NodePool workers': `${WORKERS}\nkubelet: {flags: {v: 2}}` }))
  expect(renderer.render('workers', aNode('n1'))).toBe(renderer.render('workers', aNode('n2', { arch: 'arm64' })))
})

test('render shares ConfigMaps among nodes whose flags differ by template only', () => {
  const renderer = createRenderer(aFleet(fleet, attachments))
  const [a, b] = ['a', 'b'].map((name) => renderer.render('workers', aNode(name)))
  if (!a?.ok || !b?.ok) throw new Error('both nodes must render')
  expect(a.digest).not.toBe(b.digest)
  expect(a.payloads.map(({ name }) => name)).toEqual(b.payloads.map(({ name }) => name))
})

test('render takes the drift policy of the Fleet, and of the pool where that says otherwise, kind by kind', () => {
  const { content } = rendered(
    aFleet({
      'Fleet fleet': 'drift: {policy: Report, kinds: {files: Repair, units: Ignore}}',
      'NodePool workers': `${WORKERS}\ndrift: {kinds: {units: Report}, repairsPerHour: 2}`,
    }),
    aNode('n1'),
  )
  expect(JSON.parse(content.host ?? '').drift).toEqual({
    policy: 'Report',
    kinds: { files: 'Repair', units: 'Report' },
    repairsPerHour: 2,
  })
})

test('render does without a kubelet ConfigMap when the pool says nothing about the kubelet', () => {
  const { content, payloads } = rendered(aFleet({ 'NodePool workers': WORKERS }), aNode('n1'))
  expect(content).toEqual({
    version: undefined,
    opts: undefined,
    flags: undefined,
    config: undefined,
    host: '{\n  "kubelet": {\n    "configMode": "overlay",\n    "layout": "kubeadm",\n    "trialSeconds": 120\n  }\n}',
  })
  expect(payloads.map(({ kind }) => kind)).toEqual(['host'])
})

test('render puts ConfigMaps into the namespace it was made for', () => {
  const renderer = createRenderer(aFleet({ 'NodePool workers': WORKERS }), { namespace: 'fleet' })
  expect(renderer.render('workers', aNode('n1'))).toMatchObject({ ok: true, desired: { NAMESPACE: 'fleet' } })
})

test('render removes a field that a later document nulls when the documents are the whole file', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nkubelet: {configMode: full, config: [base, less]}`,
    'KubeletConfig base':
      'config: {authentication: {anonymous: {enabled: false}}, authorization: {mode: Webhook}, clusterDNS: [10.0.0.10], maxPods: 10, evictionHard: {memory.available: 1Gi}}',
    'KubeletConfig less': 'config: {maxPods: null, evictionHard: null}',
  })
  expect(rendered(model, aNode('n1')).content.config).toBe(`apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
authorization:
  mode: Webhook
clusterDNS:
  - "10.0.0.10"
kind: KubeletConfiguration
`)
})

test('render throws when asked for a pool that is not there', () => {
  expect(() => createRenderer(aFleet({})).render('workers', aNode('n1'))).toThrow('render node "n1": there is no pool "workers"')
})
