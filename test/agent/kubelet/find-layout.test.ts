import { expect, test } from 'vitest'
import { findLayout } from '../../../src/agent/kubelet/find-layout.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const AUTO = { named: undefined, option: 'auto', environmentFile: '/etc/kubernetes/kubelet.env', manager: 'systemd' } as const

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

/** A node of kubeadm whose kubelet is started by this script. */
function startedBy(script: string, settings = ''): MemoryFiles {
  const files = having('/var/lib/kubelet/kubeadm-flags.env')
  files.put('/etc/init.d/kubelet', script)
  if (settings !== '') files.put('/etc/conf.d/kubelet', settings)
  return files
}

test.each([
  ['. /etc/default/kubelet\nexec kubelet $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS\n', '/etc/default/kubelet', []],
  ['command_args="$KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS"\n', '/etc/conf.d/kubelet', []],
  ['command_args="$command_args $KUBELET_KUBEADM_ARGS"\n', '/etc/conf.d/kubelet', ['KUBELET_EXTRA_ARGS']],
])('flags under OpenRC stand where the script %j reads them', async (script, extraArgsFile, unusedVariables) => {
  const found = await findLayout(startedBy(script), { ...AUTO, manager: 'openrc' })

  expect(found?.facts).toMatchObject({ extraArgsFile, unusedVariables })
})
