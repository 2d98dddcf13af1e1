import { expect, test } from 'vitest'
import { kubeletBinary } from '../../src/sim/host/kubelet-launch.ts'
import { KUBEADM_CONFIG } from './documents.ts'
import { aMachine, contentOf, importAndApply, stateOf } from './some-imports.ts'

test('agent changes nothing on a host of kubeadm after its import', async () => {
  const machine = await aMachine(
    {},
    {
      '/var/lib/kubelet/config.yaml': KUBEADM_CONFIG,
      '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS="--node-labels=b=2,a=1 --v=3 --node-ip=192.0.2.11"\n',
      '/etc/sysctl.d/90-kubernetes.conf': 'net.ipv4.ip_forward = 1\n',
      '/etc/containerd/config.toml': `version = 3\n${'# a comment\n'.repeat(20)}`,
    },
  )
  machine.host.packages.put({ name: 'cri-tools', version: '1.35.0-1.1' }, { held: true })
  const before = await stateOf(machine)
  const files = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(Object.keys(files).sort()).toEqual([
    'config/base.yaml',
    'fleet.yaml',
    'hosts/files/workers/etc/containerd/config.toml',
    'hosts/workers.yaml',
    'pools/workers.yaml',
    'releases/upstream.yaml',
  ])
  expect(files['pools/workers.yaml']).toMatchInlineSnapshot(`
    "# Imported from worker-1.
    # nodewave import left these as they are:
    # - --container-runtime-endpoint=unix:///run/containerd/containerd.sock: kubeadm writes these to
    #   /var/lib/kubelet/kubeadm-flags.env at join and upgrade; leave them to kubeadm; a flag of the pool wins
    #   over one of the same name.
    apiVersion: nodewave.io/v1alpha1
    kind: NodePool
    metadata:
      name: workers
    spec:
      nodeSelector:
        matchLabels:
          kubernetes.io/os: linux
      kubelet:
        version: "1.35.4"
        release: upstream
        layout: kubeadm
        flags:
          node-labels: b=2,a=1
          v: 3
          node-ip: "{{ node.internalIP }}"
        config:
          - base
      hostProfiles:
        - workers
    "
  `)
  expect(files['config/base.yaml']).toMatchInlineSnapshot(`
    "apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    metadata:
      name: base
    authentication:
      anonymous:
        enabled: false
      webhook:
        enabled: true
      x509:
        clientCAFile: /etc/kubernetes/pki/ca.crt
    authorization:
      mode: Webhook
    cgroupDriver: systemd
    clusterDNS:
      - "10.96.0.10"
    clusterDomain: cluster.local
    containerRuntimeEndpoint: ""
    healthzBindAddress: "127.0.0.1"
    healthzPort: 10248
    resolvConf: /run/systemd/resolve/resolv.conf
    rotateCertificates: true
    staticPodPath: /etc/kubernetes/manifests
    "
  `)
  expect(files['hosts/workers.yaml']).toMatchInlineSnapshot(`
    "# nodewave import left these as they are:
    # - swap is off: "swap: off" also keeps it off at the next boot, by a file for systemd or by the lines of
    #   /etc/fstab; add swap: off in a later commit.
    # - kernel settings and modules in files: as files they count at the next boot; sysctls and kernelModules
    #   also set and prove them at once; write them as sysctls and kernelModules instead, and the files with
    #   state: absent.
    apiVersion: nodewave.io/v1alpha1
    kind: HostProfile
    metadata:
      name: workers
    spec:
      files:
        - path: /etc/containerd/config.toml
          from: hosts/files/workers/etc/containerd/config.toml
        - path: /etc/sysctl.d/90-kubernetes.conf
          content: |
            net.ipv4.ip_forward = 1
      units:
        - name: containerd.service
          enabled: true
          state: running
          restartOn:
            - /etc/containerd/config.toml
        - name: systemd-sysctl.service
          restartOn:
            - /etc/sysctl.d/90-kubernetes.conf
      packages:
        - name: cri-tools
          version: 1.35.0-1.1
    "
  `)
})

const OLD_SOURCE = 'https://pkgs.example/v1.35/deb/'

const NEW_SOURCE = 'https://pkgs.example/v1.36/deb/'

function kubeletPackage(version: string) {
  return {
    name: 'kubelet',
    version: `${version}-1.1`,
    files: { '/usr/bin/kubelet': Buffer.from(kubeletBinary(version)).toString() },
  }
}

