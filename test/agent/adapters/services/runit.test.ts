import { existsSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseStatus, runit } from '../../../../src/agent/adapters/services/runit.ts'
import { hostTree, orders, processStat } from './host-tree.ts'

/** As `sv status` of runit 2.1.2 has them. */
test.each([
  ['run: /etc/sv/tiny: (pid 37) 1s; run: log: (pid 30) 2s\n', { active: 'active', pid: 37 }],
  ['run: /etc/sv/tiny: (pid 135) 0s, normally down; run: log: (pid 30) 10s\n', { active: 'active', pid: 135 }],
  ['run: /etc/sv/tiny: (pid 37) 1s, want down, got TERM\n', { active: 'deactivating', pid: 37 }],
  ['down: /etc/sv/tiny: 1s, normally up; run: log: (pid 30) 1s\n', { active: 'inactive' }],
  ['down: /etc/sv/dying: 1s, normally up, want up\n', { active: 'activating' }],
  ['finish: /etc/sv/dying: (pid 40) 1s\n', { active: 'activating' }],
  ['warning: /etc/sv/tiny: unable to open supervise/ok: file does not exist\n', { active: 'unsupervised' }],
])('parseStatus reads %j', (text, expected) => {
  expect(parseStatus(text)).toEqual(expected)
})

const FILES = { '/etc/sv/tiny/run': '#!/bin/sh\n', '/etc/service/other': '', '/proc/37/stat': processStat(37) }
const LINKED = { ...FILES, '/etc/service/tiny': '-> /etc/sv/tiny' }
const RUNS = 'run: /etc/sv/tiny: (pid 37) 600s; run: log: (pid 30) 600s\n'
const NO_RUNSV = 'warning: /etc/sv/tiny: unable to open supervise/ok: file does not exist\n'

function machine(files: Readonly<Record<string, string>>, statuses: readonly string[]) {
  const host = hostTree(files)
  const left = [...statuses]
  const { asked, run } = orders()
  const ask = async () => ({
    code: 0,
    stdout: left.length > 1 ? (left.shift() ?? '') : (left[0] ?? ''),
    stderr: '',
    timedOut: false,
  })
  const sleep = async () => {}
  return { host, asked, services: runit({ root: host.root, run, ask, sleep }), [Symbol.dispose]: () => host[Symbol.dispose]() }
}

test('runit shows a service that runs with its process', async () => {
  using known = machine(LINKED, [RUNS])

  expect(await known.services.show('tiny.service')).toMatchObject({
    exists: true,
    isGone: false,
    active: 'active',
    enabled: true,
    mainPid: 37,
    runningFor: 600_000,
  })
})

test('runit shows a process that died as activating, though runsv says that it runs', async () => {
  using known = machine({ ...LINKED, '/proc/37/stat': processStat(37, { state: 'Z' }) }, [RUNS])

  expect(await known.services.show('tiny.service')).toMatchObject({ active: 'activating', mainPid: 0 })
})

test('runit shows a service that no runsv looks after as stopped, and one without a directory not at all', async () => {
  using known = machine(FILES, [NO_RUNSV])

  expect(await known.services.show('tiny.service')).toMatchObject({ exists: true, active: 'inactive', enabled: false })
  expect(await known.services.show('nobody.service')).toMatchObject({ exists: false })
})

test('runit starts a service that is not enabled without enabling it', async () => {
  using known = machine(FILES, [NO_RUNSV, NO_RUNSV, 'down: /etc/sv/tiny: 0s, normally up\n'])
  await known.services.start('tiny.service')

  expect(readlinkSync(join(known.host.root, '/etc/service/tiny'))).toBe('/etc/sv/tiny')
  expect(existsSync(join(known.host.root, '/etc/sv/tiny/down'))).toBe(true)
  expect(known.asked).toEqual(['sv -w 60 start /etc/sv/tiny'])
})

test('runit enables a service without starting it', async () => {
  using known = machine(FILES, [NO_RUNSV, 'down: /etc/sv/tiny: 0s\n'])
  await known.services.enable('tiny.service')

  expect(existsSync(join(known.host.root, '/etc/sv/tiny/down'))).toBe(false)
  expect(known.asked).toEqual([])
})

test('runit disables a service that goes on running', async () => {
  using known = machine(LINKED, [RUNS])
  await known.services.disable('tiny.service')

  expect(await known.services.show('tiny.service')).toMatchObject({ enabled: false, active: 'active' })
  expect(known.asked).toEqual([])
})

test('runit waits for a service to stop, and kills it then', async () => {
  using known = machine(LINKED, [RUNS])
  await known.services.stop('tiny.service')
  await known.services.restart('tiny.service')

  expect(known.asked).toEqual(['sv -w 90 force-stop /etc/sv/tiny', 'sv -w 90 force-restart /etc/sv/tiny'])
})

test('runit names the link that runsvdir does not take up', async () => {
  using known = machine(FILES, [NO_RUNSV])

  await expect(known.services.start('tiny.service')).rejects.toThrow(
    'supervise "tiny": runsvdir does not take up "/etc/service/tiny"; does it run?',
  )
})

test.each([
  ['runs', processStat(5).replace('tiny d', 'runsvdir'), 'up'],
  ['waits for its parent', processStat(5, { state: 'Z' }).replace('tiny d', 'runsvdir'), 'stopping'],
  ['is gone', processStat(5), 'stopping'],
])('runit whose runsvdir %s says what the machine does', async (_, stat, state) => {
  using known = machine({ ...FILES, '/proc/5/stat': stat }, [RUNS])

  expect(await known.services.machine()).toBe(state)
})

test.each([
  ['exec svlogd -tt /var/log/kubelet', '/var/log/kubelet/current'],
  ['exec chpst -u log svlogd ./main', '/etc/sv/tiny/log/main/current'],
])('runit finds the log of %j, and gives its lines without their times', async (script, log) => {
  using known = machine(
    { ...LINKED, '/etc/sv/tiny/log/run': `#!/bin/sh\n${script}\n`, [log]: '2026-11-22_12:22:41.12345 panic: out of luck\n' },
    [RUNS],
  )

  expect(await known.services.lastWords('tiny.service', 0)).toEqual(['panic: out of luck'])
})

test('runit reboots by the name that the first program has everywhere', async () => {
  using known = machine(FILES, [RUNS])
  await known.services.reboot()

  expect(known.asked).toEqual(['init 6'])
})

test('runit has the boot of the machine from the kernel, and says what to do where there is no /proc', async () => {
  using known = machine({ ...LINKED, '/proc/sys/kernel/random/boot_id': '802343db-ff00\n' }, [RUNS])
  expect(await known.services.bootId()).toBe('802343db-ff00')

  known.host.remove('/proc/sys/kernel/random/boot_id')
  await expect(known.services.bootId()).rejects.toThrow('read "/proc/sys/kernel/random/boot_id": there is none; mount /proc')
})
