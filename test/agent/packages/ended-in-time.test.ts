/** With the real programs: what is said of process groups is the kernel's affair, and that of coreutils. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endedInTime } from '../../../src/agent/adapters/packages/run-outside.ts'
import { runProgram } from '../../../src/agent/adapters/run-program.ts'

const run = endedInTime(runProgram)

/** Of the flags of a process, see `PF_EXITING` in the kernel's sched.h: it is set before the process closes its files. */
const EXITING = 0x4

/** One that ends, or that nobody has waited for, runs no more. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`
  const flags = existsSync(path) ? Number(readFileSync(path, 'utf8').split(') ')[1]?.split(' ')[6]) : EXITING
  return (flags & EXITING) === 0
}

test('a program that ends in time says what it said, and how it ended', async () => {
  expect(await run('sh', ['-c', 'echo out; echo err >&2; exit 7'])).toEqual({
    code: 7,
    stdout: 'out\n',
    stderr: 'err\n',
    timedOut: false,
  })
})

test('a program whose child hangs is ended with the child, and a daemon that it started goes on', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'nodewave-ended-'))
  const pidIn = (name: string): number => Number(readFileSync(join(directory, name), 'utf8'))
  // As apt, dpkg and a script below it are one process group, and a daemon makes a session of its own.
  const script = `cd ${directory}
sh -c 'echo $$ > child; sleep 300; true' &
setsid sh -c 'echo $$ > daemon; exec sleep 300 <&- >&- 2>&-' &
wait`
  const { code, timedOut } = await run('sh', ['-c', script], { timeout: 1000 })
  const daemon = pidIn('daemon')

  expect({ code, timedOut }).toEqual({ code: 124, timedOut: true })
  expect(isRunning(pidIn('child'))).toBe(false)
  expect(isRunning(daemon)).toBe(true)
  process.kill(daemon)
  rmSync(directory, { recursive: true })
})
