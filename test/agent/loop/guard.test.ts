import { expect, test } from 'vitest'
import { Machine, type MachineOptions } from '../support/machine.ts'

const MINUTE = 60_000
const EXTRA_ARGS = '/etc/default/kubelet'

/** A commit that held its trial, and a newer one in its trial. */
async function inTrial(
  options: MachineOptions = {},
  host?: string,
): Promise<{ readonly machine: Machine; readonly good: string }> {
  const machine = new Machine(options)
  if (host !== undefined) machine.host.files.put('/etc/motd', 'hello\n')
  machine.start()
  const content = host === undefined ? {} : { host }
  const good = machine.assign({ flags: '--v=2', ...content })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign({ flags: '--v=3', ...content }), 'Applied')
  return { machine, good }
}

function goBad(machine: Machine): void {
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
}

test('agent goes back while a newer assignment cannot be fetched, and takes that up when it can', async () => {
  const { machine, good } = await inTrial()
  const newer = machine.assign({ flags: '--v=4' })
  const [name = '', data = {}] = [...machine.node.configMaps].at(-1) ?? []
  machine.node.configMaps.delete(name)
  await machine.untilDigest(newer, 'Fetching')
  goBad(machine)
  await machine.clock.advance(3 * MINUTE)

  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS="--v=2"\n')
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
  expect(machine.status).toMatchObject({ phase: 'Fetching', digest: newer, active: good })
  machine.node.configMaps.set(name, data)
  await machine.untilDigest(newer, 'Applied')
  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS="--v=4"\n')
})

test('agent goes back in the middle of a download that takes hours, and begins the download again', async () => {
  const { machine } = await inTrial({ durations: { download: 6 * 60 * MINUTE } })
  machine.assign({ flags: '--v=4', version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.clock.advance(MINUTE)
  goBad(machine)
  await machine.clock.advance(3 * MINUTE)

  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS="--v=2"\n')
  expect(machine.status).toMatchObject({ phase: 'Applying' })
  await machine.clock.runUntil(() => machine.status?.phase === 'Applied', { within: 8 * 60 * MINUTE })
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
})

test('agent repairs drift while a newer assignment cannot be fetched', async () => {
  const { machine } = await inTrial({}, JSON.stringify({ files: [{ path: '/etc/motd', content: 'ours\n' }] }))
  machine.annotate({ KUBELET_CONFIG: 'not-there', DIGEST: `v1:${'a'.repeat(64)}` })
  await machine.until('Fetching')
  machine.host.files.put('/etc/motd', 'hacked\n')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.host.files.text('/etc/motd')).toBe('ours\n')
})

test('agent reports that it could not go back, does what it can, and leaves no stale Applied', async () => {
  const { machine } = await inTrial({}, JSON.stringify({ files: [{ path: '/etc/motd', content: 'ours\n' }] }))
  const stat = machine.host.files.stat.bind(machine.host.files)
  machine.host.files.stat = async (path) =>
    path === '/etc/motd' ? { type: 'symlink', size: 10, mode: 0o777, uid: 0, gid: 0 } : stat(path)
  goBad(machine)

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ phase: 'RolledBack', error: { reason: 'TrialFailed' } })
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status?.drift).toEqual(['/etc/motd'])
})

test('agent that has lost what it would go back to says so, and does not go back to before nodewave', async () => {
  const { machine, good } = await inTrial()
  machine.host.files.put(`/var/lib/nodewave/checkpoints/${good.replace(':', '-')}/content.json`, '')
  goBad(machine)

  const status = await machine.until('RolledBack', 'Failed')

  expect(status).toMatchObject({ phase: 'Failed', error: { reason: 'TrialFailed' } })
  expect(status.error?.message).toContain('kubelet went bad during its trial: out of luck; it cannot be rolled back')
  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS="--v=3"\n')
})

test('agent that could not go back is Applied again when the host gets well by itself', async () => {
  const { machine, good } = await inTrial()
  machine.host.files.put(`/var/lib/nodewave/checkpoints/${good.replace(':', '-')}/content.json`, '')
  goBad(machine)
  await machine.until('Failed')
  machine.host.injectCrash(() => undefined)
  await machine.clock.advance(30 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.status).not.toHaveProperty('error')
})