test('a kubelet by a package of the host is imported with the repository, changes nothing, and goes up by two lines', async () => {
  const machine = await aMachine(
    {},
    {
      '/etc/apt/sources.list.d/kubernetes.list': `deb [signed-by=/etc/apt/keyrings/kubernetes.gpg] ${OLD_SOURCE} /\n`,
      '/etc/apt/sources.list.d/debian.sources': 'URIs: https://deb.debian.org/debian\n',
    },
  )
  const { packages } = machine.host
  packages.offers.set('https://deb.debian.org/debian', [])
  packages.offers.set(OLD_SOURCE, [kubeletPackage('1.35.4')])
  packages.offers.set(NEW_SOURCE, [kubeletPackage('1.36.3')])
  packages.put(kubeletPackage('1.35.4'), { held: true })
  const before = await stateOf(machine)
  const files = await importAndApply(machine)
  expect(await stateOf(machine)).toEqual(before)
  expect(files['hosts/workers.yaml']).not.toContain('repositories: /etc/apt/sources.list.d/kubernetes.list')
  expect(files['hosts/workers.yaml']).toContain('repositories: /etc/apt/sources.list.d/debian.sources')

  const changed = Object.entries(files).map(([path, text]) => [
    path,
    text.replace(OLD_SOURCE, NEW_SOURCE).replace('version: "1.35.4"', 'version: "1.36.3"'),
  ])
  await machine.untilDigest(machine.assign(contentOf(Object.fromEntries(changed)), { GRANT: 'drain' }), 'Applied')

  expect(await packages.installed('kubelet')).toMatchObject({ version: '1.36.3-1.1', held: true })
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
})

test('agent changes nothing on a host with an environment file after its import', async () => {
  const machine = await aMachine(
    { layout: 'env' },
    {
      '/etc/kubernetes/kubelet.env':
        'KUBELET_VERSION=v1.35.4\nKUBELET_OPTS="--v=2 --max-pods=60 --hostname-override=worker-1"\nOTHER=1\n',
    },
  )
  const before = await stateOf(machine)
  const files = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(files['pools/workers.yaml']).toMatchInlineSnapshot(`
    "# Imported from worker-1.
    apiVersion: nodewave.io/v1alpha1
    kind: NodePool
    metadata:
      name: workers
    spec:
      nodeSelector:
        matchLabels:
          kubernetes.io/os: linux
      kubelet:
        layout: env
        flags:
          v: 2
          max-pods: 60
          hostname-override: "{{ node.name }}"
      hostProfiles:
        - workers
    "
  `)
})

const SWAP_DROP_IN = {
  '/etc/systemd/system/swap.d/10-nodewave.conf':
    '# Written by nodewave: no swap unit starts as long as this file is here.\n[Unit]\nConditionPathExists=!/etc/systemd/system/swap.d/10-nodewave.conf\n',
}

test.each([
  ['OpenRC has no swap', { serviceManager: 'openrc' }, { '/etc/fstab': '/dev/sda1 / ext4 defaults 0 1\n' }],
  ['systemd starts no swap', {}, SWAP_DROP_IN],
] as const)('import writes "swap: off" when a host of %s, and its agent changes nothing', async (_, options, files) => {
  const machine = await aMachine(options, files)
  const before = await stateOf(machine)
  const written = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(written['hosts/workers.yaml']).toContain('swap: off\n')
  expect(written['hosts/workers.yaml']).not.toContain('# - swap')
})

test.each([
  ['systemd might start swap', {}, {}],
  ['OpenRC swaps at the next boot', { serviceManager: 'openrc' }, { '/etc/fstab': '/dev/sda2 none swap sw 0 0\n' }],
] as const)('import writes no "swap: off" when %s, and says why', async (_, options, files) => {
  const machine = await aMachine(options, files)
  const before = await stateOf(machine)
  const written = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(written['hosts/workers.yaml']).toContain('# - swap is off: "swap: off" also keeps it off at the next boot')
  expect(written['hosts/workers.yaml']).not.toContain('\n  swap:')
})

test('import says that packages could not be read when their manager does not answer, and the agent changes nothing', async () => {
  const machine = await aMachine({}, {})
  machine.host.packages.held = () => Promise.reject(new Error('read the package database: rpm: cannot open Packages index'))
  const before = await stateOf(machine)
  const files = await importAndApply(machine)

  expect(await stateOf(machine)).toEqual(before)
  expect(files['hosts/workers.yaml']).toContain('# - packages: they cannot be read: read the package database: rpm: cannot open')
})
