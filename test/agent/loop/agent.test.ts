import { expect, test } from 'vitest'
import { Agent } from '../../../src/agent/loop/agent.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import { Machine } from '../support/machine.ts'

test('agent upgrades the kubelet, its flags and its configuration when it is assigned them', async () => {
  const machine = new Machine({ version: '1.35.4' })
  const host = JSON.stringify({ kubelet: machine.release('1.36.3') })
  const digest = machine.assign({ version: '1.36.3', flags: '--v=3', config: 'maxPods: 50\n', host }, { REVISION: 'c0ffee' })
  machine.start()

  const status = await machine.until('Applied')

  expect(status).toMatchObject({ digest, revision: 'c0ffee', assigned: digest, active: digest, attempts: 1, kubelet: '1.36.3' })
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toContain('maxPods: 50')
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toContain('clientCAFile: /etc/kubernetes/pki/ca.crt')
  expect(machine.currentConfig).toBe(machine.node.annotations['nodewave.io/desired-config'])
  expect(machine.node.patches).toHaveLength(2)
})

test('agent puts the host back and tells why when the kubelet does not start', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  machine.assign({ flags: '--container-runtime-endpoint=unix:///not/there.sock' })
  const startedAt = machine.clock.elapsed()

  const status = await machine.until('RolledBack')

  expect(status.error).toEqual({
    reason: 'HealthCheckFailed',
    message:
      'failed to validate config: kubelet exited 3 times: failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "unix:///not/there.sock"',
  })
  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
  expect(machine.clock.elapsed() - startedAt).toBeLessThan(15_000)
})

test('agent disturbs nothing when the kubelet itself refuses the flags beforehand', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.assign({ flags: '--no-such-flag' })

  const status = await machine.until('RolledBack')

  expect(status.error?.reason).toBe('PreflightFailed')
  expect(status.error?.message).toContain('unknown flag: --no-such-flag')
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('agent does nothing at all on a node that nobody assigned anything', async () => {
  const machine = new Machine()
  const before = machine.host.files.snapshot()
  machine.start()
  await machine.clock.advance(60 * 60_000)

  expect(machine.node.patches).toEqual([])
  expect(machine.host.files.snapshot()).toEqual(before)
})

test('agent restarts a unit whose drop-in changed, before the kubelet', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const pidOf = async (unit: string): Promise<number> => (await machine.host.services.show(unit)).mainPid
  const before = await pidOf('containerd.service')
  const dropIns = { '10-limits.conf': '[Service]\nLimitNOFILE=1000000\n' }
  machine.assign({ flags: '--v=3', host: JSON.stringify({ units: [{ name: 'containerd.service', dropIns }] }) })
  await machine.until('Applied')

  expect(machine.host.files.text('/etc/systemd/system/containerd.service.d/10-limits.conf')).toBe(dropIns['10-limits.conf'])
  expect(await pidOf('containerd.service')).toBeGreaterThan(before)
  expect(await pidOf('kubelet.service')).toBeGreaterThan(await pidOf('containerd.service'))
})

test('agent restarts a unit when a file it is to be restarted on changes', async () => {
  const machine = new Machine()
  machine.start()
  const document = (content: string): string =>
    JSON.stringify({
      files: [{ path: '/etc/containerd/config.toml', content }],
      units: [{ name: 'containerd.service', restartOn: ['/etc/containerd/config.toml'] }],
    })
  await machine.untilDigest(machine.assign({ host: document('one') }), 'Applied')
  const { mainPid } = await machine.host.services.show('containerd.service')
  const kubelet = await machine.host.services.show('kubelet.service')
  await machine.untilDigest(machine.assign({ host: document('two') }), 'Applied')

  expect((await machine.host.services.show('containerd.service')).mainPid).not.toBe(mainPid)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(kubelet.mainPid)
})

test('agent ends when it is told to, and leaves nothing running', async () => {
  const machine = new Machine()
  const stop = new AbortController()
  const ended = new Agent(machine.host.process(machine.node).ports, DEFAULT_OPTIONS).run(stop.signal)
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  stop.abort()
  await ended
  machine.assign({ flags: '--v=4' })
  await machine.clock.advance(60_000)

  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
})

test('agent lets the report of what it takes up leave before it looks at the host again', async () => {
  const machine = new Machine()
  const seen: string[] = []
  const { node } = machine
  const { files } = machine.host
  const annotate = node.annotate.bind(node)
  // As a request over a kept connection, which is written when nothing else can go on.
  node.annotate = (annotations, version) => {
    seen.push('report begun')
    process.nextTick(() => seen.push('report left'))
    return annotate(annotations, version)
  }
  const stat = files.stat.bind(files)
  files.stat = (path) => {
    seen.push('look')
    return stat(path)
  }
  machine.assign({ flags: '--v=3' })
  machine.start()

  await machine.until('Applied')

  const begun = seen.indexOf('report begun')
  expect(seen.slice(begun, begun + 2)).toEqual(['report begun', 'report left'])
})
