/** From the repository to the host: what `kubelet.flagsFile` says reaches the file that it names, and comes out of it again. */
import { expect, test } from 'vitest'
import { createRenderer } from '../../../src/render/create-renderer.ts'
import { aNode } from '../../render/fleets.ts'
import { aDocument, modelOf } from '../../repo/fleets.ts'
import { Machine } from '../support/machine.ts'

const KUBEADM_FLAGS = '/var/lib/kubelet/kubeadm-flags.env'
const EXTRA_ARGS = '/etc/default/kubelet'
const RUNTIME = '--container-runtime-endpoint=unix:///run/containerd/containerd.sock'

/** Assigns what the controller would for a pool with these words about its kubelet. */
function assign(machine: Machine, kubelet: string): string {
  const pool = aDocument('NodePool', 'workers', `spec: {nodeSelector: {matchLabels: {role: worker}}, kubelet: {${kubelet}}}\n`)
  const result = createRenderer(modelOf({ 'pool.yaml': pool })).render('workers', aNode('a'))
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('; '))
  return machine.assign(result.content)
}

test('flagsFile: kubeadm-flags puts flags after those of kubeadm, and another flagsFile takes them out again', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(assign(machine, 'flagsFile: kubeadm-flags, flags: {v: 3, max-pods: 60}'), 'Applied')
  expect(machine.host.files.text(KUBEADM_FLAGS)).toBe(`KUBELET_KUBEADM_ARGS="${RUNTIME} --max-pods=60 --v=3"\n`)
  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS=\n')

  await machine.untilDigest(assign(machine, 'flagsFile: extra-args, flags: {v: 3, max-pods: 60}'), 'Applied')
  expect(machine.host.files.text(KUBEADM_FLAGS)).toBe(`KUBELET_KUBEADM_ARGS="${RUNTIME}"\n`)
  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS="--max-pods=60 --v=3"\n')
})

test('flagsFile: kubeadm-flags restarts the kubelet, and is undone when the kubelet does not start with it', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  const endpoint = '"unix:///not/there.sock"'
  assign(machine, `flagsFile: kubeadm-flags, flags: {container-runtime-endpoint: ${endpoint}}`)
  const status = await machine.until('RolledBack')

  expect(status.error?.reason).toBe('HealthCheckFailed')
  expect(machine.hostFiles()).toEqual(before)
})