test('agent that put everything back is RolledBack, not Failed, as soon as a slow kubelet is healthy', async () => {
  const machine = new Machine({ durations: { healthy: 70_000 } })
  machine.start()
  await machine.clock.advance(5 * MINUTE)
  const before = machine.hostFiles()
  machine.assign({ flags: '--v=2' })
  await machine.until('Failed')
  await machine.clock.advance(MINUTE)

  expect(machine.status?.phase).toBe('RolledBack')
  expect(machine.hostFiles()).toEqual(before)
})

test('agent does not go back while the machine starts and its container runtime is not there yet', async () => {
  const { machine } = await inTrial()
  const digest = machine.status?.digest
  machine.kill()
  machine.host.powerOff()
  await machine.clock.advance(30_000)
  let isUp = false
  machine.host.injectCrash(() => (isUp ? undefined : 'failed to run Kubelet: containerd.sock: no such file'))
  machine.host.powerOn({ machine: 'starting' })
  machine.start()
  await machine.clock.advance(50_000)
  isUp = true
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest, lastKnownGood: digest })
})

test('agent that is assigned something while the machine starts waits with it until the machine is up', async () => {
  const { machine } = await inTrial()
  machine.kill()
  machine.host.powerOff()
  await machine.clock.advance(30_000)
  let isUp = false
  machine.host.injectCrash(() => (isUp ? undefined : 'failed to run Kubelet: containerd.sock: no such file'))
  machine.host.powerOn({ machine: 'starting' })
  const digest = machine.assign({ flags: '--v=4' })
  machine.start()
  await machine.clock.advance(45_000)
  isUp = true

  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ phase: 'Applied' })
})

test('binary that was staged while the guard repaired drift is there when its turn comes', async () => {
  const motd = { files: [{ path: '/etc/motd', content: 'ours\n' }] }
  const machine = new Machine({ durations: { download: 6 * MINUTE } })
  machine.start()
  machine.assign({ host: JSON.stringify(motd) })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const write = machine.host.files.writeAtomic.bind(machine.host.files)
  machine.host.files.writeAtomic = async (path, bytes, options) => {
    if (path === '/etc/motd') await machine.clock.sleep(10 * MINUTE)
    return write(path, bytes, options)
  }
  const digest = machine.assign({ version: '1.36.3', host: JSON.stringify({ ...motd, kubelet: machine.release('1.36.3') }) })
  await machine.untilDigest(digest, 'Applying')
  machine.host.files.put('/etc/motd', 'hacked\n')
  await machine.clock.runUntil(() => machine.status?.phase !== 'Applying', { within: 30 * MINUTE })

  expect(machine.status).toMatchObject({ phase: 'Applied', digest })
})

test('outcome is written by one at a time when an assignment is refused while the guard goes back', async () => {
  const { machine } = await inTrial()
  const write = machine.host.files.writeAtomic.bind(machine.host.files)
  let [writing, most] = [0, 0]
  machine.host.files.writeAtomic = async (path, bytes, options) => {
    if (path !== '/var/lib/nodewave/meta/outcome.json') return write(path, bytes, options)
    most = Math.max(most, ++writing)
    await machine.clock.sleep(3000)
    writing--
    return write(path, bytes, options)
  }
  goBad(machine)
  for (let count = 0; count < 40; count++) {
    await machine.clock.advance(2000)
    machine.annotate(`no JSON ${count}`)
  }
  await machine.clock.advance(10 * MINUTE)

  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS="--v=2"\n')
  expect(most).toBe(1)
})

test('agent tries to go back less and less often when neither configuration runs', async () => {
  const { machine } = await inTrial()
  const append = machine.host.files.append.bind(machine.host.files)
  const tries: number[] = []
  machine.host.files.append = async (path, line) => {
    if (line.includes('"fallback"')) tries.push(machine.clock.elapsed())
    return append(path, line)
  }
  machine.host.injectCrash(() => 'no disk')
  await machine.clock.advance(6 * 60 * MINUTE)

  expect(tries.slice(1).map((at, index) => Math.floor((at - (tries[index] ?? 0)) / MINUTE))).toEqual([
    5, 10, 20, 40, 60, 60, 60, 60,
  ])
})
