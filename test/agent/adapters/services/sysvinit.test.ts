import { expect, test } from 'vitest'
import { findServiceManager } from '../../../../src/agent/adapters/services/find-service-manager.ts'
import { HostPlace } from '../../../../src/agent/adapters/services/host-place.ts'
import { readScript } from '../../../../src/agent/adapters/services/service-script.ts'
import { sysvinit } from '../../../../src/agent/adapters/services/sysvinit.ts'
import { hostTree, orders, processStat } from './host-tree.ts'

const SCRIPT = 'NAME=tiny\nPIDFILE=/run/$NAME.pid\ncase "$1" in\nstart) ;;\nstatus) status_of_proc -p $PIDFILE tiny ;;\nesac\n'
const RUNNING = { '/etc/init.d/tiny': SCRIPT, '/run/tiny.pid': '57\n', '/proc/57/stat': processStat(57) }

function machine(files: Readonly<Record<string, string>>, { status = 3, sleep = async () => {} } = {}) {
  const host = hostTree(files)
  const { asked, run } = orders()
  const ask = async (program: string, args: readonly string[]) => {
    asked.push([program, ...args].join(' '))
    return { code: status, stdout: '', stderr: '', timedOut: false }
  }
  return { host, asked, services: sysvinit({ root: host.root, run, ask, sleep }), [Symbol.dispose]: () => host[Symbol.dispose]() }
}

test('sysvinit shows a daemon by the process id that its script writes, and runs nothing for that', async () => {
  using known = machine(RUNNING)

  expect(await known.services.show('tiny.service')).toMatchObject({
    exists: true,
    isGone: false,
    active: 'active',
    mainPid: 57,
    runningFor: 600_000,
  })
  expect(known.asked).toEqual([])
})

test('sysvinit shows a daemon that was killed as failed, whatever its script says', async () => {
  using known = machine(RUNNING, { status: 0 })
  known.host.remove('/proc/57/stat')

  expect(await known.services.show('tiny.service')).toMatchObject({ active: 'failed', mainPid: 0 })
})

test.each([
  [0, 'active'],
  [1, 'failed'],
  [2, 'failed'],
  [3, 'inactive'],
  [4, 'inactive'],
])('sysvinit without a process id takes exit code %i of status for %s', async (status, active) => {
  using known = machine({ '/etc/init.d/tiny': SCRIPT }, { status })

  expect(await known.services.show('tiny.service')).toMatchObject({ active, mainPid: 0 })
  expect(known.asked).toEqual(['/etc/init.d/tiny status'])
})

test('sysvinit asks no script that has no verb "status"', async () => {
  using known = machine({ '/etc/init.d/tiny': 'case "$1" in\nstart) ;;\n*) rm -rf / ;;\nesac\n' })

  expect((await known.services.show('tiny.service')).active).toBe('inactive')
  expect(known.asked).toEqual([])
})

test('sysvinit makes the links of a service before it enables it', async () => {
  using known = machine(RUNNING)
  await known.services.enable('tiny.service')
  expect(known.asked).toEqual(['update-rc.d tiny defaults', 'update-rc.d tiny enable'])

  known.host.put('/etc/rc2.d/S01tiny', '')
  expect((await known.services.show('tiny.service')).enabled).toBe(true)
  await known.services.disable('tiny.service')
  expect(known.asked.at(-1)).toBe('update-rc.d tiny disable')
})

test('sysvinit takes a link that stops a service for none that starts it', async () => {
  using known = machine({ ...RUNNING, '/etc/rc2.d/K01tiny': '', '/etc/rc2.d/S01tinyproxy': '' })

  expect((await known.services.show('tiny.service')).enabled).toBe(false)
})

test('sysvinit waits for the process of a service that it stops', async () => {
  let looks = 0
  using known = machine(RUNNING, {
    sleep: async () => {
      if (++looks === 3) known.host.remove('/proc/57/stat')
    },
  })
  await known.services.stop('tiny.service')

  expect(looks).toBe(3)
  expect(known.asked).toEqual(['/etc/init.d/tiny stop'])
})

test('sysvinit names a process that does not end', async () => {
  using known = machine(RUNNING)

  await expect(known.services.stop('tiny.service')).rejects.toThrow('stop "tiny": process 57 still runs after 90 s')
})

test.each([
  ['init [2]\0', {}, 'up'],
  ['init [6]\0', {}, 'stopping'],
  ['init [0]\0', {}, 'stopping'],
  ['/sbin/init\0', {}, 'starting'],
  ['init [2]\0', { '/proc/44/cmdline': '/bin/sh\0/etc/init.d/rc\x002\0' }, 'starting'],
])('sysvinit whose first process is %j says what the machine does', async (first, more, state) => {
  using known = machine({ '/proc/1/cmdline': first, ...more })

  expect(await known.services.machine()).toBe(state)
})

test('readScript fills in what the script has set before, and leaves out what takes a shell to know', () => {
  const script = `
NAME="chronyd"
PIDFILE="\${PIDFILE:-/run/chrony/$NAME.pid}"
pidfile=$(mktemp)
LOGFILE='/var/log/chrony.log'
OTHER_PID_FILE=/run/\${UNKNOWN}.pid
`
  expect(readScript(script, 'chrony')).toEqual({ pidFiles: ['/run/chrony/chronyd.pid'], logs: ['/var/log/chrony.log'] })
  expect(readScript('# pidfile: /var/run/old.pid\n', 'old').pidFiles).toEqual(['/var/run/old.pid'])
})

test.each([
  ['systemd', { '/run/systemd/system/x': '', '/run/openrc/softlevel': 'default' }],
  ['openrc', { '/run/openrc/softlevel': 'default', '/proc/1/comm': 'init\n', '/etc/init.d/rc': '' }],
  ['runit', { '/proc/1/comm': 'runit\n', '/etc/init.d/rc': '' }],
  ['sysvinit', { '/proc/1/comm': 'init\n', '/etc/init.d/rc': '' }],
  ['systemd', { '/proc/1/comm': 'bash\n' }],
])('findServiceManager finds %s where there is %j', async (name, files: Readonly<Record<string, string>>) => {
  using host = hostTree(files)

  expect(await findServiceManager(new HostPlace(host.root))).toBe(name)
})
