import { expect, test } from 'vitest'
import { checkFlags } from '../../../src/repo/kubelet-knowledge/check-flags.ts'

function messages(flags: Parameters<typeof checkFlags>[0], version?: string): string[] {
  return checkFlags(flags, version).map(({ message, remedy }) => (remedy ? `${message}; ${remedy}` : message))
}

test('checkFlags takes a flag up to the last minor that has it', () => {
  const flags = { 'pod-infra-container-image': 'registry.k8s.io/pause:3.9' }

  expect(messages(flags, '1.34.4')).toEqual([])
  expect(messages(flags, '1.35.0')).toEqual([
    'flag --pod-infra-container-image is not known to kubelet 1.35.0 (removed in 1.35); take it out',
  ])
})

test('checkFlags names the flag that was meant when one is misspelt', () => {
  expect(messages({ 'node-label': 'a=b' }, '1.36.3')).toEqual([
    'flag --node-label is not known to kubelet 1.36.3; did you mean "node-labels"?',
  ])
})

test('checkFlags takes the flags of the JSON log format, of cAdvisor and of klog', () => {
  expect(messages({ 'log-json-split-stream': true, 'housekeeping-interval': '10s', v: 4, vmodule: 'a=1' }, '1.36.3')).toEqual([])
})

test.each([
  [{ 'max-pods': 'ten' }, 'expected flag --max-pods to be a whole number'],
  [{ 'max-pods': 1.5 }, 'expected flag --max-pods to be a whole number'],
  [{ 'fail-swap-on': 'no' }, 'expected flag --fail-swap-on to be true or false'],
  [{ 'sync-frequency': '10' }, 'expected flag --sync-frequency to be a duration such as "10s"'],
])('checkFlags refuses %j', (flags, message) => {
  expect(messages(flags, '1.36.3')).toEqual([message])
})

test('checkFlags lets a template stand for any value', () => {
  expect(messages({ 'max-pods': '{{ node.labels.pods }}', 'node-ip': '{{ node.internalIP }}' }, '1.36.3')).toEqual([])
})

test.each([
  ['a map', { NodeSwapp: true }, ['feature-gates', 'NodeSwapp']],
  ['text', 'AllAlpha=false,NodeSwapp=true', ['feature-gates']],
])('checkFlags finds an unknown feature gate in %s', (_, value, path) => {
  expect(checkFlags({ 'feature-gates': value }, '1.32.0')).toMatchObject([
    { path, reason: 'UnknownFeatureGate', message: 'feature gate "NodeSwapp" is not known to kubelet 1.32.0' },
  ])
})

test.each([
  [
    { config: '/etc/kubelet.yaml' },
    'with flag --config the kubelet would read another file than the one that nodewave writes; write the fields into a KubeletConfig, and name it under kubelet.config',
  ],
  [{ 'container-runtime': 'remote' }, 'flag --container-runtime is not known to kubelet 1.36.3 (removed in 1.27); take it out'],
  [{ 'log-file': '/var/log/kubelet.log' }, 'flag --log-file is not known to kubelet 1.36.3 (removed in 1.26); take it out'],
  [
    { 'node-labels': { 'kubernetes.io/pool': 'gpu' } },
    'a kubelet does not start with "kubernetes.io/pool" in --node-labels: it may not give itself labels of "kubernetes.io"; set it under labels of the pool, where the controller writes it, or use node.kubernetes.io/',
  ],
  [{ 'max-pods': -1 }, 'expected flag --max-pods to be a whole number from 0 to 2147483647; kubelet 1.36.3 accepts nothing else'],
  [
    { 'hairpin-mode': 'veth' },
    'expected flag --hairpin-mode to be one of "hairpin-veth", "none", "promiscuous-bridge"; kubelet 1.36.3 accepts nothing else',
  ],
  [
    { 'eviction-hard': 'memory.available=5Mi' },
    'expected flag --eviction-hard to be signals and thresholds, such as "memory.available<500Mi"; or write it as a map',
  ],
])('checkFlags says what is wrong with %j', (flags, message) => {
  expect(messages(flags, '1.36.3')).toEqual([message])
})
