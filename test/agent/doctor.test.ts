import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { diagnose } from '../../src/agent/doctor/diagnose.ts'
import type { Facts } from '../../src/agent/doctor/facts.ts'
import { PACKAGE_FORMATS } from '../../src/agent/package-manager.ts'
import { parseAgentArguments } from '../../src/cli/agent-arguments.ts'
import { runDoctor } from '../../src/cli/agent-doctor.ts'
import { findingLines } from '../../src/cli/finding-lines.ts'

const file = { type: 'file', size: 1, mode: 0o600, uid: 0, gid: 0 } as const
const running = {
  exists: true,
  isGone: false,
  active: 'active',
  enabled: true,
  isStatic: false,
  mainPid: 1,
  restarts: 0,
  runningFor: 1000,
  lastExit: 0,
} as const

const inside = { stat: { ...file, type: 'directory', mode: 0o700 }, hasOpenJournal: false, isUnclean: false } as const

const healthy: Facts = {
  policy: { value: {} },
  missingPrograms: [],
  isRoot: true,
  cgroup: 'v2',
  failCgroupV1: undefined,
  swaps: [],
  clockSynchronized: { value: 'yes' },
  stateDirectory: '/var/lib/nodewave',
  state: {
    freeBytes: { value: 2 ** 31 },
    inside: { value: inside },
  },
  packages: { value: { isInterrupted: false, holder: undefined, format: PACKAGE_FORMATS.apt } },
  kubeconfig: { path: '/etc/kubernetes/kubelet.conf', stat: file },
  server: { host: 'api.test', addresses: { value: ['192.0.2.1'] }, node: { value: 'n1' } },
  units: [{ name: 'kubelet.service', state: { value: running } }],
  kubelet: { ok: true, detail: '200 ok' },
  kubeletPorts: [
    { field: 'port', address: '0.0.0.0', port: 10250 },
    { field: 'healthzPort', address: '127.0.0.1', port: 10248 },
  ],
  listeners: { value: [] },
}

const complaints = (facts: Partial<Facts>) =>
  diagnose({ ...healthy, ...facts }).flatMap(({ state, check, message, remedy }) =>
    state === 'ok' ? [] : [[state, check, message, remedy !== undefined]],
  )

test('a host on which all is well has no complaint, and no remedy', () => {
  expect(complaints({})).toEqual([])
  expect(diagnose(healthy).filter(({ remedy }) => remedy !== undefined)).toEqual([])
})

test('cgroup v1 with a kubelet that starts there is no complaint', () => {
  const facts = { ...healthy, cgroup: 'v1', failCgroupV1: false } as const
  expect(diagnose(facts).find(({ check }) => check === 'cgroup')).toEqual({
    check: 'cgroup',
    state: 'ok',
    message: 'v1, and the kubelet has failCgroupV1: false',
  })
})

test.for<[string, Partial<Facts>, string, string, string]>([
  ['cgroup v1', { cgroup: 'v1' }, 'warning', 'cgroup', 'v1: a kubelet from 1.35 on does not start'],
  [
    'cgroup v1 that the kubelet is to refuse',
    { cgroup: 'v1', failCgroupV1: true },
    'warning',
    'cgroup',
    'v1: a kubelet with failCgroupV1: true does not start',
  ],
  [
    'an interrupted dpkg',
    { packages: { value: { isInterrupted: true, holder: undefined, format: PACKAGE_FORMATS.apt } } },
    'warning',
    'packages',
    'apt and dpkg were interrupted, or a package is half installed',
  ],
  ['swap', { swaps: ['/dev/sda2'] }, 'warning', 'swap', 'on: /dev/sda2; a kubelet does not start unless failSwapOn is false'],
  ['a clock that nobody sets', { clockSynchronized: { value: 'no' } }, 'warning', 'clock', 'not synchronized'],
  [
    'a full disk',
    { state: { ...healthy.state, freeBytes: { value: 2 ** 20 } } },
    'error',
    'disk',
    '1 MiB free for "/var/lib/nodewave", fewer than 512',
  ],
  [
    'a state directory that others enter',
    { state: { ...healthy.state, inside: { value: { ...inside, stat: { ...file, type: 'directory', mode: 0o755 } } } } },
    'error',
    'state directory',
    'others than root may enter "/var/lib/nodewave"',
  ],
  [
    'a state directory that cannot be entered',
    { isRoot: true, state: { ...healthy.state, inside: { error: 'EACCES' } } },
    'warning',
    'state directory',
    'cannot be judged: EACCES',
  ],
  [
    'an undo that failed',
    { state: { ...healthy.state, inside: { value: { ...inside, isUnclean: true } } } },
    'error',
    'state',
    '"/var/lib/nodewave" says that a change could not be undone',
  ],
  ['no kubeconfig', { kubeconfig: { path: '/k', stat: undefined } }, 'error', 'kubeconfig', '"/k" does not exist'],
  [
    'a kubeconfig that others read',
    { kubeconfig: { path: '/k', stat: { ...file, mode: 0o644 } } },
    'warning',
    'kubeconfig',
    'others than its owner may read "/k"',
  ],
  [
    'no DNS',
    { server: { ...healthy.server, addresses: { error: 'ENOTFOUND' } } },
    'error',
    'DNS',
    'no address for "api.test": ENOTFOUND',
  ],
  ['no API server', { server: { ...healthy.server, node: { error: 'timed out' } } }, 'error', 'API server', 'timed out'],
  [
    'a unit that fails',
    { units: [{ name: 'kubelet.service', state: { value: { ...running, active: 'failed' } } }] },
    'error',
    'unit kubelet.service',
    'is failed',
  ],
  ['a policy that cannot be read', { policy: { error: 'it is no plain file' } }, 'error', 'host policy', 'it is no plain file'],
])('%s is told with a remedy', ([, facts, state, check, message]) => {
  expect(complaints(facts)).toEqual([[state, check, message, true]])
})

