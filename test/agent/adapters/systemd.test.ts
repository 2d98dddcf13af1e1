import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'
import { parseShow, systemd } from '../../../src/agent/adapters/systemd.ts'
import { ServiceCallKilled } from '../../../src/agent/ports.ts'

test('parseShow reads a running kubelet', () => {
  const output =
    'MainPID=812\nNRestarts=0\nExecMainStartTimestampMonotonic=90500000\nExecMainStatus=0\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n'
  expect(parseShow(output, 100_000)).toEqual({
    exists: true,
    isGone: false,
    isJob: false,
    active: 'active',
    enabled: true,
    isStatic: false,
    mainPid: 812,
    restarts: 0,
    runningFor: 9500,
    lastExit: 0,
  })
})

test('parseShow reads a crash loop, which systemd calls activating', () => {
  const output =
    'MainPID=0\nNRestarts=2\nExecMainStartTimestampMonotonic=1000\nExecMainStatus=1\nLoadState=loaded\nActiveState=activating\nUnitFileState=enabled\n'
  expect(parseShow(output, 5000)).toMatchObject({ active: 'activating', mainPid: 0, runningFor: 0, restarts: 2, lastExit: 1 })
})

test('parseShow says that a unit which systemd has not found does not exist', () => {
  expect(parseShow('LoadState=not-found\nActiveState=inactive\nUnitFileState=\nMainPID=0\n', 5)).toEqual({
    exists: false,
    isGone: true,
    isJob: false,
    active: 'inactive',
    enabled: false,
    isStatic: false,
    mainPid: 0,
    restarts: 0,
    runningFor: 0,
    lastExit: 0,
  })
})

test.each([
  ['runs without its file', 'Id=a.service\nFragmentPath=\nLoadState=not-found\nActiveState=active\n', true],
  ['is masked', 'Id=a.service\nFragmentPath=/etc/systemd/system/a.service\nLoadState=masked\nActiveState=active\n', false],
  [
    'has a bad setting',
    'Id=a.service\nFragmentPath=/etc/systemd/system/a.service\nLoadState=bad-setting\nActiveState=active\n',
    false,
  ],
  ['could not be read', 'Id=a.service\nFragmentPath=\nLoadState=error\nActiveState=active\n', false],
  ['is mounted without a file', 'Id=srv-a.mount\nFragmentPath=\nLoadState=loaded\nActiveState=active\n', true],
  ['is mounted by fstab', 'Id=srv-a.mount\nFragmentPath=/run/systemd/generator/srv-a.mount\nLoadState=loaded\n', false],
  ['is a slice, which needs no file', 'Id=a.slice\nFragmentPath=\nLoadState=loaded\nActiveState=active\n', false],
])('unit that %s: gone or not', (_, output, isGone) => {
  expect(parseShow(output, 0).isGone).toBe(isGone)
})

test.each([
  ['static\n', '', { exists: true, isGone: false, enabled: false, isStatic: true }],
  ['enabled\n', '', { exists: true, isGone: false, enabled: true, isStatic: false }],
  ['masked\n', '', { exists: false, isGone: false, enabled: false, isStatic: false }],
  ['masked-runtime\n', '', { exists: false, isGone: false, enabled: false, isStatic: false }],
  ['not-found\n', '', { exists: false, isGone: true, enabled: false, isStatic: false }],
  [
    '',
    'Failed to get unit file state for a@.service: No such file or directory\n',
    { exists: false, isGone: true, enabled: false },
  ],
])('systemd asks whether a template is enabled, since it shows none: %j', async (stdout, stderr, expected) => {
  const { services, asked } = answering({ code: 1, stdout, stderr })

  expect(await services.show('a@.service')).toMatchObject({ ...expected, active: 'inactive', mainPid: 0 })
  expect(asked).toEqual(['systemctl is-enabled --no-ask-password -- a@.service'])
})

test('systemd does not take a template for gone when it gives no answer', async () => {
  const { services } = answering({ code: 1, stderr: 'Failed to connect to bus: Connection refused\n' })

  await expect(services.show('a@.service')).rejects.toThrow('systemctl is-enabled a@.service: exit 1: Failed to connect to bus')
})

