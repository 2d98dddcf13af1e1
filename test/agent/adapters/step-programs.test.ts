import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'
import { stepPrograms } from '../../../src/agent/adapters/step-programs.ts'
import { ServiceCallKilled } from '../../../src/agent/ports.ts'

const DONE: Outcome = { code: 0, stdout: 'out\n', stderr: 'err\n', timedOut: false }

/** @param end what systemd has the unit write, in the place of its variables */
function runner(outcome: Outcome, { hasSystemd = true, takes = 0, end = '' } = {}) {
  const ran: string[] = []
  let now = 0
  const run = async (program: string, args: readonly string[]): Promise<Outcome> => {
    ran.push([program, ...args].join(' ').replace(/-[0-9a-f]{8}\.service/g, '-ID.service'))
    if (program === 'systemctl') return { ...DONE, stdout: 'inactive\n' }
    now += takes
    const [, unit] = /--unit=(\S+)/.exec(args.join(' ')) ?? []
    return end === '' ? outcome : { ...outcome, stdout: `${outcome.stdout}${unit}\n${end}` }
  }
  return { ran, steps: stepPrograms({ run, hasSystemd, elapsed: () => now }) }
}

test('step programs run as a unit of their own, after what an earlier agent has started', async () => {
  const { ran, steps } = runner(DONE, { end: 'success\nexited\n0\n' })
  expect(await steps.run(['/bin/leave', 'all'], { timeoutSeconds: 20 })).toEqual({
    code: 0,
    timedOut: false,
    output: 'out\nerr\n',
  })
  expect(ran).toEqual([
    'systemctl show --property=ActiveState --value nodewave-step*.service',
    "systemd-run --quiet --wait --pipe --collect --unit=nodewave-step-ID.service --service-type=exec --property=KillMode=control-group --property=RuntimeMaxSec=20 --property=ExecStopPost=/bin/sh -c 'echo nodewave-step-ID.service && exec printenv SERVICE_RESULT EXIT_CODE EXIT_STATUS' -- /bin/leave all",
  ])
})

test('step programs run by themselves where there is no systemd', async () => {
  const { ran, steps } = runner(DONE, { hasSystemd: false })
  await steps.run(['/bin/leave', 'all'], { timeoutSeconds: 20 })
  expect(ran).toEqual(['/bin/leave all'])
})

test.each([
  ['fails when it ends with another code', { code: 3 }, 1000, 'exit-code\nexited\n3\n', { code: 3, timedOut: false }],
  ['fails when systemd executed itself again meanwhile', {}, 1000, 'exit-code\nexited\n3\n', { code: 3, timedOut: false }],
  ['fails when nobody says how it ended', {}, 1000, '', { code: 1, timedOut: false }],
  ['took too long when systemd ended it', { code: 1 }, 20_000, 'timeout\nkilled\nTERM\n', { code: 1, timedOut: true }],
  ['took too long when its time ran out', { code: -1, timedOut: true }, 30_000, '', { code: -1, timedOut: true }],
  ['is done though it took all of its time', {}, 20_000, 'success\nexited\n0\n', { code: 0, timedOut: false }],
])('a step program %s', async (_, outcome, takes, end, expected) => {
  const { steps } = runner({ ...DONE, ...outcome }, { takes, end })
  expect(await steps.run(['/bin/leave'], { timeoutSeconds: 20 })).toMatchObject(expected)
})

test('nothing is known of a step program when systemd stopped its unit', async () => {
  const { steps } = runner(DONE, { takes: 1000, end: 'success\nkilled\nTERM\n' })
  await expect(steps.run(['/bin/leave'], { timeoutSeconds: 20 })).rejects.toThrow(ServiceCallKilled)
})

test('nothing is known of a step program when waiting for it was ended', async () => {
  const { steps } = runner({ ...DONE, code: -1 }, { takes: 1000 })
  await expect(steps.run(['/bin/leave'], { timeoutSeconds: 20 })).rejects.toThrow(ServiceCallKilled)
})

test('a step program fails when a signal ends it where there is no systemd', async () => {
  const { steps } = runner({ ...DONE, code: -1 }, { hasSystemd: false, takes: 1000 })
  expect(await steps.run(['/bin/leave'], { timeoutSeconds: 20 })).toEqual({ code: -1, timedOut: false, output: 'out\nerr\n' })
})
