import { expect, test } from 'vitest'
import { openrc } from '../../../../src/agent/adapters/services/openrc.ts'
import { ServiceCallKilled } from '../../../../src/agent/ports.ts'
import { hostTree, orders, processStat } from './host-tree.ts'

/** What OpenRC 0.45 has of a service that it started in the background, and of one that its supervisor keeps running. */
const PLAIN = {
  '/etc/init.d/tiny': '#!/sbin/openrc-run\ncommand=/bin/tiny\n',
  '/run/openrc/started/tiny': '-> /etc/init.d/tiny',
  '/run/openrc/options/tiny/command': '/bin/tiny',
  '/run/openrc/options/tiny/pidfile': '/run/tiny.pid',
  '/run/tiny.pid': '57\n',
  '/proc/57/stat': processStat(57),
}
const SUPERVISED = {
  '/etc/init.d/tiny': '#!/sbin/openrc-run\nsupervisor=supervise-daemon\n',
  '/run/openrc/started/tiny': '-> /etc/init.d/tiny',
  '/run/openrc/options/tiny/child_pid': '101',
  '/run/openrc/options/tiny/pidfile': '/run/supervise-tiny.pid',
  '/run/supervise-tiny.pid': '99\n',
  '/proc/99/stat': processStat(99),
  '/proc/101/stat': processStat(101),
}

test.each([
  ['a daemon in the background', PLAIN, 57],
  ['a daemon below its supervisor', SUPERVISED, 101],
])('openrc shows %s with its process', async (_, files, mainPid) => {
  using host = hostTree(files)

  expect(await openrc({ root: host.root }).show('tiny.service')).toEqual({
    exists: true,
    isGone: false,
    active: 'active',
    enabled: false,
    isStatic: false,
    mainPid,
    restarts: 0,
    runningFor: 600_000,
    lastExit: 0,
  })
})

test('openrc shows a daemon that was killed as failed, though OpenRC says that it is started', async () => {
  using host = hostTree(PLAIN)
  host.remove('/proc/57/stat')

  expect(await openrc({ root: host.root }).show('tiny.service')).toMatchObject({ active: 'failed', mainPid: 0 })
})

test('openrc shows a daemon that waits for its parent as ended', async () => {
  using host = hostTree({ ...PLAIN, '/proc/57/stat': processStat(57, { state: 'Z' }) })

  expect(await openrc({ root: host.root }).show('tiny.service')).toMatchObject({ active: 'failed', mainPid: 0 })
})

test('openrc shows a supervised daemon that died as activating while its supervisor lives, and as failed after that', async () => {
  using host = hostTree(SUPERVISED)
  const services = openrc({ root: host.root })
  host.remove('/proc/101/stat')
  expect((await services.show('tiny.service')).active).toBe('activating')

  host.remove('/proc/99/stat')
  expect((await services.show('tiny.service')).active).toBe('failed')
})

test('openrc counts the processes that took the place of others, but for those that it started itself', async () => {
  using host = hostTree(SUPERVISED)
  const services = openrc({ root: host.root, run: orders().run })
  expect((await services.show('tiny.service')).restarts).toBe(0)

  host.put('/run/openrc/options/tiny/child_pid', '102')
  host.put('/proc/102/stat', processStat(102))
  expect((await services.show('tiny.service')).restarts).toBe(1)

  await services.restart('tiny.service')
  host.put('/run/openrc/options/tiny/child_pid', '103')
  host.put('/proc/103/stat', processStat(103))
  expect((await services.show('tiny.service')).restarts).toBe(0)
})

test.each([
  ['starting', 'activating'],
  ['stopping', 'deactivating'],
  ['failed', 'failed'],
  ['inactive', 'inactive'],
])('openrc shows a service that is %s as %s', async (state, active) => {
  using host = hostTree({ '/etc/init.d/tiny': '', [`/run/openrc/${state}/tiny`]: '' })

  expect(await openrc({ root: host.root }).show('tiny.service')).toMatchObject({ exists: true, active, mainPid: 0 })
})

