import { expect, test } from 'vitest'
import { runAsService } from '../../../src/agent/adapters/run-as-service.ts'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'

const done: Outcome = { code: 0, stdout: '', stderr: '', timedOut: false }

test.each([
  [
    'has systemd run the program as a service',
    true,
    "systemd-run --quiet --wait --pipe --collect --unit=nodewave-run-ID.service --service-type=exec --property=RuntimeMaxSec=6 --property=ExecStopPost=/bin/sh -c 'echo nodewave-run-ID.service && exec printenv SERVICE_RESULT EXIT_CODE EXIT_STATUS' --setenv=LANG=C.UTF-8 -- swapoff -- /dev/a",
  ],
  ['runs the program itself where there is no systemd', false, 'swapoff -- /dev/a'],
])('runAsService %s', async (_, hasSystemd, expected) => {
  const ran: string[] = []
  const run = async (program: string, args: readonly string[]): Promise<Outcome> => {
    ran.push([program, ...args].join(' ').replace(/-[0-9a-f]{8}\.service/g, '-ID.service'))
    const [, unit] = /--unit=(\S+)/.exec(args.join(' ')) ?? []
    return unit === undefined ? done : { ...done, stdout: `${unit}\nsuccess\nexited\n0\n` }
  }
  expect(await runAsService('swapoff', ['--', '/dev/a'], { timeout: 5500, run, hasSystemd })).toEqual(done)
  expect(ran).toEqual([expected])
})
