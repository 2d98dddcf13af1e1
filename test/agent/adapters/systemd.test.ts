import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'
import { parseShow, systemd } from '../../../src/agent/adapters/systemd.ts'
import { ServiceCallKilled } from '../../../src/agent/ports.ts'

test('parseShow reads a running kubelet', () => {
  const output =
    'MainPID=812\nNRestarts=0\nExecMainStartTimestampMonotonic=90500000\nExecMainStatus=0\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n'
  expect(parseShow(output, 100_000)).toEqual({
    exists: true,
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
  ['enabled', { enabled: true, isStatic: false }],
  ['enabled-runtime', { enabled: true, isStatic: false }],
  ['static', { enabled: false, isStatic: true }],
  ['disabled', { enabled: false, isStatic: false }],
])('unit whose file is %s is %j', (state, expected) => {
  expect(parseShow(`LoadState=loaded\nActiveState=active\nUnitFileState=${state}\nMainPID=7\n`, 0)).toMatchObject(expected)
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

test('systemd does not take a unit for stopped and disabled when it gives no answer', async () => {
  const { services } = answering({ code: 1, stderr: 'Failed to connect to bus: Connection refused\n' })

  await expect(services.show('containerd.service')).rejects.toThrow(
    'systemctl show containerd.service: exit 1: Failed to connect to bus: Connection refused',
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
