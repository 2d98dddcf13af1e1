import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { kubeadmLayout } from '../../../src/agent/kubelet/kubeadm.ts'
import { kubeletServiceFiles, launcherText } from '../../../src/agent/kubelet/kubelet-service.ts'
import type { LayoutInput } from '../../../src/agent/kubelet/layout.ts'
import { managedLayout } from '../../../src/agent/kubelet/managed.ts'

const CONFIG = 'kind: KubeletConfiguration\n'
const NOTHING = { local: new Map(), current: new Map() }

function inputFor(facts: Partial<LayoutInput['facts']>, flags?: string): LayoutInput {
  const all = {
    environmentFile: '/e',
    extraArgsFile: '/etc/conf.d/kubelet',
    manager: 'openrc',
    unusedVariables: [],
    ...facts,
  } as const
  return { content: { config: CONFIG, ...(flags && { flags }) }, install: {}, arch: 'amd64', staging: '/s', facts: all }
}

test.each([
  ['openrc', ['/etc/kubernetes/kubelet-start', '/etc/init.d/kubelet', '/etc/logrotate.d/kubelet']],
  ['sysvinit', ['/etc/kubernetes/kubelet-start', '/etc/init.d/kubelet', '/etc/logrotate.d/kubelet']],
  ['runit', ['/etc/kubernetes/kubelet-start', '/etc/sv/kubelet/run', '/etc/sv/kubelet/log/run']],
  ['systemd', ['/etc/systemd/system/kubelet.service']],
] as const)('managed layout on %s claims and writes %j', (manager, paths) => {
  const input = inputFor({ manager })
  const claimed = managedLayout.managed(input).filter(({ kind }) => kind === 'file')
  const written = managedLayout.target(input, NOTHING).resources.filter(({ kind }) => kind === 'file')

  expect(claimed.map(({ key }) => key)).toEqual(paths)
  expect(written.map(({ subject }) => subject)).toEqual(paths)
})

test('managed layout without unit files hands each argument on as it is, whatever a shell would make of it', () => {
  const args = [
    '--eviction-hard=memory.available<5%,nodefs.available<10%',
    '--node-labels=a=b',
    "--x=it's; $(reboot) `id`",
    '--y=two words',
  ]
  const text = launcherText(args).replace('/usr/bin/kubelet', "printf '%s\\n'")

  expect(execFileSync('/bin/sh', ['-c', text]).toString()).toBe(`${args.join('\n')}\n`)
})

test.each(['openrc', 'runit', 'sysvinit'] as const)('scripts of the kubelet for %s are shell scripts', (manager) => {
  for (const { text, path } of kubeletServiceFiles(manager).filter(({ mode }) => mode === 0o755))
    expect(() => execFileSync('/bin/sh', ['-n'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] }), path).not.toThrow()
})

test('kubeadm layout refuses flags that the script of the kubelet does not use, and names the other place', () => {
  const input = inputFor({ unusedVariables: ['KUBELET_EXTRA_ARGS'] }, '--v=3')

  expect(() => kubeadmLayout.target(input, NOTHING)).toThrow(
    'set flags of the kubelet: its service of OpenRC does not use KUBELET_EXTRA_ARGS; set "flagsFile: kubeadm-flags", or use the kubelet configuration',
  )
})

test('kubeadm layout refuses a flag that a shell script would not pass on as it is', () => {
  const flags = '--eviction-hard=memory.available<5%'

  expect(() => kubeadmLayout.target(inputFor({}, flags), NOTHING)).toThrow(
    `set flag "${flags}": the kubelet's service of OpenRC is a shell script, which would not pass it on as it is`,
  )
  expect(() => kubeadmLayout.target(inputFor({ manager: 'systemd' }, flags), NOTHING)).not.toThrow()
})
