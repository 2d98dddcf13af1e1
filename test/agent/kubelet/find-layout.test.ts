import { expect, test } from 'vitest'
import { findLayout } from '../../../src/agent/kubelet/find-layout.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const AUTO = { named: undefined, option: 'auto', environmentFile: '/etc/kubernetes/kubelet.env' } as const

function having(...paths: string[]): MemoryFiles {
  const files = new MemoryFiles()
  for (const path of paths) files.put(path, '')
  return files
}

test.each([
  ['kubeadm', '/var/lib/kubelet/kubeadm-flags.env'],
  ['kubeadm', '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf'],
  ['env', '/etc/kubernetes/kubelet.env'],
  [undefined, '/etc/hosts'],
])('layout is %s when the host has %s', async (name, path) => {
  expect((await findLayout(having(path), AUTO))?.layout.name).toBe(name)
})

test('layout is what the host document names, before what the agent was started with and what the host has', async () => {
  const files = having('/var/lib/kubelet/kubeadm-flags.env')

  expect((await findLayout(files, { ...AUTO, option: 'env' }))?.layout.name).toBe('env')
  expect((await findLayout(files, { ...AUTO, option: 'env', named: 'kubeadm' }))?.layout.name).toBe('kubeadm')
})

test('extra arguments stand where the distribution keeps them when no drop-in says it', async () => {
  const fileOf = async (...paths: string[]) =>
    (await findLayout(having('/var/lib/kubelet/kubeadm-flags.env', ...paths), AUTO))?.facts.extraArgsFile

  expect(await fileOf()).toBe('/etc/default/kubelet')
  expect(await fileOf('/etc/sysconfig/network')).toBe('/etc/sysconfig/kubelet')
  expect(await fileOf('/etc/sysconfig/network', '/etc/default/kubelet')).toBe('/etc/default/kubelet')
})
