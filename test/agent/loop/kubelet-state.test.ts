import { expect, test } from 'vitest'
import { stateText } from '../../../src/sim/host/kubelet-states.ts'
import { BAD_FLAGS } from '../support/kind-stories.ts'
import { CPU_NONE, CPU_STATE, MEMORY_STATE, withKubeletStates } from '../support/kubelet-state.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const STATIC = { config: 'cpuManagerPolicy: static\nkubeReserved: {cpu: 500m}\n' }
const CPU_STATIC = stateText('static', { defaultCpuSet: '' })
const IN_USE = JSON.stringify({ policyName: 'static', defaultCpuSet: '0-1', entries: { pod: { web: '2' } }, checksum: 1 })

async function running(): Promise<Machine> {
  const machine = new Machine()
  withKubeletStates(machine)
  machine.start()
  await machine.clock.advance(5000)
  return machine
}

test('kubelet gets another CPU policy, and its state file of the old one goes', async () => {
  const machine = await running()
  const memory = machine.host.files.text(MEMORY_STATE)
  machine.assign(STATIC)

  expect(await machine.until('Applied', 'RolledBack', 'Failed')).not.toHaveProperty('error')
  expect(machine.host.files.text(CPU_STATE)).toBe(CPU_STATIC)
  expect(machine.host.files.text(MEMORY_STATE)).toBe(memory)
  expect(machine.logged.join('\n')).toContain('its policy is \\"none\\", and that of the configuration \\"static\\"')
})

test('kubelet gets other policies for CPU and memory at once', async () => {
  const machine = await running()
  machine.assign({ config: `${STATIC.config}memoryManagerPolicy: Static\n` })

  expect(await machine.until('Applied', 'RolledBack', 'Failed')).not.toHaveProperty('error')
  expect([CPU_STATE, MEMORY_STATE].map((path) => JSON.parse(machine.host.files.text(path) ?? '').policyName)).toEqual([
    'static',
    'Static',
  ])
})

test('kubelet does not run while its state file is moved: it would write it again', async () => {
  const machine = await running()
  const { files, services } = machine.host
  const seen: string[] = []
  const remove = files.remove.bind(files)
  files.remove = async (path) => {
    if (path === CPU_STATE) seen.push((await services.show('kubelet.service')).active)
    return remove(path)
  }
  machine.assign(STATIC)
  await machine.until('Applied')

  expect(seen).toEqual(['inactive'])
})

test('state file stays when the kubelet restarts with the same policy', async () => {
  const machine = await running()
  machine.host.files.put(CPU_STATE, CPU_NONE.replace('"checksum":1', '"checksum":2'))
  machine.assign({ config: 'maxPods: 50\ncpuManagerPolicy: none\n', flags: '--v=3' })
  await machine.until('Applied')

  expect(machine.host.files.text(CPU_STATE)).toBe(CPU_NONE.replace('"checksum":1', '"checksum":2'))
})

test('state file stays when a drop-in of the kubelet sets another policy than its configuration', async () => {
  const machine = await running()
  machine.host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS="--config-dir=/etc/kubernetes/kubelet.conf.d"\n')
  machine.host.files.put('/etc/kubernetes/kubelet.conf.d/20.conf', 'cpuManagerPolicy: none\n')
  machine.assign(STATIC)
  await machine.until('Applied', 'RolledBack', 'Failed')

  expect(machine.logged.join('\n')).not.toContain('state file')
})

test('state file stays that a kubelet runs with by flags which the agent does not see', async () => {
  const machine = await running()
  machine.host.files.put(CPU_STATE, IN_USE)
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.status?.digest === digest && machine.status.phase !== 'Staging')

  expect(machine.status?.phase).not.toBe('Blocked')
  expect(machine.logged.join('\n')).not.toContain('moved aside')
})