test('openrc takes the process of a script with commands of its own from the file that the script names', async () => {
  const { '/run/openrc/options/tiny/pidfile': _, ...files } = PLAIN
  using host = hostTree({ ...files, '/etc/init.d/tiny': `pidfile="/run/\${RC_SVCNAME}.pid"\nstart() { :; }\n` })

  expect(await openrc({ root: host.root }).show('tiny.service')).toMatchObject({ active: 'active', mainPid: 57 })
})

test.each(['nobody.service', 'data.mount', '../tiny.service'])('openrc knows no %s', async (unit) => {
  using host = hostTree(PLAIN)

  expect(await openrc({ root: host.root }).show(unit)).toMatchObject({ exists: false, active: 'inactive' })
})

test('openrc sets the state of a dead service back before it starts, restarts or stops it', async () => {
  using host = hostTree(PLAIN)
  host.remove('/proc/57/stat')
  const { asked, run } = orders()
  const services = openrc({ root: host.root, run })
  await services.start('tiny.service')
  await services.restart('tiny.service')
  await services.stop('tiny.service')

  expect(asked).toEqual([
    'rc-service tiny zap',
    'rc-service tiny start',
    'rc-service tiny zap',
    'rc-service tiny start',
    'rc-service tiny zap',
  ])
})

test('openrc starts a service again when its restart was refused, once the old process has ended', async () => {
  using host = hostTree(PLAIN)
  const { asked, run } = orders((command) => (command.endsWith('restart') ? 1 : 0))
  const sleep = async () => host.remove('/proc/57/stat')
  await openrc({ root: host.root, run, sleep }).restart('tiny.service')

  expect(asked).toEqual(['rc-service tiny restart', 'rc-service tiny zap', 'rc-service tiny start'])
})

test('openrc tells a program that was killed from one that failed', async () => {
  using host = hostTree(PLAIN)

  await expect(openrc({ root: host.root, run: orders(() => -1).run }).restart('tiny.service')).rejects.toBeInstanceOf(
    ServiceCallKilled,
  )
  await expect(openrc({ root: host.root, run: orders(() => 1).run }).enable('tiny.service')).rejects.toThrow(
    'rc-update add tiny default: exit 1; run it on the host to see what it says',
  )
})

test('openrc enables and disables in the default runlevel, and refuses another one by its name', async () => {
  using host = hostTree({ ...PLAIN, '/etc/runlevels/boot/tiny': '' })
  const { asked, run } = orders()
  const services = openrc({ root: host.root, run })
  await services.enable('tiny.service')
  expect((await services.show('tiny.service')).enabled).toBe(true)

  await expect(services.disable('tiny.service')).rejects.toThrow(
    'disable "tiny": it is in runlevel "boot"; only "default" is managed: rc-update del tiny boot',
  )
  host.remove('/etc/runlevels/boot/tiny')
  await services.disable('tiny.service')
  host.put('/etc/runlevels/default/tiny', '')
  await services.disable('tiny.service')
  expect(asked).toEqual(['rc-update add tiny default', 'rc-update del tiny default'])
})

test.each([
  ['rc.starting', 'starting'],
  ['rc.stopping', 'stopping'],
  ['softlevel', 'up'],
])('openrc with %s says that the machine is %s', async (file, state) => {
  using host = hostTree({ [`/run/openrc/${file}`]: '' })

  expect(await openrc({ root: host.root }).machine()).toBe(state)
})

test.each([
  ['openrc-init\n', 'openrc-shutdown -r now'],
  ['init\n', 'reboot '],
])('openrc reboots a machine whose first process is %j by %j', async (comm, command) => {
  using host = hostTree({ '/proc/1/comm': comm })
  const { asked, run } = orders()
  await openrc({ root: host.root, run }).reboot()

  expect(asked).toEqual([command.trim()])
})

test('openrc gives the lines that a service wrote since it was started last', async () => {
  using host = hostTree({ ...PLAIN, '/etc/conf.d/tiny': 'error_log=/var/log/tiny/err\n', '/var/log/tiny/err': 'before\n' })
  const services = openrc({ root: host.root, run: orders().run })
  await services.restart('tiny.service')
  host.put('/var/log/tiny/err', 'before\npanic: out of luck\n')

  expect(await services.lastWords('tiny.service', 0)).toEqual(['panic: out of luck'])
})
