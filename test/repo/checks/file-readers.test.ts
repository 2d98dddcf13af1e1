import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const profile = (spec: string) => problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {${spec}}\n`) })
const aFile = (path: string) => profile(`files: [{path: ${path}, content: x}]`)

test.each([
  ['/var/lib/kubelet/config.yaml', 'write a KubeletConfig and name it in kubelet.config'],
  ['/etc/default/kubelet', 'write them as kubelet.flags of the pool'],
  ['/etc/kubernetes/kubelet.conf', 'leave it to kubeadm'],
  ['/etc/systemd/system/kubelet.service.d/20-x.conf', 'write it as content or dropIns of the unit'],
  ['/etc/systemd/system/a.service', 'write it as content or dropIns of the unit'],
])('a plain file "%s" is refused, with the field that does it right', (path, remedy) => {
  expect(aFile(path)).toHaveLength(1)
  expect(aFile(path)[0]).toContain(remedy)
})

test('a file that a service reads when it starts needs a unit that restarts on it', () => {
  expect(aFile('/etc/sysctl.d/90-x.conf')[0]).toContain(
    'add under units: {name: systemd-sysctl.service, restartOn: [/etc/sysctl.d/90-x.conf]}',
  )
  const units = 'units: [{name: containerd.service, restartOn: [/etc/containerd/config.toml]}]'
  expect(profile(`files: [{path: /etc/containerd/config.toml, content: x}], ${units}`)).toEqual([])
  expect(aFile('/etc/containerd/config.toml')).toHaveLength(1)
})

test('other files, and drop-ins of the agent itself, are nobody’s concern', () => {
  expect(aFile('/etc/motd')).toEqual([])
  expect(aFile('/etc/systemd/system/nodewave-agent.service.d/10-args.conf')).toEqual([])
  expect(aFile('/etc/systemd/system.conf.d/10-x.conf')).toEqual([])
})