test('a kubeconfig that is missing is one error, and what needs it is not checked', () => {
  const kubeconfig = { path: '/etc/kubernetes/kubelet.conf', stat: undefined }
  const server = { host: '', addresses: { error: 'no server' }, node: { error: 'no credentials' } }

  expect(complaints({ kubeconfig, server })).toEqual([
    ['error', 'kubeconfig', '"/etc/kubernetes/kubelet.conf" does not exist', true],
    ['warning', 'DNS', 'not checked: the kubeconfig names no server', true],
    ['warning', 'API server', 'not checked: the kubeconfig names no server', true],
  ])
})

test('each rule of the host policy is told by its name', () => {
  const policy = {
    kinds: ['files'],
    paths: [],
    kubeletVersions: { min: '1.35', max: '1.36' },
    disruption: 'restart',
    maintenance: 'until Friday',
  } as const
  const rules = diagnose({
    ...healthy,
    policy: { value: { ...policy, kinds: ['files'], paths: [], packages: [], steps: { leave: { command: ['/bin/true'] } } } },
  })
    .filter(({ check }) => check.startsWith('rule '))
    .map(({ check, message }) => `${check}: ${message}`)
  expect(rules).toEqual([
    'rule kinds: allows only files',
    'rule paths: allows none',
    'rule packages: allows none',
    'rule kubeletVersions: from 1.35 up to 1.36',
    'rule disruption: changes may need at most "restart"',
    'rule steps: Git may name leave',
    'rule maintenance: nothing is changed: until Friday',
  ])
})

test('doctor looks at a host without a cluster, changes nothing, and says so by an error', async () => {
  const root = await mkdtemp(join(tmpdir(), 'nodewave-doctor-'))
  try {
    await mkdir(join(root, 'etc/nodewave'), { recursive: true })
    await writeFile(join(root, 'etc/nodewave/policy.yaml'), 'paths: [/etc/sysctl.d]\nsteps: {a: {command: [/sbin/none]}}\n', {
      mode: 0o644,
    })
    const settings = parseAgentArguments(['doctor', '--root', root, '-o', 'json'])
    const kubeconfig = join(root, 'etc/kubernetes/kubelet.conf')
    const connect = () => Promise.reject(new Error('no credentials'))
    const { text, hasErrors } = await runDoctor({ settings, manager: 'systemd', kubeconfig, nodeName: 'n', connect })
    expect(hasErrors).toBe(true)
    const { findings } = JSON.parse(text)
    expect(findings).toContainEqual({ check: 'rule paths', state: 'ok', message: 'allows only /etc/sysctl.d' })
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'rule steps', state: 'error', message: 'no program that can be run: "/sbin/none"' }),
    )
    expect(findings).toContainEqual(expect.objectContaining({ check: 'kubeconfig', state: 'error' }))
    expect((await readdir(root, { recursive: true })).toSorted()).toEqual(['etc', 'etc/nodewave', 'etc/nodewave/policy.yaml'])
  } finally {
    await rm(root, { recursive: true })
  }
})

test('doctor leaves a state directory that others may enter as it is, and says so', async () => {
  const root = await mkdtemp(join(tmpdir(), 'nodewave-doctor-'))
  try {
    await mkdir(join(root, 'var/lib/nodewave'), { recursive: true })
    await chmod(join(root, 'var/lib/nodewave'), 0o755)
    const settings = parseAgentArguments(['doctor', '--root', root, '-o', 'json'])
    const connect = () => Promise.reject(new Error('no credentials'))
    const { text } = await runDoctor({ settings, manager: 'systemd', kubeconfig: join(root, 'k'), nodeName: 'n', connect })
    expect(text).toContain('others than root may enter')
    expect((await stat(join(root, 'var/lib/nodewave'))).mode & 0o777).toBe(0o755)
  } finally {
    await rm(root, { recursive: true })
  }
})

test('the text has the remedy below the line', () => {
  expect(findingLines([{ check: 'swap', state: 'warning', message: 'on', remedy: 'swapoff -a' }])).toBe(
    'warning  swap  on\n               → swapoff -a\n',
  )
})