test.each([
  ['enabled', { enabled: true, isStatic: false }],
  ['enabled-runtime', { enabled: true, isStatic: false }],
  ['static', { enabled: false, isStatic: true }],
  ['disabled', { enabled: false, isStatic: false }],
])('unit whose file is %s is %j', (state, expected) => {
  expect(parseShow(`LoadState=loaded\nActiveState=active\nUnitFileState=${state}\nMainPID=7\n`, 0)).toMatchObject(expected)
})

test.each([
  ['oneshot', 'activating', 'no', true],
  ['oneshot', 'active', 'no', false],
  ['oneshot', 'activating', 'yes', false],
  ['notify', 'activating', 'no', false],
])('unit of type %s that is %s, and remains after its exit: %s: a job or not', (type, state, remains, isJob) => {
  const output = `Type=${type}\nRemainAfterExit=${remains}\nLoadState=loaded\nActiveState=${state}\n`
  expect(parseShow(output, 0).isJob).toBe(isJob)
})

/** A systemd that answers each order with this, and what it was asked. */
function answering(answer: Partial<Outcome>) {
  const asked: string[] = []
  const services = systemd(async (program, args) => {
    asked.push([program, ...args].join(' '))
    return { code: 0, stdout: '', stderr: '', timedOut: false, ...answer }
  })
  return { services, asked }
}

test.each([
  ['enabled\n', true],
  ['disabled\n', false],
])('systemd asks whether a script of /etc/init.d is enabled: %j', async (said, enabled) => {
  const asked: string[] = []
  const services = systemd(async (_, [verb = '', ...rest]) => {
    asked.push(`${verb} ${rest.at(-1)}`)
    const shown = 'Id=old.service\nSourcePath=/etc/init.d/old\nLoadState=loaded\nActiveState=active\nUnitFileState=generated\n'
    return { code: 0, stdout: verb === 'show' ? shown : said, stderr: '', timedOut: false }
  })

  expect(await services.show('old.service')).toMatchObject({ exists: true, enabled, isStatic: false })
  expect(asked).toEqual(['show old.service', 'is-enabled old.service'])
})

test.each([
  ['enabled\nenabled\n', true],
  ['enabled\ndisabled\n', false],
])('systemd takes a unit that enables others alone for enabled when they are: %j', async (said, enabled) => {
  const asked: string[] = []
  const answers: Readonly<Record<string, string>> = {
    show: 'Id=a.service\nSourcePath=\nLoadState=loaded\nActiveState=active\nUnitFileState=indirect\n',
    cat: '# /usr/lib/systemd/system/a.service\n[Install]\nAlso=a.socket a.timer\n',
    'is-enabled': said,
  }
  const services = systemd(async (_, [verb = '', ...rest]) => {
    asked.push([verb, ...rest.slice(rest.indexOf('--') + 1)].join(' '))
    return { code: 0, stdout: answers[verb] ?? '', stderr: '', timedOut: false }
  })

  expect(await services.show('a.service')).toMatchObject({ enabled, isStatic: false })
  expect(asked).toEqual(['show a.service', 'cat a.service', 'is-enabled a.socket a.timer'])
})

test('systemd asks nothing more of a mount that comes from fstab', async () => {
  const stdout = 'Id=srv.mount\nSourcePath=/etc/fstab\nLoadState=loaded\nActiveState=active\nUnitFileState=generated\n'
  const { services, asked } = answering({ stdout })

  expect(await services.show('srv.mount')).toMatchObject({ enabled: false })
  expect(asked).toHaveLength(1)
})

test('systemd does not take a unit for stopped and disabled when it gives no answer', async () => {
  const { services } = answering({ code: 1, stderr: 'Failed to connect to bus: Connection refused\n' })

  await expect(services.show('containerd.service')).rejects.toThrow(
    'systemctl show containerd.service: exit 1: Failed to connect to bus: Connection refused',
  )
})

const BLOCK = 'LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nMainPID=7\n'

