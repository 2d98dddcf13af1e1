import { expect, test } from 'vitest'
import { runAsService } from '../../../src/agent/adapters/run-as-service.ts'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'

const done: Outcome = { code: 0, stdout: '', stderr: '', timedOut: false }

test.each([
  [
    'has systemd run the program as a service',
    true,
    'systemd-run --quiet --wait --pipe --collect --service-type=exec --property=RuntimeMaxSec=6 --setenv=LANG=C.UTF-8 -- swapoff -- /dev/a',
  ],
  ['runs the program itself where there is no systemd', false, 'swapoff -- /dev/a'],
])('runAsService %s', async (_, hasSystemd, expected) => {
  const ran: string[] = []
  const run = async (program: string, args: readonly string[]): Promise<Outcome> => {
    ran.push([program, ...args].join(' '))
    return done
  }
  expect(await runAsService('swapoff', ['--', '/dev/a'], { timeout: 5500, run, hasSystemd })).toBe(done)
  expect(ran).toEqual([expected])
})
