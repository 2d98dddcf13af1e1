import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { procProcesses, startedIn } from '../../../src/agent/adapters/proc-processes.ts'

test('procProcesses knows its own process, and not one of an earlier boot or an earlier owner of the pid', async () => {
  const own = await procProcesses.own()

  expect(own.pid).toBe(process.pid)
  expect(await procProcesses.isRunning(own)).toBe(true)
  expect(await procProcesses.isRunning({ ...own, boot: 'another' })).toBe(false)
  expect(await procProcesses.isRunning({ ...own, started: '1' })).toBe(false)
})

test('procProcesses sees that a process has ended', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  const own = await procProcesses.own()

  expect(await procProcesses.isRunning({ ...own, pid: child.pid ?? 0 })).toBe(false)
  expect(await procProcesses.isRunning({ ...own, pid: child.pid ?? 0, started: '' })).toBe(false)
})

test.each([
  ['99 (node) S 1 99 99 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 81234 1000 200', '81234'],
  ['99 (a) b (c)) R 1 99 99 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 81234 1000 200', '81234'],
  ['99 (node) Z 1 99 99 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 81234 0 0', ''],
])('startedIn reads %j', (stat, started) => {
  expect(startedIn(stat)).toBe(started)
})