test('systemd is asked for many units in one call, and answers in their order', async () => {
  const { services, asked } = answering({
    stdout: `LoadState=not-found\nActiveState=inactive\nUnitFileState=\nMainPID=0\n\n${BLOCK}\nLoadState=loaded\nActiveState=active\nUnitFileState=static\n`,
  })
  const shown = await services.showAll(['stranger.service', 'sshd.service', 'data.mount'])

  expect(shown.map(({ unit, service: { exists, mainPid, isStatic } }) => [unit, exists, mainPid, isStatic])).toEqual([
    ['stranger.service', false, 0, false],
    ['sshd.service', true, 7, false],
    ['data.mount', true, 0, true],
  ])
  expect(asked.map((line) => line.replace(/--property=\S+ /, ''))).toEqual([
    'systemctl show --no-ask-password -- stranger.service sshd.service data.mount',
  ])
})

test('systemd is asked for a template by itself: it shows none beside units', async () => {
  const asked: string[] = []
  const services = systemd(async (_, [verb = '', ...args]) => {
    asked.push([verb, ...args.slice(args.indexOf('--') + 1)].join(' '))
    return { code: 0, stdout: verb === 'show' ? BLOCK : 'disabled\n', stderr: '', timedOut: false }
  })
  const shown = await services.showAll(['worker@.service', 'sshd.service'])

  expect(shown.map(({ unit, service: { enabled } }) => [unit, enabled])).toEqual([
    ['sshd.service', true],
    ['worker@.service', false],
  ])
  expect(asked.toSorted()).toEqual(['is-enabled worker@.service', 'show sshd.service'])
})

test('systemd is not asked for no units, which it would take for a question about itself', async () => {
  const { services, asked } = answering({ stdout: 'Version=252\n' })

  expect(await services.showAll([])).toEqual([])
  expect(asked).toEqual([])
})

test('systemd is not believed when it answers for fewer units than it was asked for', async () => {
  const { services } = answering({ stdout: BLOCK })

  await expect(services.showAll(['a.service', 'b.service'])).rejects.toThrow(
    'systemctl show a.service b.service: 1 answers for 2 units',
  )
})

test.each(['start', 'restart'] as const)('systemd forgets that a unit failed too often before it does a %s', async (verb) => {
  const { services, asked } = answering({})
  await services[verb]('kubelet.service')

  expect(asked).toEqual([
    'systemctl reset-failed --no-ask-password -- kubelet.service',
    `systemctl ${verb} --no-ask-password -- kubelet.service`,
  ])
})

test('systemd is never given a unit for an option', async () => {
  const { services, asked } = answering({ stdout: 'LoadState=loaded\n' })
  await services.show('-Hevil.service')
  for (const verb of ['start', 'restart', 'stop', 'enable', 'disable'] as const) await services[verb]('-Hevil.service')

  expect(asked.filter((line) => !line.endsWith(' -- -Hevil.service'))).toEqual([])
})

test('systemd tells a systemctl that was killed from one that failed', async () => {
  const killed = systemd(async (_, [verb]) => ({ code: verb === 'restart' ? -1 : 0, stdout: '', stderr: '', timedOut: false }))

  await expect(killed.restart('kubelet.service')).rejects.toBeInstanceOf(ServiceCallKilled)
})

test.each([
  ['reloading', 'active'],
  ['refreshing', 'active'],
  ['maintenance', 'inactive'],
])('unit that systemd calls %s is %s: what reloads runs, and is not to be found stopped', (state, active) => {
  expect(parseShow(`LoadState=loaded\nActiveState=${state}\nMainPID=7\n`, 0).active).toBe(active)
})

test("systemd gives a unit's last words without what journalctl says itself", async () => {
  const { services, asked } = answering({ stdout: '-- Boot 1f2e --\npanic: out of luck\n\n-- No entries --\n' })

  expect(await services.lastWords('kubelet.service', 1_500_999)).toEqual(['panic: out of luck'])
  expect(asked).toEqual(['journalctl --unit kubelet.service --since @1500 --lines 200 --output cat --no-pager'])
})

