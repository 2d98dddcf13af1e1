import { expect, test } from 'vitest'
import { checkConfig } from '../../../src/repo/kubelet-knowledge/check-config.ts'

function messages(config: Parameters<typeof checkConfig>[0], version?: string): string[] {
  return checkConfig(config, version).map(({ message, remedy }) => (remedy ? `${message}; ${remedy}` : message))
}

test('checkConfig takes what kubeadm writes', () => {
  const config = {
    authentication: {
      anonymous: { enabled: false },
      webhook: { cacheTTL: '0s', enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
    },
    authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '0s', cacheUnauthorizedTTL: '0s' } },
    cgroupDriver: 'systemd',
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    containerRuntimeEndpoint: '',
    cpuManagerReconcilePeriod: '0s',
    healthzPort: 10248,
    logging: { flushFrequency: 0, options: { json: { infoBufferSize: '0' }, text: { infoBufferSize: '0' } }, verbosity: 0 },
    memorySwap: {},
    rotateCertificates: true,
    shutdownGracePeriod: '0s',
  }

  for (const version of ['1.31.14', '1.32.13', '1.33.13', '1.34.4', '1.35.4', '1.36.3'])
    expect(messages(config, version)).toEqual([])
})

test('checkConfig names the field that was meant when one is misspelt', () => {
  expect(messages({ maxPodz: 3 }, '1.36.3')).toEqual([
    'configuration field "maxPodz" is not known to kubelet 1.36.3; did you mean "maxPods"?',
  ])
})

test('checkConfig gives the path of a misspelt field within another', () => {
  expect(checkConfig({ authentication: { anonymous: { enable: true } } }, '1.36.3')).toMatchObject([
    { path: ['authentication', 'anonymous', 'enable'], part: 'key', remedy: 'did you mean "enabled"?' },
  ])
})

test('checkConfig says from which minor on a field is known', () => {
  expect(messages({ mergeDefaultEvictionSettings: true }, '1.32.0')).toEqual([
    'configuration field "mergeDefaultEvictionSettings" is not known to kubelet 1.32.0 (known from 1.33 on); take it out, or raise kubelet.version of the pools that use it',
  ])
  expect(messages({ mergeDefaultEvictionSettings: true }, '1.33.0')).toEqual([])
})

test('checkConfig judges by what any kubelet knows when the version is left to others', () => {
  expect(messages({ mergeDefaultEvictionSettings: true, crashLoopBackOff: { maxContainerRestartPeriod: '60s' } })).toEqual([])
  expect(messages({ nope: 1 })).toEqual([
    'configuration field "nope" is not known to any kubelet from 1.31 to 1.36; correct its name, or take it out',
  ])
})

test.each([
  [{ maxPods: '110' }, 'expected "maxPods" to be a whole number'],
  [{ maxPods: 1.5 }, 'expected "maxPods" to be a whole number'],
  [{ rotateCertificates: 'true' }, 'expected "rotateCertificates" to be true or false'],
  [{ clusterDomain: 1 }, 'expected "clusterDomain" to be a string'],
  [{ clusterDNS: '10.0.0.10' }, 'expected "clusterDNS" to be a list'],
  [{ clusterDNS: [10] }, 'expected "clusterDNS.0" to be a string'],
  [{ syncFrequency: 10 }, 'expected "syncFrequency" to be a duration such as "10s" or "1m30s"'],
  [{ syncFrequency: '10' }, 'expected "syncFrequency" to be a duration such as "10s" or "1m30s"'],
  [{ evictionHard: ['memory.available<100Mi'] }, 'expected "evictionHard" to be a map'],
  [{ evictionHard: { 'memory.available': 100 } }, 'expected "evictionHard.memory.available" to be a string'],
  [{ authentication: true }, 'expected "authentication" to be a map'],
  [{ registerWithTaints: [{ key: 'a', effect: 1 }] }, 'expected "registerWithTaints.0.effect" to be a string'],
])('checkConfig refuses %j', (config, message) => {
  expect(messages(config, '1.36.3')).toEqual([message])
})

test('checkConfig lets null through anywhere, for it takes out what an earlier document set', () => {
  expect(messages({ maxPods: null, evictionHard: { 'memory.available': null }, authentication: null }, '1.36.3')).toEqual([])
})

test('checkConfig lets a template stand where text may', () => {
  expect(messages({ providerID: '{{ node.name }}', syncFrequency: '{{ node.labels.sync }}' }, '1.36.3')).toEqual([])
})

test('checkConfig refuses a feature gate that would make the kubelet panic', () => {
  expect(messages({ featureGates: { NodeSwapp: true } }, '1.32.0')).toEqual([
    'feature gate "NodeSwapp" is not known to kubelet 1.32.0; did you mean "NodeSwap"?',
  ])
  expect(messages({ featureGates: { CloudDualStackNodeIPs: true } }, '1.36.3')).toEqual([
    'feature gate "CloudDualStackNodeIPs" is not known to kubelet 1.36.3 (removed in 1.32); take it out',
  ])
})

test.each([
  [{ maxPods: -5 }, 'expected "maxPods" to be a whole number from 0 to 2147483647; kubelet 1.36.3 accepts nothing else'],
  [
    { topologyManagerPolicy: 'best-efort' },
    'expected "topologyManagerPolicy" to be one of "best-effort", "none", "restricted", "single-numa-node"; kubelet 1.36.3 accepts nothing else; did you mean "best-effort"?',
  ],
  [
    { cpuManagerPolicy: 'Static' },
    'expected "cpuManagerPolicy" to be one of "none", "static"; kubelet 1.36.3 accepts nothing else; did you mean "static"?',
  ],
  [{ featureGates: { AllAlpha: 'yes' } }, 'expected "featureGates.AllAlpha" to be true or false'],
  [{ featureGates: { NodeSwap: false } }, 'feature gate "NodeSwap" is locked to true in kubelet 1.36.3; take it out'],
  [
    { evictionHard: { 'memory.free': '5%' } },
    'expected "evictionHard" to be thresholds such as {memory.available: 500Mi, nodefs.available: 10%}, by signals that the kubelet knows; kubelet 1.36.3 accepts nothing else; correct  memory.free: 5%',
  ],
])('checkConfig says what is wrong with %j', (config, message) => {
  expect(messages(config, '1.36.3')).toEqual([message])
})
