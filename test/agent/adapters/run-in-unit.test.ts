import { expect, test } from 'vitest'
import { runInUnit } from '../../../src/agent/adapters/run-in-unit.ts'
import type { Outcome, RunOptions } from '../../../src/agent/adapters/run-program.ts'

const UNIT = 'nodewave-step-1f2e3d4c.service'
const DONE: Outcome = { code: 0, stdout: '', stderr: '', timedOut: false }
const unit = { name: UNIT, properties: ['KillMode=process'], timeout: 5500, env: { LANG: 'C.UTF-8' } }

function systemdRun(outcome: Partial<Outcome>) {
  const ran: { command: readonly string[]; options: RunOptions }[] = []
  const run = async (program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> => {
    ran.push({ command: [program, ...args], options })
    return { ...DONE, ...outcome }
  }
  return { ran, end: () => runInUnit(run, ['/bin/leave', 'all'], unit) }
}

test('a unit is asked to write how it ended, and its output is read until it has', async () => {
  const { ran, end } = systemdRun({ stdout: `${UNIT}\nsuccess\nexited\n0\n` })
  await end()
  expect(ran.map(({ command }) => command)).toEqual([
    [
      'systemd-run',
      '--quiet',
      '--wait',
      '--pipe',
      '--collect',
      '--unit=nodewave-step-1f2e3d4c.service',
      '--service-type=exec',
      '--property=KillMode=process',
      '--property=RuntimeMaxSec=6',
      "--property=ExecStopPost=/bin/sh -c 'echo nodewave-step-1f2e3d4c.service && exec printenv SERVICE_RESULT EXIT_CODE EXIT_STATUS'",
      '--setenv=LANG=C.UTF-8',
      '--',
      '/bin/leave',
      'all',
    ],
  ])
  const { timeout, until } = ran[0]?.options ?? {}
  expect(timeout).toBe(15_500)
  const texts = ['out\n', `${UNIT}\nexit-code\n`, `${UNIT}\nexit-code\nexited\n3\n`]
  expect(texts.map((text) => until?.(text))).toEqual([false, false, true])
})

// What systemd-run 252 answers is the first line of each.
test.each([
  ['is done when it ended well', { stdout: `out\n${UNIT}\nsuccess\nexited\n0\n` }, { stdout: 'out\n' }],
  [
    'fails when systemd executed itself again meanwhile',
    {
      code: 0,
      stdout: `out${UNIT}\nexit-code\nexited\n6\n`,
      stderr: 'Failed to query unit state: Message recipient disconnected\n',
    },
    { code: 6, stdout: 'out', stderr: 'Failed to query unit state: Message recipient disconnected\n' },
  ],
  [
    'is done when systemd-run was killed after it had ended well',
    { code: -1, timedOut: true, stdout: `${UNIT}\nsuccess\nexited\n0\n` },
    { code: 0, timedOut: false },
  ],
  ['took too long when systemd ended it', { code: 1, stdout: `${UNIT}\ntimeout\nkilled\nTERM\n` }, { code: 1, timedOut: true }],
  [
    'fails when a signal ended it',
    { code: 255, stdout: `${UNIT}\nsignal\nkilled\nSEGV\n` },
    { code: 255, stderr: `${UNIT}: signal SEGV ended it\n` },
  ],
  [
    'fails when systemd killed what it had started, for memory',
    { code: 1, stdout: `${UNIT}\noom-kill\nexited\n0\n` },
    { code: 1, stderr: `${UNIT}: systemd reports "oom-kill"\n` },
  ],
  [
    'has no result when systemd stopped its unit',
    { code: 0, stdout: `${UNIT}\nsuccess\nkilled\nTERM\n` },
    { code: -1, stderr: `${UNIT}: it was stopped\n` },
  ],
  [
    'keeps the output of a daemon that it left',
    { code: 0, stdout: `out\n${UNIT}\nsuccess\nexited\n0\nlate\n` },
    { code: 0, stdout: 'out\nlate\n' },
  ],
  [
    'fails when nobody says how it ended',
    { code: 0, stdout: 'out\n' },
    { code: 1, stdout: 'out\n', stderr: `${UNIT}: systemd did not report how it ended\n` },
  ],
  [
    'fails as systemd-run does when there is no such program',
    { code: 1, stderr: 'Failed to find executable\n' },
    { code: 1, stderr: 'Failed to find executable\n' },
  ],
  ['has no result when waiting for it was ended', { code: -1, stdout: 'out\n' }, { code: -1, stdout: 'out\n' }],
])('a program %s', async (_, answer, expected) => {
  expect(await systemdRun(answer).end()).toEqual({ ...DONE, ...expected })
})
