import { expect, test } from 'vitest'
import { serviceNotifier } from '../../../src/agent/adapters/service-notifier.ts'

const ENDED = { code: 0, stdout: '', stderr: '', timedOut: false }

test('serviceNotifier tells systemd by systemd-notify, over the socket that the unit has', async () => {
  const calls: unknown[] = []
  const run = async (...call: unknown[]) => {
    calls.push(call)
    return ENDED
  }
  await serviceNotifier({ NOTIFY_SOCKET: '/run/systemd/notify' }, { run })?.alive()

  expect(calls).toEqual([
    ['systemd-notify', ['READY=1', 'WATCHDOG=1'], { timeout: 10_000, env: { NOTIFY_SOCKET: '/run/systemd/notify' } }],
  ])
})

test('serviceNotifier may lose two in a row, each after its longest time, before the watchdog of systemd bites', () => {
  const watchdog = 180_000
  const interval = serviceNotifier({ NOTIFY_SOCKET: '@socket', WATCHDOG_USEC: String(watchdog * 1000) })?.interval ?? 0
  const longest = 10_000

  expect(2 * (interval + longest) + interval + longest).toBeLessThan(watchdog)
})

test.each([
  ['a quarter of the watchdog', { WATCHDOG_USEC: '180000000', WATCHDOG_PID: '7' }, 45_000],
  ['a quarter of the watchdog', { WATCHDOG_USEC: '180000000' }, 45_000],
  ['seldom, as the watchdog is of another process', { WATCHDOG_USEC: '180000000', WATCHDOG_PID: '8' }, 600_000],
  ['seldom, as there is no watchdog', {}, 600_000],
])('serviceNotifier tells at %s', (_, watchdog, interval) => {
  expect(serviceNotifier({ NOTIFY_SOCKET: '@socket', ...watchdog }, { pid: 7 })?.interval).toBe(interval)
})

test.each([{}, { NOTIFY_SOCKET: '' }, { WATCHDOG_USEC: '180000000' }])('serviceNotifier is none without a socket: %j', (env) => {
  expect(serviceNotifier(env)).toBeUndefined()
})

test('serviceNotifier says what systemd-notify said when it failed', async () => {
  const notifier = serviceNotifier(
    { NOTIFY_SOCKET: '@socket' },
    { run: async () => ({ ...ENDED, code: 1, stderr: 'Connection refused\n' }) },
  )

  await expect(notifier?.alive()).rejects.toThrow('systemd-notify: exit 1: Connection refused')
})
