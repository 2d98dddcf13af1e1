import { expect, test } from 'vitest'
import { runProgram } from '../../../src/agent/adapters/run-program.ts'
import { runToItsEnd } from '../../../src/agent/adapters/run-to-its-end.ts'

/** As systemd-run exits while its unit still has the pipes: one of another session, which has begun, writes to them. */
const leaving = (work: string) => `exec 3>&1; said=$(setsid sh -c '(${work}) >&3 & echo $!'); echo $said`
/** Longer than what is left in pipes is waited for. */
const LATER = leaving('sleep 3; echo late; echo last')
const HOLDER = leaving('exec sleep 60')
const until = (stdout: string): boolean => stdout.includes('last\n')

test.each([
  ['runProgram', runProgram],
  ['runToItsEnd', runToItsEnd],
])('%s reads on after the exit until the last that is awaited', async (_, run) => {
  const { stdout, ...outcome } = await run('/bin/sh', ['-c', LATER], { until })
  expect(stdout).toMatch(/^\d+\nlate\nlast\n$/)
  expect(outcome).toEqual({ code: 0, stderr: '', timedOut: false })
})

test.each([
  ['runProgram', runProgram, false],
  ['runToItsEnd', runToItsEnd, true],
])('%s reads on no longer than its timeout', async (_, run, timedOut) => {
  const { stdout, ...outcome } = await run('/bin/sh', ['-c', HOLDER], { until, timeout: 500 })
  process.kill(Number(stdout))
  expect(outcome).toEqual({ code: 0, stderr: '', timedOut })
})

test.each([
  ['runProgram', runProgram],
  ['runToItsEnd', runToItsEnd],
])('%s awaits nothing of a program that a signal ended', async (_, run) => {
  const { stdout, ...outcome } = await run('/bin/sh', ['-c', `${HOLDER}; kill -9 $$`], { until })
  process.kill(Number(stdout))
  expect(outcome).toEqual({ code: -1, stderr: '', timedOut: false })
})

test.each([
  ['runProgram', runProgram],
  ['runToItsEnd', runToItsEnd],
])('%s ends with the output when the last that is awaited never comes', async (_, run) => {
  expect(await run('/bin/sh', ['-c', 'echo out; exit 3'], { until })).toEqual({
    code: 3,
    stdout: 'out\n',
    stderr: '',
    timedOut: false,
  })
})

test.each([
  ['runProgram', runProgram],
  ['runToItsEnd', runToItsEnd],
])('%s awaits no more when thousands of characters came behind the last', async (_, run) => {
  const { stdout, ...outcome } = await run('/bin/sh', ['-c', `echo last; head -c 5000 /dev/zero | tr "\\0" x; ${HOLDER}`], {
    until,
  })
  process.kill(Number(/\d+/.exec(stdout)?.[0]))
  expect(outcome).toEqual({ code: 0, stderr: '', timedOut: false })
})