/** A systemd with these inhibitors, and what it was asked. */
function inhibited(stdout: string) {
  const asked: string[] = []
  const services = systemd(async (program, args) => {
    asked.push([program, ...args].join(' '))
    return { code: 0, stdout: program === 'systemd-inhibit' ? stdout : '', stderr: '', timedOut: false }
  })
  return { services, asked }
}

const BLOCKED = 'PackageKit 0 root 4711 packagekitd shutdown:sleep Package Update in Progress block\n'

test.each([
  ['nothing inhibits it', ''],
  ['something only delays it', 'Unattended Upgrades 0 root 812 unattended-upgr shutdown Stop ongoing upgrades delay\n'],
  ['something else is blocked', 'UPower 0 root 90 upowerd sleep:idle Presentation block\n'],
])('systemd reboots the machine when %s', async (_, stdout) => {
  const { services, asked } = inhibited(stdout)
  await services.reboot()

  expect(asked.at(-1)).toBe('systemctl reboot --no-ask-password --')
})

test('systemd does not reboot the machine while somebody blocks that, and names them', async () => {
  const { services, asked } = inhibited(BLOCKED)

  await expect(services.reboot()).rejects.toThrow(
    'systemctl reboot is inhibited: PackageKit 0 root 4711 packagekitd shutdown:sleep Package Update in Progress block',
  )
  expect(asked).toEqual(['systemd-inhibit --list --no-legend --no-pager'])
})

test('systemd stops the service of a socket before that restarts, and starts it again', async () => {
  const asked: string[] = []
  const services = systemd(async (_, [verb = '', ...args]) => {
    asked.push([verb, ...args.filter((arg) => !arg.startsWith('--'))].join(' '))
    const stdout = verb === 'show' ? 'echo.service idle.service\n' : ''
    return { code: verb === 'is-active' && args.includes('idle.service') ? 3 : 0, stdout, stderr: '', timedOut: false }
  })
  await services.restart('echo.socket')

  expect(asked).toEqual([
    'show echo.socket',
    'is-active echo.service',
    'is-active idle.service',
    'stop echo.service',
    'reset-failed echo.socket',
    'restart echo.socket',
    'start echo.service',
  ])
})

test('systemd names what stops with a socket: its service, and what requires one of them', async () => {
  const answers: Readonly<Record<string, string>> = {
    'RequiredBy,BoundBy,ConsistsOf echo.socket': '\nreader.service sockets.target\n\n',
    'Triggers echo.socket': 'echo.service\n',
    'RequiredBy,BoundBy,ConsistsOf reader.service echo.service': 'echo.socket\n\nlater.service reader.service\n',
  }
  const services = systemd(async (_, [, ...args]) => {
    const [names = '', ...units] = args.filter((arg) => arg.includes('=') || !arg.startsWith('--'))
    const stdout = answers[[names.replace('--property=', ''), ...units].join(' ')] ?? '\n\n\n'
    return { code: 0, stdout, stderr: '', timedOut: false }
  })

  expect(await services.stoppedWith(['echo.socket', 'many@.service'])).toEqual([
    'reader.service',
    'echo.service',
    'later.service',
  ])
})

test('systemd restarts a socket whose service does not run', async () => {
  const { services, asked } = answering({ code: 0, stdout: '' })
  await services.restart('echo.socket')

  expect(asked.at(-1)).toBe('systemctl restart --no-ask-password -- echo.socket')
})

test('systemd starts the service of a socket again when the socket does not restart', async () => {
  const asked: string[] = []
  const services = systemd(async (_, [verb = '', ...args]) => {
    asked.push([verb, ...args.filter((arg) => !arg.startsWith('--'))].join(' '))
    const stdout = verb === 'show' ? 'echo.service\n' : ''
    return { code: verb === 'restart' ? 1 : 0, stdout, stderr: 'Address already in use', timedOut: false }
  })

  await expect(services.restart('echo.socket')).rejects.toThrow('systemctl restart echo.socket: exit 1: Address already in use')
  expect(asked.slice(-3)).toEqual(['reset-failed echo.socket', 'restart echo.socket', 'start echo.service'])
})
