import { expect, test } from 'vitest'
import { runProgram } from '../../../src/agent/adapters/run-program.ts'

test('a program ends when a daemon that it started keeps its output open', async () => {
  const { stdout, ...outcome } = await runProgram('sh', ['-c', 'sleep 60 & echo $!; exit 3'])
  process.kill(Number(stdout))

  expect(outcome).toEqual({ code: 3, stderr: '', timedOut: false })
})

test('a program has all of a long output when it ends', async () => {
  const { code, stdout } = await runProgram('sh', ['-c', 'head -c 3000000 /dev/zero | tr "\\0" x; echo end'])
  expect([code, stdout.length, stdout.slice(-5)]).toEqual([0, 3_000_004, 'xend\n'])
})

test('a program that takes too long is killed, and says so', async () => {
  expect(await runProgram('sleep', ['60'], { timeout: 100 })).toEqual({ code: -1, stdout: '', stderr: '', timedOut: true })
})
