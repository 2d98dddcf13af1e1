import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const ENVIRONMENT = `# written by the installer
KUBELET_VERSION=v1.3.0_coreos.0
KUBELET_OPTS=--kubeconfig=/etc/kubernetes/kubeconfig --config=/etc/kubernetes/manifests
KUBELET_ACI=quay.io/coreos/hyperkube
`

/** A CoreOS machine whose Node Agent was replaced by ours; there is no controller. */
function coreosMachine(): Machine {
  const machine = new Machine({
    version: '1.3.0+coreos.0',
    layout: 'env',
    agent: { prefix: 'node-agent.alpha.coreos.com', namespace: 'kube-system' },
  })
  machine.node.configMaps.set('kube-system/kubelet-config-v2', {
    'kubelet-flags':
      '--config=/etc/kubernetes/manifests --kubeconfig=/etc/kubernetes/kubeconfig --lock-file=/var/run/lock/kubelet.lock',
  })
  return machine
}

const WRITTEN_BY_HAND = '{"KUBELET_VERSION": "v1.3.2_coreos.0", "KUBELET_CONFIG": "kubelet-config-v2", "KUBELET_OPTS": "--v=4"}'

test('agent obeys an annotation of the CoreOS Node Agent that a person wrote, with its three keys only', async () => {
  const machine = coreosMachine()
  machine.start()
  machine.annotate(WRITTEN_BY_HAND)

  const status = await machine.until('Applied')

  expect(status.kubelet).toBe('1.3.2+coreos.0')
  expect(machine.node.annotations['node-agent.alpha.coreos.com/current-config']).toBe(WRITTEN_BY_HAND)
})

test('agent changes KUBELET_VERSION and KUBELET_OPTS in the environment file and no other byte', async () => {
  const machine = coreosMachine()
  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toBe(ENVIRONMENT)
  machine.start()
  machine.annotate(WRITTEN_BY_HAND)
  await machine.until('Applied')

  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toBe(`# written by the installer
KUBELET_VERSION="v1.3.2_coreos.0"
KUBELET_OPTS="--config=/etc/kubernetes/manifests --kubeconfig=/etc/kubernetes/kubeconfig --lock-file=/var/run/lock/kubelet.lock --v=4"
KUBELET_ACI=quay.io/coreos/hyperkube
`)
})

test('agent gives back the environment file byte for byte when the annotation is removed', async () => {
  const machine = coreosMachine()
  machine.start()
  machine.annotate(WRITTEN_BY_HAND)
  await machine.until('Applied')
  machine.annotate(null)

  const status = await machine.until('Reverted')

  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toBe(ENVIRONMENT)
  expect(machine.currentConfig).toBeUndefined()
  expect(status).not.toHaveProperty('active')
  expect(machine.host.services.healthyVersion()).toBe('v1.3.0+coreos.0')
})

test('agent keeps what somebody else changed in the environment file when it goes back to local values', async () => {
  const machine = coreosMachine()
  machine.start()
  machine.annotate(WRITTEN_BY_HAND)
  await machine.until('Applied')
  const text = machine.host.files.text('/etc/kubernetes/kubelet.env') ?? ''
  machine.host.files.put('/etc/kubernetes/kubelet.env', text.replace('quay.io/coreos', 'mirror.test/coreos'))
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toBe(`# written by the installer
KUBELET_VERSION="v1.3.0_coreos.0"
KUBELET_OPTS="--kubeconfig=/etc/kubernetes/kubeconfig --config=/etc/kubernetes/manifests"
KUBELET_ACI=mirror.test/coreos/hyperkube
`)
})

test('agent puts the environment file back when the wrapper cannot fetch the version', async () => {
  const machine = coreosMachine()
  machine.start()
  machine.annotate('{"KUBELET_VERSION": "v1.3.2", "KUBELET_OPTS": "--no-such-flag"}')

  const status = await machine.until('RolledBack')

  expect(status.error?.message).toBe(
    'failed to validate config: kubelet exited 3 times: failed to parse kubelet flag: unknown flag: --no-such-flag',
  )
  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toBe(ENVIRONMENT)
})

test('agent writes a KubeletConfiguration of the ConfigMap beside the environment file, and a flag that names it', async () => {
  const machine = new Machine({ version: '1.35.4', layout: 'env' })
  machine.start()
  machine.assign({ flags: '--v=2', config: 'maxPods: 40\n' })
  await machine.until('Applied')

  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toContain(
    'KUBELET_OPTS="--v=2 --config=/var/lib/kubelet/config.yaml"\n',
  )
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toBe(
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 40\n',
  )
})

test('agent does not wait out the download of a version when something newer is assigned', async () => {
  const machine = new Machine({
    version: '1.3.0+coreos.0',
    layout: 'env',
    durations: { healthy: 500_000 },
    agent: { prefix: 'node-agent.alpha.coreos.com', namespace: 'kube-system' },
  })
  await machine.clock.advance(600_000)
  machine.start()
  machine.annotate('{"KUBELET_VERSION": "v1.3.2"}')
  await machine.clock.runUntil(() => machine.host.files.text('/etc/kubernetes/kubelet.env')?.includes('1.3.2') ?? false)
  machine.annotate(null)
  await machine.clock.advance(40_000)

  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toBe(ENVIRONMENT)
})
