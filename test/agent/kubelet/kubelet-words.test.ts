import { expect, test } from 'vitest'
import { reasonIn } from '../../../src/agent/kubelet/kubelet-words.ts'

test('reasonIn takes the last logged error over chatter that follows it', () => {
  expect(reasonIn(['E1 a] "x" err="first"', 'E1 b] "x" err="second \\"quoted\\""', 'I1 c] "bye"'])).toBe('second "quoted"')
})

test('reasonIn takes a panic over the errors logged after it', () => {
  expect(reasonIn(['panic: no such gate', '', 'E1 a] "x" err="late"'])).toBe('no such gate')
})

test('reasonIn reads an error that klog wrote over several lines', () => {
  const lines = [
    'Flag --v has been deprecated',
    'E1121 12:07:32.043987       1 run.go:72] "command failed" err=<',
    "\tfailed to validate kubelet flags: unknown 'kubernetes.io' labels: [kubernetes.io/tier]",
    '\t--node-labels must begin with an "allowed" prefix',
    ' >',
  ]
  expect(reasonIn(lines)).toBe(
    'failed to validate kubelet flags: unknown \'kubernetes.io\' labels: [kubernetes.io/tier] --node-labels must begin with an "allowed" prefix',
  )
})

test('reasonIn takes the last line when no error was logged', () => {
  expect(reasonIn(['I1 a] "starting"', '  exec format error  ', ''])).toBe('exec format error')
})

test('reasonIn passes over what the service manager says of any unit that ends', () => {
  const lines = [
    'Started kubelet.service - kubelet: The Kubernetes Node Agent.',
    'kubelet.service: Failed to locate executable /usr/bin/kubelet-x: No such file or directory',
    'kubelet.service: Main process exited, code=exited, status=203/EXEC',
    "kubelet.service: Failed with result 'exit-code'.",
    'kubelet.service: Scheduled restart job, restart counter is at 3.',
  ]
  expect(reasonIn(lines)).toBe('kubelet.service: Failed to locate executable /usr/bin/kubelet-x: No such file or directory')
  expect(reasonIn(lines.slice(3))).toContain('Scheduled restart job')
})

test('reasonIn passes over the processes that a runtime leaves for its containers', () => {
  const lines = [
    'containerd.service: Found left-over process 1650 (containerd-shim) in control group while starting unit. Ignoring.',
    'This usually indicates unclean termination of a previous run, or service implementation deficiencies.',
    'Starting containerd.service - containerd container runtime...',
    'containerd: failed to load TOML: (1, 5): was expecting token =',
    'containerd.service: Main process exited, code=exited, status=1/FAILURE',
    "containerd.service: Failed with result 'exit-code'.",
    'containerd.service: Unit process 1650 (containerd-shim) remains running after unit stopped.',
    'Failed to start containerd.service - containerd container runtime.',
  ]
  expect(reasonIn(lines)).toBe('containerd: failed to load TOML: (1, 5): was expecting token =')
})

test('reasonIn prefers what the kubelet said right before it exited to what others said after', () => {
  const lines = [
    'E1121 10:00:00.1 9 kubelet.go:1] "Failed to start ContainerManager" err="invalid Node Allocatable configuration"',
    'E1121 10:00:00.2 9 server.go:2] "Could not adjust" err="operation not permitted"',
  ]
  expect(reasonIn(lines)).toBe('invalid Node Allocatable configuration')
})

test('reasonIn tells how a unit ended that said nothing, and not that it was started', () => {
  const lines = [
    'Starting a.service...',
    'a.service: Main process exited, code=exited, status=1/FAILURE',
    "a.service: Failed with result 'exit-code'.",
    'Failed to start a.service.',
    'Starting a.service...',
  ]
  expect(reasonIn(lines)).toBe('a.service: Main process exited, code=exited, status=1/FAILURE')
})
