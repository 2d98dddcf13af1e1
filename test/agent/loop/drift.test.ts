import { expect, test } from 'vitest'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000

async function applied(): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  machine.assign({
    config: 'maxPods: 50\n',
    host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n', mode: '0644' }] }),
  })
  await machine.until('Applied')
  return machine
}

test('agent repairs a file that was changed under it, and restarts nothing', async () => {
  const machine = await applied()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.host.files.put('/etc/motd', 'hacked\n', { mode: 0o666 })
  await machine.clock.advance(6 * MINUTE)

  expect(machine.hostFiles()['/etc/motd']).toBe('644 0:0 hello\n')
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.status).not.toHaveProperty('drift')
})

test('agent reports drift that only a restart could repair, once, and reports when it is gone', async () => {
  const machine = await applied()
  const good = machine.host.files.text('/var/lib/kubelet/config.yaml') ?? ''
  await machine.clock.advance(11 * MINUTE)
  const patches = machine.node.patches.length
  machine.host.files.put('/var/lib/kubelet/config.yaml', good.replace('maxPods: 50', 'maxPods: 99'))
  await machine.clock.advance(30 * MINUTE)
  expect(machine.status?.drift).toEqual(['/var/lib/kubelet/config.yaml'])
  expect(machine.node.patches).toHaveLength(patches + 1)
  machine.host.files.put('/var/lib/kubelet/config.yaml', good)
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).not.toHaveProperty('drift')
  expect(machine.node.patches).toHaveLength(patches + 2)
})

test('agent repairs drift when the same configuration is assigned again', async () => {
  const machine = await applied()
  const good = machine.host.files.text('/var/lib/kubelet/config.yaml') ?? ''
  machine.host.files.put('/var/lib/kubelet/config.yaml', good.replace('maxPods: 50', 'maxPods: 99'))
  await machine.clock.advance(6 * MINUTE)
  const desired = JSON.parse(machine.node.annotations['nodewave.io/desired-config'] ?? '')
  machine.annotate({ ...desired, ASSIGNED: '2026-01-02T00:00:00Z' })
  await machine.clock.runUntil(() => machine.status?.phase === 'Applied' && machine.status.drift === undefined)

  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toContain('maxPods: 50')
  expect(machine.host.files.text('/var/lib/kubelet/config.yaml')).toContain('clusterDomain: cluster.local')
})

test('agent takes no comment or order in the YAML of the configuration for drift', async () => {
  const machine = await applied()
  const lines = (machine.host.files.text('/var/lib/kubelet/config.yaml') ?? '').trimEnd().split('\n')
  const shuffled = [
    ...lines.filter((line) => /^(?:maxPods|kind)/.test(line)),
    ...lines.filter((line) => !/^(?:maxPods|kind)/.test(line)),
  ]
  machine.host.files.put('/var/lib/kubelet/config.yaml', `# touched\n${shuffled.join('\n')}\n`)
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).not.toHaveProperty('drift')
})

test('agent reports a file in whose place somebody put a link, and still repairs the others', async () => {
  const machine = await applied()
  const { stat } = MemoryFiles.prototype
  machine.host.files.stat = async (path) => {
    const found = await stat.call(machine.host.files, path)
    return found && path === '/var/lib/kubelet/config.yaml' ? { ...found, type: 'symlink' } : found
  }
  machine.host.files.put('/etc/motd', 'hacked\n')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toEqual(['/var/lib/kubelet/config.yaml'])
  expect(machine.hostFiles()['/etc/motd']).toBe('644 0:0 hello\n')
})

test('agent names no more paths that have drifted than an annotation can hold', async () => {
  const machine = new Machine()
  machine.start()
  const files = Array.from({ length: 100 }, (_, index) => ({ path: `/etc/tuned/${index}`, content: 'x' }))
  const paths = files.map(({ path }) => path)
  machine.assign({ host: JSON.stringify({ files, units: [{ name: 'containerd.service', restartOn: paths }] }) })
  await machine.until('Applied')
  for (const path of paths) machine.host.files.put(path, 'hacked')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toHaveLength(21)
  expect(machine.status?.drift?.slice(18)).toEqual(['/etc/tuned/18', '/etc/tuned/19', '… and 80 more'])
})
