import { expect, test } from 'vitest'
import { kubeletBinary } from '../../../src/sim/host/kubelet-launch.ts'
import { type NodeStatus, SimulatedHost, type SimulatedHostOptions } from '../../../src/sim/host/simulated-host.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import { FakeNode } from '../../agent/support/fake-node.ts'

const UNIT = 'kubelet.service'
const URL = 'http://127.0.0.1:10248/healthz'

function aHost(options: Partial<SimulatedHostOptions> = {}) {
  const clock = new VirtualClock()
  const told: NodeStatus[] = []
  const host = new SimulatedHost({ version: '1.35.4', ...options, clock, onNodeStatus: (status) => void told.push(status) })
  const { ports } = host.process(new FakeNode('v1.35.4'))
  return { clock, host, told, ports, services: ports.services }
}

test('host has a healthy kubelet half a second after it started, which tells its Node', async () => {
  const { clock, ports, told } = aHost()
  expect((await ports.kubelet.healthz(URL)).ok).toBe(false)
  await clock.advance(500)

  expect((await ports.kubelet.healthz(URL)).ok).toBe(true)
  expect(told).toMatchObject([{ ready: true, kubeletVersion: 'v1.35.4' }])
})

test('host runs the new binary after a restart, and not before', async () => {
  const { clock, host, services } = aHost()
  await clock.advance(1000)
  host.files.put('/usr/bin/kubelet', kubeletBinary('1.36.3'))
  expect(host.services.healthyVersion()).toBe('v1.35.4')
  await services.restart(UNIT)
  await clock.advance(500)

  expect(host.services.healthyVersion()).toBe('v1.36.3')
})

test('host lets a kubelet that dies at start loop every ten seconds and never calls it failed', async () => {
  const { clock, host, services } = aHost()
  await clock.advance(1000)
  host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS=--no-such-flag\n')
  await services.restart(UNIT)
  expect(await services.show(UNIT)).toMatchObject({ active: 'active', restarts: 0 })
  await clock.advance(500)
  expect(await services.show(UNIT)).toMatchObject({ active: 'activating', mainPid: 0, lastExit: 1, restarts: 0 })
  await clock.advance(21_000)
  expect(await services.show(UNIT)).toMatchObject({ active: 'activating', restarts: 2 })
  expect((await services.lastWords(UNIT, 0)).at(-1)).toContain('failed to parse kubelet flag: unknown flag: --no-such-flag')
  host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS=\n')
  await clock.advance(11_000)
  expect(await services.show(UNIT)).toMatchObject({ active: 'active', restarts: 3 })
})

test('host forgets how often a unit was restarted when somebody orders a restart', async () => {
  const { clock, host, services } = aHost()
  host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS=--no-such-flag\n')
  await services.restart(UNIT)
  await clock.advance(25_000)
  expect((await services.show(UNIT)).restarts).toBe(2)
  host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS=\n')
  await services.restart(UNIT)
  expect((await services.show(UNIT)).restarts).toBe(0)
})

test('host shows its Node as gone only when the kubelet has been silent for the grace period', async () => {
  const { clock, host, told } = aHost()
  await clock.advance(1000)
  host.powerOff()
  await clock.advance(49_000)
  expect(told).toHaveLength(1)
  await clock.advance(2000)
  expect(told.at(-1)).toEqual({ ready: false, kubeletVersion: undefined })
  host.powerOn()
  await clock.advance(1000)
  expect(told.at(-1)).toMatchObject({ ready: true, kubeletVersion: 'v1.35.4' })
})

test.each([
  ['a good one', ['--v=3'], 'maxPods: 9\n', { ok: true, warnings: [] }],
  ['an unknown flag', ['--no-such'], '', { ok: false, message: 'failed to parse kubelet flag: unknown flag: --no-such' }],
  ['a flag that was dropped in 1.35', ['--pod-infra-container-image=x'], '', { ok: false }],
  ['a negative number', [], 'maxPods: -5\n', { ok: false }],
  ['a string for a number', [], 'maxPods: many\n', { ok: false }],
  ['a bad duration', [], 'syncFrequency: soon\n', { ok: false }],
  ['broken YAML', [], 'a: [\n', { ok: false }],
  [
    'an unknown gate',
    [],
    'featureGates: {NoSuchGate: true}\n',
    { ok: false, message: 'panic: unrecognized feature gate: NoSuchGate' },
  ],
  ['an unknown field', [], 'maxPodz: 5\n', { ok: true, warnings: ['strict decoding error: unknown field "maxPodz"'] }],
  ['a wrong runtime socket', ['--container-runtime-endpoint=unix:///none'], '', { ok: true, warnings: [] }],
])('preflight judges %s as a kubelet does', async (_, args, config, verdict) => {
  const { host, ports } = aHost()
  host.files.put('/staged/kubelet', kubeletBinary('1.36.3'))
  host.files.put('/staged/config.yaml', config)

  expect(await ports.kubelet.preflight({ binary: '/staged/kubelet', args, config: '/staged/config.yaml' })).toMatchObject(verdict)
})

test('host process does nothing more, and answers nothing, after the effect it was ordered to die at', async () => {
  const { clock, host } = aHost()
  const process = host.process(new FakeNode('v1.35.4'), { death: { afterEffect: 2 } })
  const { files } = process.ports
  await files.writeAtomic('/a', Buffer.from('1'))
  let answered = false
  void files.writeAtomic('/b', Buffer.from('2')).then(() => {
    answered = true
  })
  await clock.advance(1000)
  void files.writeAtomic('/c', Buffer.from('3'))
  await clock.advance(1000)

  expect([host.files.text('/a'), host.files.text('/b'), host.files.text('/c')]).toEqual(['1', '2', undefined])
  expect([answered, process.dead]).toEqual([false, true])
})

test('host with a broken disk refuses writes and still reads', async () => {
  const { host, ports } = aHost()
  host.faults.disk = 'ENOSPC'

  await expect(ports.files.writeAtomic('/a', Buffer.from('1'))).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await ports.files.read('/etc/default/kubelet')).toBeDefined()
})

test('host without a network reaches neither the API server nor downloads', async () => {
  const { host, ports } = aHost()
  host.faults.network = 'lost'

  await expect(ports.node.get()).rejects.toMatchObject({ code: 0, reaction: 'retry' })
  const artifact = { url: 'https://x.test/a', sha256: '0'.repeat(64) }
  await expect(ports.downloads.fetch(artifact, '/a', { maxBytes: 10 })).rejects.toThrow('ETIMEDOUT')
})
