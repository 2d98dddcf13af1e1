import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { HostUnit } from '../../../src/protocol/host-document.ts'
import { Machine } from '../support/machine.ts'

/** Assigned to a machine that is at rest, which grants no disruption. */
async function assigned(path: string, content: NodeContent & { units?: HostUnit[] } = {}) {
  const { units, ...kubelet } = content
  const machine = new Machine()
  machine.start()
  machine.assign(kubelet)
  await machine.until('Applied')
  await machine.clock.advance(11 * 60_000)
  machine.assign(
    { ...kubelet, host: JSON.stringify({ files: [{ path, content: 'x\n' }], ...(units && { units }) }) },
    { GRANT: 'none' },
  )
  return machine.until('Applied', 'RolledBack', 'Blocked')
}

test.each([
  ['/var/lib/kubelet/config.yaml', 'write a KubeletConfig and name it in kubelet.config'],
  ['/var/lib/kubelet/kubeadm-flags.env', 'write them as kubelet.flags of the pool'],
  ['/etc/default/kubelet', 'write them as kubelet.flags of the pool'],
  ['/usr/bin/kubelet', 'name a version and a KubeletRelease in the pool'],
  ['/etc/kubernetes/kubelet.conf', 'leave it to kubeadm'],
  ['/etc/containerd/config.toml', 'add under units: {name: containerd.service, restartOn: [/etc/containerd/config.toml]}'],
  [
    '/etc/containerd/conf.d/10-a.toml',
    'add under units: {name: containerd.service, restartOn: [/etc/containerd/conf.d/10-a.toml]}',
  ],
  ['/etc/crio/crio.conf.d/10-a.conf', 'add under units: {name: crio.service,'],
  ['/etc/docker/daemon.json', 'add under units: {name: docker.service,'],
  ['/etc/sysctl.d/90-a.conf', 'add under units: {name: systemd-sysctl.service,'],
  ['/usr/lib/sysctl.d/90-a.conf', 'add under units: {name: systemd-sysctl.service,'],
  ['/etc/sysctl.conf', 'add under units: {name: systemd-sysctl.service,'],
  ['/etc/nodewave/policy.yaml', 'change it on the host'],
  ['/etc/systemd/system/nodewave-agent.service', 'install the agent again'],
  ['/etc/systemd/system/service.d/10-a.conf', 'write it as dropIns of each unit'],
])('the agent refuses "%s" as a plain file, with the field that does it right', async (path, remedy) => {
  const { phase, error } = await assigned(path)

  expect([phase, error?.reason]).toEqual(['RolledBack', 'PathNotAllowed'])
  expect(error?.message).toContain(remedy)
})

test.each<[string, string, NodeContent & { units?: HostUnit[] }]>([
  ['static pod manifests', '/etc/kubernetes/manifests/a.yaml', {}],
  ['the CNI configuration', '/etc/cni/net.d/10-a.conflist', {}],
  ['CNI programs', '/opt/cni/bin/a', {}],
  ["the runtime's registries", '/etc/containerd/certs.d/docker.io/hosts.toml', {}],
  ["a unit's own file", '/etc/systemd/system/kubelet.service', {}],
  ['a drop-in of the kubelet', '/etc/systemd/system/kubelet.service.d/99-a.conf', {}],
  [
    "a drop-in of the kubelet's configuration",
    '/etc/kubernetes/kubelet.conf.d/a.conf',
    { flags: '--config-dir=/etc/kubernetes/kubelet.conf.d' },
  ],
  [
    'a file that a flag names',
    '/etc/kubernetes/credentials.yaml',
    { flags: '--image-credential-provider-config=/etc/kubernetes/credentials.yaml' },
  ],
  [
    'a file that the configuration names',
    '/etc/kubernetes/pki/kubelet.crt',
    { config: 'tlsCertFile: /etc/kubernetes/pki/kubelet.crt\n' },
  ],
  [
    'a file in a nested field of the configuration',
    '/etc/kubernetes/pki/clients.crt',
    { config: 'authentication: {x509: {clientCAFile: /etc/kubernetes/pki/clients.crt}}\n' },
  ],
  ['static pods elsewhere', '/srv/pods/a.yaml', { config: 'staticPodPath: /srv/pods/\n' }],
  [
    "containerd's configuration, with its unit",
    '/etc/containerd/config.toml',
    { units: [{ name: 'containerd.service', restartOn: ['/etc/containerd/config.toml'] }] },
  ],
])('the agent asks for a restart before it changes %s', async (_, path, content) => {
  const { phase, needs } = await assigned(path, content)

  expect([phase, needs]).toEqual(['Blocked', 'restart'])
})

test.each([
  ['/etc/motd', {}],
  ['/etc/kubernetes/pki/other.crt', { config: 'tlsCertFile: /etc/kubernetes/pki/kubelet.crt\n' }],
  ['/etc/kubernetes/pki', { config: 'tlsCertFile: /etc/kubernetes/pki/kubelet.crt\n' }],
  ['/etc/systemd/system/nodewave-agent.service.d/10-args.conf', {}],
])('the agent writes "%s", which no running program is known to read, without asking', async (path, content) => {
  expect((await assigned(path, content)).phase).toBe('Applied')
})

test('a file that the kubelet reads restarts it, and so does taking it away', async () => {
  const machine = new Machine()
  const path = '/etc/kubernetes/pki/kubelet.crt'
  const config = `tlsCertFile: ${path}\n`
  machine.start()
  await machine.untilDigest(machine.assign({ config }), 'Applied')
  const starts = async () => (await machine.host.services.show('kubelet.service')).mainPid
  const first = await starts()
  await machine.untilDigest(machine.assign({ config, host: JSON.stringify({ files: [{ path, content: 'x' }] }) }), 'Applied')
  const second = await starts()
  await machine.untilDigest(machine.assign({ config }), 'Applied')

  expect(new Set([first, second, await starts()]).size).toBe(3)
})
