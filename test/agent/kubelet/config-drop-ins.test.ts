import { expect, test } from 'vitest'
import { findOverridden, KubeletDropIns } from '../../../src/agent/kubelet/config-drop-ins.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { Machine } from '../support/machine.ts'

const at = (path: string, document: object) => ({ path, document: document as Record<string, never> })

test('drop-in that sets a field of ours otherwise is named with the field', () => {
  const wanted = { maxPods: 50, evictionHard: { 'memory.available': '1Gi' }, clusterDNS: ['10.0.0.1'] }
  const dropIns = [
    at('/d/10.conf', { maxPods: 60, clusterDNS: ['10.0.0.1'] }),
    at('/d/20.conf', { maxPods: 70, evictionHard: { 'memory.available': null }, registryPullQPS: 1 }),
  ]

  expect(findOverridden(wanted, dropIns)).toEqual(['/d/20.conf: maxPods', '/d/20.conf: evictionHard.memory.available'])
})

test('drop-in is not named when a later one sets the field back', () => {
  expect(findOverridden({ maxPods: 50 }, [at('/d/10.conf', { maxPods: 60 }), at('/d/20.conf', { maxPods: 50 })])).toEqual([])
})

test.each([
  ['in its flags', '/etc/default/kubelet', 'KUBELET_EXTRA_ARGS="--config-dir=/etc/kubernetes/kubelet.conf.d"\n'],
  [
    'in a drop-in of its unit',
    '/etc/systemd/system/kubelet.service.d/20-dir.conf',
    '[Service]\nEnvironment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml --config-dir=/etc/kubernetes/kubelet.conf.d"\n',
  ],
])('agent reports what wins over its configuration when the kubelet has a directory of drop-ins %s', async (_, path, text) => {
  const machine = new Machine()
  machine.host.files.put(path, text)
  machine.host.files.put('/etc/kubernetes/kubelet.conf.d/20-tuned/pods.conf', 'kind: KubeletConfiguration\nmaxPods: 10\n')
  machine.host.files.put('/etc/kubernetes/kubelet.conf.d/30.yaml', 'maxPods: 11\n')
  machine.start()
  machine.assign({ config: 'maxPods: 50\n' })
  await machine.until('Applied')
  await machine.clock.advance(6 * 60_000)

  expect(machine.status?.drift).toEqual(['/etc/kubernetes/kubelet.conf.d/20-tuned/pods.conf: maxPods'])
})

const DIRECTORY = '/etc/kubernetes/kubelet.conf.d'
const NAMED = `KUBELET_EXTRA_ARGS="--config-dir=${DIRECTORY}"\n`

test('agent changes a kubelet whose health port a drop-in of the host sets', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/default/kubelet', NAMED)
  machine.host.files.put(`${DIRECTORY}/10-port.conf`, 'kind: KubeletConfiguration\nhealthzPort: 10300\n')
  await machine.host.services.restart('kubelet.service')
  await machine.clock.advance(10_000)
  machine.start()
  machine.assign({ config: 'maxPods: 50\n' })
  await machine.until('Applied')
  await machine.clock.advance(11 * 60_000)

  expect(machine.status).toMatchObject({ phase: 'Applied', lastKnownGood: machine.status?.active })
})

test('agent follows the health port that a drop-in of the same change moves, and goes back to the one before', async () => {
  const machine = new Machine()
  machine.host.files.put('/etc/default/kubelet', NAMED)
  machine.start()
  const files = [{ path: `${DIRECTORY}/10-port.conf`, content: 'healthzPort: 10300\n' }]
  await machine.untilDigest(machine.assign({ config: 'maxPods: 50\n', host: JSON.stringify({ files }) }), 'Applied')
  await machine.untilDigest(machine.assign({ config: 'maxPods: 60\n' }), 'Applied')
  await machine.clock.advance(11 * 60_000)

  expect(machine.status).toMatchObject({ phase: 'Applied', lastKnownGood: machine.status?.active })
})

test('drop-in is compared by integers that no number can hold', () => {
  const wanted = { registryPullQPS: 9007199254740995n, maxPods: 50 } as unknown as Record<string, never>
  const dropIn = at('/d/10.conf', { registryPullQPS: 9007199254740993n, maxPods: 50 })
  expect(findOverridden(wanted, [dropIn])).toEqual(['/d/10.conf: registryPullQPS'])
})

test('KubeletDropIns looks for the unit of the kubelet once, however often it is asked', async () => {
  const files = new MemoryFiles()
  files.put('/etc/systemd/system/kubelet.service', 'ExecStart=/usr/bin/kubelet --config-dir=/etc/kubelet.d\n')
  files.put('/etc/kubelet.d/10.conf', 'maxPods: 50\n')
  const listed: string[] = []
  const list = files.list.bind(files)
  files.list = (path) => {
    listed.push(path)
    return list(path)
  }
  const dropIns = new KubeletDropIns(files)

  expect(await dropIns.overridden('{"maxPods": 100}', [])).toEqual(['/etc/kubelet.d/10.conf: maxPods'])
  expect(await dropIns.over({ document: { maxPods: 100 }, args: [] })).toEqual({ maxPods: 50 })
  expect(listed.filter((path) => path.endsWith('/kubelet.service.d'))).toEqual(['/etc/systemd/system/kubelet.service.d'])
})
