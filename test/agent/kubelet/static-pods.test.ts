import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const OLD = '/etc/kubernetes/manifests'
const NEW = '/etc/kubernetes/static'
const POD = 'kind: Pod\n'

/** A control-plane node, as kubeadm makes it. */
function controlPlaneMachine(): Machine {
  const machine = new Machine()
  for (const name of ['etcd.yaml', 'kube-apiserver.yaml', '.kube-apiserver.yaml.swp'])
    machine.host.files.put(`${OLD}/${name}`, POD)
  machine.start()
  return machine
}

const lost =
  'failed to validate config: change staticPodPath from "/etc/kubernetes/manifests" to "/etc/kubernetes/static": the static pods of ' +
  '"etcd.yaml", "kube-apiserver.yaml" would stop; move the manifests there, or remove them, and assign again'

test('agent refuses a configuration with which the kubelet would stop its static pods, and disturbs nothing', async () => {
  const machine = controlPlaneMachine()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const before = machine.hostFiles()
  machine.assign({ config: `staticPodPath: ${NEW}\n` })

  expect((await machine.until('RolledBack')).error).toEqual({ reason: 'StaticPodsLost', message: lost })
  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test.each(['staticPodPath: ""\n', 'staticPodPath: null\n'])(
  'agent refuses %j, with which the kubelet has no static pods',
  async (config) => {
    const machine = controlPlaneMachine()
    machine.assign({ config })

    expect((await machine.until('RolledBack')).error?.reason).toBe('StaticPodsLost')
  },
)

test('agent moves the path when the manifests are there already, or the same change brings or removes them', async () => {
  const machine = controlPlaneMachine()
  machine.host.files.put(`${NEW}/etcd.yaml`, POD)
  const files = [{ path: `${NEW}/kube-apiserver.yaml`, content: POD }]
  const moved = machine.assign({ config: `staticPodPath: ${NEW}\n`, host: JSON.stringify({ files }) })
  await machine.untilDigest(moved, 'Applied')
  machine.host.files.put(`${OLD}/other.yaml`, POD)
  const gone = ['etcd', 'kube-apiserver'].map((name) => ({ path: `${NEW}/${name}.yaml`, state: 'absent' }))
  const none = machine.assign({ config: 'staticPodPath: /etc/kubernetes/none\n', host: JSON.stringify({ files: gone }) })

  expect(await machine.untilDigest(none, 'Applied')).not.toHaveProperty('error')
})

test('agent refuses to move the path when the same change only writes the manifests at the old place', async () => {
  const machine = controlPlaneMachine()
  const files = ['etcd', 'kube-apiserver'].map((name) => ({ path: `${OLD}/${name}.yaml`, content: `${POD}# changed\n` }))
  machine.assign({ config: `staticPodPath: ${NEW}\n`, host: JSON.stringify({ files }) })

  expect((await machine.until('Applied', 'RolledBack')).error?.message).toBe(lost)
})

test('agent refuses to move the path when the same change removes the manifests at the new place', async () => {
  const machine = controlPlaneMachine()
  for (const name of ['etcd.yaml', 'kube-apiserver.yaml']) machine.host.files.put(`${NEW}/${name}`, POD)
  const files = ['etcd', 'kube-apiserver'].map((name) => ({ path: `${NEW}/${name}.yaml`, state: 'absent' }))
  machine.assign({ config: `staticPodPath: ${NEW}\n`, host: JSON.stringify({ files }) })

  expect((await machine.until('Applied', 'RolledBack')).error?.message).toBe(lost)
})

test('agent refuses a file behind --config-dir that moves the path', async () => {
  const machine = controlPlaneMachine()
  const digest = machine.assign({ flags: '--config-dir=/etc/kubernetes/conf.d' })
  await machine.untilDigest(digest, 'Applied')
  const files = [{ path: '/etc/kubernetes/conf.d/10.conf', content: `staticPodPath: ${NEW}\n` }]
  const moving = machine.assign({ flags: '--config-dir=/etc/kubernetes/conf.d', host: JSON.stringify({ files }) })

  expect((await machine.untilDigest(moving, 'RolledBack')).error?.message).toBe(lost)
})

test('agent changes the configuration of a kubelet whose static pods stay where they are', async () => {
  const machine = controlPlaneMachine()
  const digest = machine.assign({ config: 'maxPods: 51\n' })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})
