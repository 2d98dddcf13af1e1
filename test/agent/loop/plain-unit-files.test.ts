/** Plain files that a unit reads when it starts: they restart it and are proved, as those are that the document names under units. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const DROP_IN = '/etc/systemd/system/kubelet.service.d/99-x.conf'

async function withFile(path: string, content: string): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(MINUTE)
  machine.assign({ host: JSON.stringify({ files: [{ path, content }] }) })
  return machine
}

async function restartsOf(machine: Machine, unit: string, work: () => Promise<unknown>): Promise<boolean> {
  const before = (await machine.host.services.show(unit)).mainPid
  await work()
  return (await machine.host.services.show(unit)).mainPid !== before
}

test('agent undoes a plain drop-in with which the kubelet does not start', async () => {
  const machine = await withFile(DROP_IN, '[Service]\nExecStart=\n')

  const status = await machine.until('Applied', 'RolledBack')

  expect(status).toMatchObject({ phase: 'RolledBack', error: { reason: 'HealthCheckFailed' } })
  expect(machine.host.files.text(DROP_IN)).toBeUndefined()
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test.each([DROP_IN, '/run/systemd/system/kubelet.service.d/a.conf', '/usr/local/lib/systemd/system/kubelet.service'])(
  'agent restarts the kubelet for the plain file %s, and again when that goes',
  async (path) => {
    const machine = new Machine()
    machine.start()
    await machine.clock.advance(MINUTE)
    const apply = async () => {
      machine.assign({ host: JSON.stringify({ files: [{ path, content: '[Service]\nNice=1\n' }] }) })
      await machine.until('Applied')
    }
    const remove = async () => {
      machine.annotate(null)
      await machine.until('Reverted')
    }

    expect(await restartsOf(machine, 'kubelet.service', apply)).toBe(true)
    expect(await restartsOf(machine, 'kubelet.service', remove)).toBe(true)
  },
)

test('agent restarts another unit for its plain drop-in when it runs, and leaves the kubelet alone', async () => {
  const machine = new Machine({ units: ['containerd.service'] })
  machine.start()
  await machine.clock.advance(MINUTE)
  const kubelet = (await machine.host.services.show('kubelet.service')).mainPid
  const apply = async () => {
    const path = '/etc/systemd/system/containerd.service.d/10-x.conf'
    machine.assign({ host: JSON.stringify({ files: [{ path, content: '[Service]\nNice=1\n' }] }) })
    await machine.until('Applied')
  }

  expect(await restartsOf(machine, 'containerd.service', apply)).toBe(true)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(kubelet)
})

const CONFIG_DIR = '--config-dir=/etc/kubernetes/kubelet.conf.d/'

test.each([
  ['the flags', CONFIG_DIR, ''],
  ["the kubelet's unit", '--v=2', CONFIG_DIR],
])(
  'agent restarts and proves the kubelet for a plain file in the directory behind --config-dir of %s',
  async (_, flags, inUnit) => {
    const machine = new Machine()
    const unitsOwn = '/usr/lib/systemd/system/kubelet.service.d/20-directory.conf'
    machine.host.files.put(
      unitsOwn,
      `[Service]\nEnvironment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml ${inUnit}"\n`,
    )
    machine.start()
    await machine.clock.advance(MINUTE)
    const files = [
      { path: '/etc/kubernetes/kubelet.conf.d/20-a.conf', content: 'maxPods: 5\n' },
      { path: '/etc/kubernetes/other.conf', content: '' },
    ]
    machine.assign({ flags, host: JSON.stringify({ files }) })
    await machine.until('Applied')
    const assignWith = (index: number) => async () => {
      const changed = files.map((file, at) => (at === index ? { ...file, content: 'maxPods: 6\n' } : file))
      await machine.untilDigest(machine.assign({ flags, host: JSON.stringify({ files: changed }) }), 'Applied')
    }

    expect(await restartsOf(machine, 'kubelet.service', assignWith(1))).toBe(false)
    expect(await restartsOf(machine, 'kubelet.service', assignWith(0))).toBe(true)
    const withoutIt = async () => {
      await machine.untilDigest(machine.assign({ flags, host: JSON.stringify({ files: files.slice(1) }) }), 'Applied')
    }
    expect(await restartsOf(machine, 'kubelet.service', withoutIt)).toBe(true)
  },
)

test.each(['/etc/systemd/system/service.d/x.conf', '/etc/systemd/system/kubelet-.service.d/x.conf'])(
  'agent refuses the plain file %s, which many units read',
  async (path) => {
    const machine = await withFile(path, '')

    expect(await machine.until('Applied', 'RolledBack')).toMatchObject({
      phase: 'RolledBack',
      error: { reason: 'PathNotAllowed' },
    })
  },
)

test('agent asks for a grant to restart before it writes a plain drop-in of the kubelet', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ files: [{ path: DROP_IN, content: '[Service]\n' }] }) }, { GRANT: 'none' })

  expect(await machine.until('Applied', 'Blocked')).toMatchObject({ phase: 'Blocked', needs: 'restart' })
})
