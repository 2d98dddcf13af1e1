import { expect, test } from 'vitest'
import { electionOf } from '../../src/cli/controller/election-options.ts'
import { runCli } from './run-cli.ts'

test('a controller stands for election with the timings of client-go unless told otherwise', () => {
  const timings = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2000 }
  expect(electionOf({})).toEqual({ identity: expect.stringMatching(/^.+_[0-9a-f-]{36}$/), timings })
  expect(electionOf({ leaderElectLeaseDuration: 30_000 })?.timings).toEqual({ ...timings, leaseDuration: 30_000 })
  expect(electionOf({ leaderElect: false })).toBeUndefined()
})

test('two processes of one host are two candidates', () => {
  expect(electionOf({})?.identity).not.toBe(electionOf({})?.identity)
})

test('timings that do not go together are refused before anything is asked of anybody', async () => {
  const { code, stderr } = await runCli('/', ['controller', '--repo', 'x', '--leader-elect-lease-duration', '5s'])
  expect(code).toBe(2)
  expect(stderr).toContain('a lease duration of 5000 ms must be greater than the renew deadline of 10000 ms')
  expect(stderr).toContain('correct --leader-elect-lease-duration, -renew-deadline or -retry-period')
})

test('a value that is neither true nor false is refused', async () => {
  const { code, stderr } = await runCli('/', ['controller', '--repo', 'x', '--leader-elect', 'yes'])
  expect(code).toBe(2)
  expect(stderr).toContain('expected "true" or "false"')
})
