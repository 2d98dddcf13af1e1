import { expect, test } from 'vitest'
import { createContext } from '../../../src/agent/context.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import { rebase } from '../../../src/agent/state/rebase.ts'
import { Machine } from '../support/machine.ts'

const contextOf = (machine: Machine) => createContext(machine.host.process(machine.node).ports, DEFAULT_OPTIONS)

test("rebase lays Git's fields over the configuration that kubeadm wrote since", async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3', config: 'maxPods: 50\n' })
  await machine.until('Applied')
  machine.host.files.put('/var/lib/kubelet/config.yaml', 'kind: KubeletConfiguration\nclusterDomain: new.local\n')

  expect(await rebase(contextOf(machine))).toEqual(['/var/lib/kubelet/config.yaml'])
  await machine.clock.advance(10 * 60_000)
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toBe(
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDomain: new.local\nmaxPods: 50\n',
  )
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toBe('kind: KubeletConfiguration\nclusterDomain: new.local\n')
})

test('rebase takes flags that were put before ours for local ones, and never our own', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3', opts: '--max-pods=9' })
  await machine.until('Applied')
  machine.host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9 --v=3 --max-pods=9"\n')

  expect(await rebase(contextOf(machine))).toEqual(['/etc/default/kubelet'])
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9"\n')
})

test('rebase takes all flags for local ones where somebody has removed ours', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3', opts: '--max-pods=9' })
  await machine.until('Applied')
  machine.host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9"\n')

  expect(await rebase(contextOf(machine))).toEqual(['/etc/default/kubelet'])
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9"\n')
})

test('rebase takes nothing again when everything is as it was applied', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ flags: '--v=3', config: 'maxPods: 50\n' })
  await machine.until('Applied')

  expect(await rebase(contextOf(machine))).toEqual([])
  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.hostFiles()).toEqual(before)
})

test('rebase refuses a host on which nothing is managed', async () => {
  await expect(rebase(contextOf(new Machine()))).rejects.toThrow(
    'internal failure: take the local configuration again: nothing is managed on this host',
  )
})
