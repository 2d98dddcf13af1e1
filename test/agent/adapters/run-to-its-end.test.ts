import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runToItsEnd } from '../../../src/agent/adapters/run-to-its-end.ts'

const sh = (script: string, timeout = 20_000) => runToItsEnd('/bin/sh', ['-c', script], { timeout })

/** Of the flags of a process, see `PF_EXITING` in the kernel's sched.h: it is set before the process closes its files. */
const EXITING = 0x4

/** One that ends, or that nobody has waited for, runs no more. */
function isRunning(pid: string): boolean {
  const path = `/proc/${pid.trim()}/stat`
  const flags = existsSync(path) ? Number(readFileSync(path, 'utf8').split(') ')[1]?.split(' ')[6]) : EXITING
  return (flags & EXITING) === 0
}

test('a program keeps the end of its output when it prints megabytes', async () => {
  const { code, stdout } = await sh('head -c 9000000 /dev/zero | tr "\\0" x; echo end')
  expect([code, stdout.length, stdout.slice(-5)]).toEqual([0, 65_536, 'xend\n'])
})

test('what a program leaves in its session ends with it', async () => {
  const { code, stdout, timedOut } = await sh('sleep 60 & echo $!')
  expect([code, timedOut, isRunning(stdout)]).toEqual([0, false, false])
})

test('what a program started is killed with it when its time is over', async () => {
  const { code, stdout, timedOut } = await sh('sleep 60 & echo $!; sleep 60', 1000)
  expect([code, timedOut, isRunning(stdout)]).toEqual([-1, true, false])
})

test('a program ends when a daemon with a session of its own keeps its output open', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'nodewave-')), 'pid')
  const daemon = `setsid sh -c 'echo $$ > ${file}; exec sleep 60' &`
  const { code, timedOut } = await sh(`${daemon} while [ ! -s ${file} ]; do :; done; echo done`)
  const pid = readFileSync(file, 'utf8')
  expect([code, timedOut, isRunning(pid)]).toEqual([0, false, true])
  process.kill(Number(pid))
})

test.each([
  ['ends by a signal', 'kill -SEGV $$', { code: -1, timedOut: false }],
  ['reads its input, of which there is none', 'cat; exit 3', { code: 3, timedOut: false }],
])('a program that %s is over', async (_, script, expected) => {
  expect(await sh(script)).toMatchObject(expected)
})

test('a program fails when there is none of its name', async () => {
  expect(await runToItsEnd('/no/such', [])).toEqual({ code: 127, stdout: '', stderr: 'spawn /no/such ENOENT', timedOut: false })
})