test('kubelet that does not start over its state file starts after the next change', async () => {
  const machine = await running()
  machine.host.files.put(CPU_STATE, CPU_STATIC)
  await machine.host.services.restart('kubelet.service')
  await machine.clock.advance(MINUTE)
  expect((await machine.host.services.show('kubelet.service')).active).toBe('activating')
  const digest = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(digest, 'Applied')

  expect(machine.host.files.text(CPU_STATE)).toBe(CPU_NONE)
})

test('state file goes when a drop-in of the same commit sets another policy', async () => {
  const machine = await running()
  machine.host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS="--config-dir=/etc/kubernetes/kubelet.conf.d"\n')
  const dropIn = { path: '/etc/kubernetes/kubelet.conf.d/20.conf', content: 'cpuManagerPolicy: static\n' }
  machine.assign({ host: JSON.stringify({ files: [dropIn] }) })
  await machine.until('Applied', 'RolledBack', 'Failed')

  expect(machine.logged.join('\n')).toContain('state file')
})

test.each([
  ['does not start', BAD_FLAGS],
  ['has written its own state, and does not prove itself', '--hostname-override=other'],
])('kubelet gets back the state file that it had when one with another policy %s', async (_, flags) => {
  const machine = await running()
  machine.host.files.put(CPU_STATE, CPU_NONE.replace('"checksum":1', '"checksum":2'))
  const before = machine.hostFiles()
  machine.assign({ ...STATIC, flags })

  expect((await machine.until('Applied', 'RolledBack', 'Failed')).error?.reason).toBe('HealthCheckFailed')
  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test('kubelet is started again when its state file cannot be moved', async () => {
  const machine = await running()
  const before = machine.hostFiles()
  const { files } = machine.host
  const keep = files.keep.bind(files)
  files.keep = async (from, to) => {
    if (from === CPU_STATE) throw new Error('EIO: i/o error')
    return keep(from, to)
  }
  machine.assign(STATIC)

  expect((await machine.until('Applied', 'RolledBack', 'Failed')).error?.message).toContain('EIO')
  await machine.clock.advance(MINUTE)
  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test('kubelet runs again when the order to stop it failed, and it stopped all the same', async () => {
  const machine = await running()
  const { services } = machine.host
  const [stop, restart] = [services.stop.bind(services), services.restart.bind(services)]
  let late: (() => Promise<void>) | undefined
  services.stop = async (name) => {
    late = () => stop(name)
    void machine.clock.sleep(1000).then(() => late?.())
    throw new Error('systemctl stop kubelet.service: timed out')
  }
  // Jobs of one unit are done in their order.
  services.restart = async (name) => {
    await late?.()
    late = undefined
    return restart(name)
  }
  machine.assign(STATIC)

  expect((await machine.until('Applied', 'RolledBack', 'Failed')).error?.message).toContain('timed out')
  await machine.clock.advance(MINUTE)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test('host that goes bad in its trial goes back to the policy before, with a state that its kubelet starts with', async () => {
  const machine = await running()
  machine.assign(STATIC)
  await machine.until('Applied')
  machine.host.injectCrash(({ config }) => (config?.includes('cpuManagerPolicy') ? 'no such luck' : undefined))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ phase: 'RolledBack', error: { reason: 'TrialFailed' } })
  expect(machine.host.files.text(CPU_STATE)).toBe(CPU_NONE)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test('host that nodewave leaves gets the policy that it had', async () => {
  const machine = await running()
  const before = machine.hostFiles()
  machine.assign(STATIC)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
})

test.each([
  ['waits for a drain', undefined, 'Blocked'],
  ['is changed after a drain', 'drain', 'Applied'],
] as const)('node whose containers have CPUs of their own %s', async (_, GRANT, phase) => {
  const machine = await running()
  machine.assign(STATIC)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put(CPU_STATE, IN_USE)
  const digest = machine.assign({ config: 'cpuManagerPolicy: none\n' }, GRANT === undefined ? {} : { GRANT })
  const status = await machine.untilDigest(digest, phase)

  expect(status.needs).toBe(phase === 'Blocked' ? 'drain' : undefined)
  expect(machine.host.files.text(CPU_STATE)).toBe(phase === 'Blocked' ? IN_USE : CPU_NONE)
})
