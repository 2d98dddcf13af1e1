import { expect, test } from 'vitest'
import type { NodeContent } from '../../src/protocol/digest.ts'
import { createDisruptionJudge, disruptionBetween } from '../../src/render/disruption.ts'

const REPOSITORY = { name: 'r', apt: { url: 'https://r.test/', suite: '/', key: '-----BEGIN PGP PUBLIC KEY BLOCK-----' } }
const host = (document: object): NodeContent => ({ host: JSON.stringify(document) })
const config = (text: string): NodeContent => ({ config: text })

test.each<[string, NodeContent, NodeContent, string, string[]]>([
  ['nothing changes', { version: '1.36.3', flags: '--v=2' }, { version: '1.36.3', flags: '--v=2' }, 'none', []],
  [
    'the patch release changes',
    { version: '1.36.1' },
    { version: '1.36.3' },
    'restart',
    ['version: patch release 1.36.1 → 1.36.3 (restart)'],
  ],
  [
    'the minor release changes',
    { version: '1.35.4' },
    { version: '1.36.3' },
    'drain',
    ['version: minor release 1.35 → 1.36 (drain)'],
  ],
  [
    'the minor release goes back',
    { version: 'v1.36.3' },
    { version: '1.35.4' },
    'drain',
    ['version: minor release 1.36 → 1.35 (drain)'],
  ],
  [
    'a file changes that counts after a reboot',
    host({ files: [{ path: '/etc/modprobe.d/gpu.conf', content: 'a' }], rebootOn: ['/etc/modprobe.d/gpu.conf'] }),
    host({ files: [{ path: '/etc/modprobe.d/gpu.conf', content: 'b' }], rebootOn: ['/etc/modprobe.d/gpu.conf'] }),
    'reboot',
    ['host.files./etc/modprobe.d/gpu.conf: it counts after a reboot (reboot)'],
  ],
  [
    'the Node gets another label, and a taint that evicts nobody',
    host({ node: { labels: { tier: 'front' } } }),
    host({ node: { labels: { tier: 'back' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] } }),
    'none',
    [],
  ],
  [
    'the Node gets a taint that evicts pods',
    host({ node: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } }),
    host({ node: { taints: [{ key: 'gpu', effect: 'NoExecute' }] } }),
    'drain',
    ['host.node.taints: pods without a toleration are evicted (drain)'],
  ],
  ['a taint that evicts pods goes', host({ node: { taints: [{ key: 'gpu', effect: 'NoExecute' }] } }), host({}), 'none', []],
  [
    'an archive has another content, and a link another target',
    host({
      archives: [{ name: 'cni', url: 'https://m.test/1', sha256: 'a'.repeat(64), directory: '/opt/cni/bin' }],
      links: [{ path: '/opt/x', target: '/opt/y' }],
    }),
    host({
      archives: [{ name: 'cni', url: 'https://m.test/2', sha256: 'b'.repeat(64), directory: '/opt/cni/bin' }],
      links: [{ path: '/opt/x', target: '/opt/z' }],
    }),
    'restart',
    ['host.archives.cni: what runs may be replaced (restart)'],
  ],
  ['only the v of a version changes', { version: 'v1.36.3' }, { version: '1.36.3' }, 'none', []],
  [
    'a version comes to be managed',
    {},
    { version: '1.36.3' },
    'drain',
    ['version: 1.36.3 instead of an unknown version (drain)'],
  ],
  ['the version is left to others', { version: '1.36.3' }, {}, 'none', []],
  [
    'a flag changes',
    { flags: '--v=2' },
    { opts: '--v=3' },
    'restart',
    ['flags.v: the kubelet reads it when it starts (restart)'],
  ],
  [
    'a sysctl changes',
    host({ sysctls: { 'vm.swappiness': '60', 'kernel.panic': '10' } }),
    host({ sysctls: { 'vm.swappiness': '10', 'kernel.panic': '10' } }),
    'restart',
    ['host.sysctls.vm.swappiness: the running kernel takes it at once (restart)'],
  ],
  ['a flag moves to the options', { flags: '--v=2' }, { opts: '--v=2' }, 'none', []],
  [
    'a flag of known effect changes',
    { flags: '' },
    { flags: '--cluster-dns=10.0.0.9' },
    'drain',
    ['flags.cluster-dns: running pods keep the old value (drain)'],
  ],
  [
    'labels change',
    { flags: '--node-labels=a=b' },
    { flags: '' },
    'restart',
    ['flags.node-labels: it acts only when the node first registers (restart)'],
  ],
  [
    'a field changes',
    config('maxPods: 2'),
    config('maxPods: 1'),
    'restart',
    ['config.maxPods: pods beyond the new limit are evicted or refused (restart)'],
  ],
  ['a field goes away', config('resolvConf: /a'), {}, 'drain', ['config.resolvConf: running pods keep the old value (drain)']],
  [
    'fields of several effects change',
    config('cgroupDriver: cgroupfs'),
    config('cgroupDriver: systemd\nevictionHard: {a: 1, b: 2}'),
    'reboot',
    [
      'config.cgroupDriver: pods keep the cgroups they were started in (reboot)',
      'config.evictionHard: pods beyond the new limit are evicted or refused (restart)',
    ],
  ],
  [
    'the policies of the managers for CPU and memory change',
    config('cpuManagerPolicy: none'),
    config('cpuManagerPolicy: static\nmemoryManagerPolicy: Static'),
    'drain',
    [
      'config.cpuManagerPolicy: running pods keep the CPUs and memory of the old policy (drain)',
      'config.memoryManagerPolicy: running pods keep the CPUs and memory of the old policy (drain)',
    ],
  ],
  ['a file appears', host({}), host({ files: [{ path: '/etc/motd', content: 'x' }] }), 'none', []],
  [
    'a file changes that a unit restarts on',
    host({ files: [{ path: '/etc/x', content: '1' }], units: [{ name: 'x.service', restartOn: ['/etc/x'] }] }),
    host({ files: [{ path: '/etc/x', content: '2' }], units: [{ name: 'x.service', restartOn: ['/etc/x'] }] }),
    'restart',
    ['host.files./etc/x: x.service restarts on it (restart)'],
  ],
  [
    'a package goes up that a unit restarts on',
    host({ packages: [{ name: 'x', version: '1' }], units: [{ name: 'x.service', restartOn: ['package:x'] }] }),
    host({ packages: [{ name: 'x', version: '2' }], units: [{ name: 'x.service', restartOn: ['package:x'] }] }),
    'restart',
    ['host.packages.x: its scripts may restart what it brings (restart)', 'host.packages.x: x.service restarts on it (restart)'],
  ],
  ['a package is held', host({ packages: [{ name: 'x' }] }), host({ packages: [{ name: 'x', hold: true }] }), 'none', []],
  ['a repository comes', host({}), host({ repositories: [REPOSITORY] }), 'none', []],
  [
    'a unit is enabled',
    host({ units: [{ name: 'x.service' }] }),
    host({ units: [{ name: 'x.service', enabled: true }] }),
    'none',
    [],
  ],
  [
    'a drop-in changes',
    host({ units: [{ name: 'x.service', dropIns: { 'a.conf': '1' } }] }),
    host({ units: [{ name: 'x.service', dropIns: { 'a.conf': '2' } }] }),
    'restart',
    ['host.units.x.service: the unit restarts (restart)'],
  ],
  ['the trial changes', host({ kubelet: { trialSeconds: 1 } }), host({ kubelet: { trialSeconds: 2 } }), 'none', []],
  [
    'the layout changes',
    host({ kubelet: { layout: 'env' } }),
    host({ kubelet: { layout: 'kubeadm' } }),
    'restart',
    ['host.kubelet.layout: the kubelet is reinstalled (restart)'],
  ],
])('the disruption when %s', (_, from, to, disruption, reasons) => {
  expect(disruptionBetween(from, to)).toEqual({ disruption, reasons })
})

test('the first configuration restarts the kubelet, and drains only for another minor release than runs', () => {
  const to = { version: '1.36.3', config: 'cgroupDriver: systemd' }
  expect(disruptionBetween(undefined, to, { running: 'v1.36.1' })).toEqual({
    disruption: 'restart',
    reasons: ['node: it is configured for the first time (restart)', 'version: patch release 1.36.1 → 1.36.3 (restart)'],
  })
  expect(disruptionBetween(undefined, to, { running: 'v1.34.0' }).disruption).toBe('drain')
  expect(disruptionBetween(undefined, to).disruption).toBe('drain')
})

test('a judge says the same the second time', () => {
  const judge = createDisruptionJudge()
  const [a, b] = [config('resolvConf: /a'), config('resolvConf: /b')]
  const once = [judge(a, b), judge(b, a), judge(a, a)].map(({ disruption }) => disruption)
  const again = [judge(a, b), judge(b, a), judge(a, a)].map(({ disruption }) => disruption)
  expect([once, again]).toEqual([
    ['drain', 'drain', 'none'],
    ['drain', 'drain', 'none'],
  ])
})

test('a new version says nothing more of the binary that comes with it', () => {
  const at = (version: string) => ({
    version,
    ...host({ kubelet: { binary: { amd64: { url: `https://x/${version}`, sha256: 'a' } } } }),
  })
  expect(disruptionBetween(at('1.36.1'), at('1.36.3')).reasons).toEqual(['version: patch release 1.36.1 → 1.36.3 (restart)'])
})

test.each([
  ['maxPods: 110', 'maxPods: 250', 'the kubelet reads it when it starts'],
  ['maxPods: 250', 'maxPods: 110', 'pods beyond the new limit are evicted or refused'],
  ['v: 1', 'maxPods: 250', 'pods beyond the new limit are evicted or refused'],
  ['podPidsLimit: 100', 'podPidsLimit: -1', 'the kubelet reads it when it starts'],
  ['podPidsLimit: -1', 'podPidsLimit: 100', 'pods beyond the new limit are evicted or refused'],
])('disruption of %s → %s says that it is because %s', (from, to, because) => {
  expect(disruptionBetween(config(from), config(to)).reasons.at(0)).toContain(because)
})

test('disruption of a raised limit is the same for the flag', () => {
  const { reasons } = disruptionBetween({ opts: '--max-pods=110' }, { opts: '--max-pods=250' })
  expect(reasons).toEqual(['flags.max-pods: the kubelet reads it when it starts (restart)'])
})

test('a pool that knows better says what its changes take', () => {
  const rules = { minorVersion: 'reboot', patchVersion: 'drain', fields: { maxPods: 'drain', clusterDNS: 'restart' } } as const
  const judged = (from: NodeContent, to: NodeContent) => disruptionBetween(from, to, { rules }).disruption

  expect(judged({ version: '1.35.4' }, { version: '1.36.3' })).toBe('reboot')
  expect(judged({ version: '1.36.1' }, { version: '1.36.3' })).toBe('drain')
  expect(judged(config('maxPods: 2'), config('maxPods: 1'))).toBe('drain')
  expect(judged({ flags: '--max-pods=2' }, { flags: '--max-pods=1' })).toBe('drain')
  expect(judged(config('clusterDNS: [a]'), config('clusterDNS: [b]'))).toBe('restart')
  expect(judged(config('cgroupDriver: a'), config('cgroupDriver: b'))).toBe('reboot')
})
